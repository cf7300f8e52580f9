import { sampleArticle } from '../n8n/article';
import { DataTable } from '../n8n/dataTable';
import type { TemplateSetup } from './templateSetup';
import * as asked from './templateRuns';
import { account, announced, posting, report, setUp, type Template } from './templateRuns';

/** Every workflow of examples/, as a user fills it in and runs it. */

const article = ({ setup }: TemplateSetup) => sampleArticle(setup.emulator.url, new Date());

export const templates: Record<string, Template> = {
	'ai-caption-to-post': {
		fields: () => ({ 'Validate Post': account, ...posting() }),
		runs: [
			{
				...announced('Article Published', asked.articleForModel, [
					...['Write a Caption', 'Validate Post', 'Post Is Valid?'],
					...['Create Post', 'Posted'],
				]),
				first: ({ setup }) => setup.emulator.scriptChat([{ content: 'Six lakes #swim' }]),
			},
		],
	},
	'cms-publish-to-post': {
		fields: posting,
		runs: [announced('Article Published', article, ['Create Post', 'Posted'])],
	},
	'create-and-wait-for-the-result': {
		fields: posting,
		runs: [
			setUp('Create Waiting Table', 'Create Report Table'),
			announced('Posts Requested', asked.wanted, [
				...['Split Posts', 'Loop Over Posts', 'All Started', 'Start Execution'],
			]),
			report('Post Status Changed', 'Save the Report', 'Find Waiting Execution'),
		],
	},
	'exactly-once-in-queue-mode': {
		fields: posting,
		runs: [
			setUp('Create the Table'),
			announced('Article Announced', article, [
				...['Claim the Key', 'First Execution?', 'Create Post', 'Mark as Posted'],
			]),
			report('Post Status Changed', 'Claim the Event', 'First Report?', 'Notify Your Team'),
		],
	},
	'ghost-published-to-post': {
		fields: posting,
		runs: [announced('Article Published', asked.ghostArticle, ['Create Post', 'Posted'])],
	},
	'post-failed-to-chat': {
		fields: ({ chat }) => ({ 'Send to Slack or Mattermost': { url: chat.url } }),
		runs: [report('Post Failed', 'Write the Message', 'Send to Slack or Mattermost')],
	},
	'post-failed-to-mail': { runs: [report('Post Failed', 'Write the Message', 'Send the Email')] },
	'post-failed-to-message': {
		runs: [report('Post Status Changed', 'Outcome', 'Write Failure Message', 'Notify Your Team')],
	},
	'queue-in-a-table': {
		fields: posting,
		runs: [
			setUp('Create the Table'),
			{
				start: 'Seven Times a Day',
				first: async ({ setup }) =>
					await (await DataTable.of(setup.rest, 'post_queue')).add(asked.row),
				green: [
					...['Seven Times a Day', 'Get Next Row', 'Create Post'],
					...['Set Posted Status', 'Update the Row'],
				],
			},
		],
	},
	'rss-feed-to-post': {
		fields: ({ site }) => ({ 'Read the Feed': { url: `${site.url}/feed` }, ...posting() }),
		runs: [
			{
				start: 'Every 30 Minutes',
				green: [
					...['Every 30 Minutes', 'Read the Feed', 'New, With a Picture'],
					...['Create Post', 'Posted'],
				],
			},
		],
	},
	'weekly-report': {
		runs: [
			setUp('Create the Table'),
			report('Post Status Changed', 'Save the Status'),
			{
				start: 'Every Monday',
				green: [
					...['Every Monday', 'Read the Last Seven Days', 'Combine Rows'],
					...['Write the Report', 'Send the Report'],
				],
			},
		],
	},
};
