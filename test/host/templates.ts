import { sampleArticle } from './article';
import { DataTable } from './dataTable';
import type { TemplatePlace } from './templatePlace';
import {
	account,
	ghostPost,
	media_url,
	posting,
	published,
	report,
	setUp,
	type Template,
	wish,
} from './templateRuns';

/** Every workflow of examples/, as a user fills it in and runs it. */

export const templates: Record<string, Template> = {
	'ai-caption-to-post': {
		fields: () => ({ 'Check the Post': account, ...posting() }),
		runs: [
			{
				...published(() => wish, 'Write a Caption', 'Check the Post', 'Can It Be Posted?'),
				first: ({ stage }: TemplatePlace) =>
					stage.emulator.scriptChat([{ content: 'Six lakes #swim' }]),
			},
		].map((run) => ({ ...run, green: [...run.green, 'Create Post', 'Posted'] })),
	},
	'cms-publish-to-post': {
		fields: posting,
		runs: [
			published(
				({ stage }) => sampleArticle(stage.emulator.url, new Date()),
				...['Create Post', 'Posted'],
			),
		],
	},
	'create-and-wait-for-the-result': {
		fields: posting,
		runs: [
			setUp('Make Posts Waiting', 'Make Posts Reported'),
			{
				start: 'Posts Wanted',
				body: () => ({ posts: [{ key: 'w7', text: 'Wait for me', media_url }] }),
				green: ['Posts Wanted', 'Each Post', 'One at a Time', 'All on Their Way', 'Start One'],
			},
			report('Post Status Changed', 'Keep the Report', 'Who Waits?'),
		],
	},
	'exactly-once-in-queue-mode': {
		fields: posting,
		runs: [
			setUp('Make the Table'),
			{
				start: 'Article Announced',
				body: ({ stage }) => sampleArticle(stage.emulator.url, new Date()),
				green: ['Article Announced', 'Take the Key', 'First?', 'Create Post', 'Note the Post'],
			},
			report('Post Status Changed', 'Take the Event', 'First Report?', 'Tell Your Team'),
		],
	},
	'ghost-published-to-post': {
		fields: posting,
		runs: [published(() => ({ post: { current: ghostPost } }), 'Create Post', 'Posted')],
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
				first: async ({ stage }) => {
					const table = await DataTable.of(stage.rest, 'post_queue');
					await table.add({ text: 'Six lakes', media_url, status: 'waiting' });
				},
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
