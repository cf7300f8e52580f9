import { sampleArticle } from '../n8n/article';
import { DataTable } from '../n8n/dataTable';
import type { TemplatePlace } from './templatePlace';
import * as asked from './templateRuns';
import { account, announced, posting, report, setUp, type Template } from './templateRuns';

/** Every workflow of examples/, as a user fills it in and runs it. */

const article = ({ stage }: TemplatePlace) => sampleArticle(stage.emulator.url, new Date());

export const templates: Record<string, Template> = {
	'ai-caption-to-post': {
		fields: () => ({ 'Check the Post': account, ...posting() }),
		runs: [
			{
				...announced('Article Published', asked.articleForModel, [
					...['Write a Caption', 'Check the Post', 'Can It Be Posted?'],
					...['Create Post', 'Posted'],
				]),
				first: ({ stage }) => stage.emulator.scriptChat([{ content: 'Six lakes #swim' }]),
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
			setUp('Make Posts Waiting', 'Make Posts Reported'),
			announced('Posts Wanted', asked.wanted, [
				...['Each Post', 'One at a Time', 'All on Their Way', 'Start One'],
			]),
			report('Post Status Changed', 'Keep the Report', 'Who Waits?'),
		],
	},
	'exactly-once-in-queue-mode': {
		fields: posting,
		runs: [
			setUp('Make the Table'),
			announced('Article Announced', article, [
				...['Take the Key', 'First?', 'Create Post', 'Note the Post'],
			]),
			report('Post Status Changed', 'Take the Event', 'First Report?', 'Tell Your Team'),
		],
	},
	'ghost-published-to-post': {
		fields: posting,
		runs: [announced('Article Published', asked.ghostArticle, ['Create Post', 'Posted'])],
	},
	'post-failed-to-chat': {
		fields: ({ chat }) => ({ 'Tell Slack or Mattermost': { url: chat.url } }),
		runs: [report('Post Failed', 'Write the Message', 'Tell Slack or Mattermost')],
	},
	'post-failed-to-mail': { runs: [report('Post Failed', 'Write the Message', 'Tell the Team')] },
	'post-failed-to-message': {
		runs: [report('Post Status Changed', 'Outcome', 'Say Why It Failed', 'Tell Your Team')],
	},
	'queue-in-a-table': {
		fields: posting,
		runs: [
			setUp('Make the Table'),
			{
				start: 'Seven Times a Day',
				first: async ({ stage }) =>
					await (await DataTable.of(stage.rest, 'post_queue')).add(asked.row),
				green: [
					...['Seven Times a Day', 'Next in Line', 'Create Post'],
					...['It Is Posted', 'Note What Came of It'],
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
			setUp('Make the Table'),
			report('Post Status Changed', 'Keep the Status'),
			{
				start: 'Monday Morning',
				green: [
					...['Monday Morning', 'The Last Seven Days', 'All in One'],
					...['Write the Report', 'Send the Report'],
				],
			},
		],
	},
};
