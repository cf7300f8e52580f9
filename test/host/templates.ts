import { sampleArticle } from '../n8n/article';
import { call } from './agentFlow';
import { DataTable } from '../n8n/dataTable';
import { jpeg } from './fileServices';
import type { TemplateSetup } from './templateSetup';
import * as inputs from './templateRuns';
import {
	account,
	createPostFields,
	report,
	setUp,
	webhookRun,
	type Template,
} from './templateRuns';

const article = ({ base }: TemplateSetup) => sampleArticle(base.emulator.url, new Date());

/** The nodes that run when a person approves a post in a chat. */
const approvedNodes = [
	...['Download the Picture', 'Show the Post', 'Ask for Approval', 'Approved?'],
	...['Create Post', 'Posted', 'Tell the Chat'],
];

/** Every workflow of examples/. */
export const templates: Record<string, Template> = {
	'ai-agent-with-approval': {
		fields: () => ({ 'Validate Post': account, ...createPostFields() }),
		runs: [
			{
				...webhookRun('Topic Received', inputs.suggestedPost, [
					...['Download the Picture', 'Show the Picture', 'Write and Post', 'Model'],
					...['Validate Post', 'Ask for Approval', 'Create Post'],
					...['Write the Message', 'Tell the Chat'],
				]),
				first: ({ base }) => {
					const text = 'Six lakes #swim';
					const review = { toolParameters: { text }, hitlParameters: {} };
					base.emulator.scriptChat([
						{ tool_calls: [call('Validate_Post', { text })] },
						{ tool_calls: [call('Create_Post', review)] },
						{ content: 'The post was published.' },
					]);
				},
				answer: inputs.approveInChat,
			},
		],
	},
	'ai-caption-to-post': {
		fields: () => ({ 'Validate Post': account, ...createPostFields() }),
		runs: [
			{
				...webhookRun('Article Published', inputs.articleForModel, [
					...['Write a Caption', 'Validate Post', 'Post Is Valid?'],
					...['Create Post', 'Posted'],
				]),
				first: ({ base }) => base.emulator.scriptChat([{ content: 'Six lakes #swim' }]),
			},
		],
	},
	'ai-image-to-post': {
		credentials: { 'Generate the Image': 'images' },
		fields: ({ images }) => ({
			'Generate the Image': { url: images.url },
			'Validate Post': account,
			...createPostFields(),
		}),
		runs: [
			{
				...webhookRun('Image Requested', inputs.requestedImage, [
					...['Generate the Image', 'Image to File', 'Validate Post', 'Nothing to Correct?'],
					...['Create Post', 'Posted'],
				]),
				first: ({ images }) => void images.respondWith(jpeg('lake')),
			},
		],
	},
	'approve-post-by-mail': {
		fields: createPostFields,
		runs: [
			{
				start: 'Post Suggested',
				form: {
					values: { Caption: 'Six lakes', Picture: jpeg('lakes') },
					ending: 'Form Submitted',
				},
				answer: inputs.approveByMail,
				succeeds: [
					...['Post Suggested', 'Show the Post', 'Ask for Approval', 'Approved?'],
					...['Create Post', 'Posted', 'Tell by Email'],
				],
			},
		],
	},
	'approve-post-in-chat': {
		fields: createPostFields,
		runs: [
			{
				...webhookRun('Post Suggested', inputs.suggestedPost, approvedNodes),
				answer: inputs.approveInChat,
			},
		],
	},
	'cloud-drive-to-posts': {
		fields: createPostFields,
		runs: [
			{
				start: 'Every Hour',
				first: ({ drive }) =>
					void drive.files.set('/To Post/lake.jpg', { content: jpeg('lake'), type: 'image/jpeg' }),
				succeeds: [
					...['Every Hour', 'List the Folder', 'Pictures Only', 'Download'],
					...['Create Post', 'Accepted Only', 'Move to Posted'],
				],
			},
		],
	},
	'cms-publish-to-post': {
		fields: createPostFields,
		runs: [webhookRun('Article Published', article, ['Create Post', 'Posted'])],
	},
	'create-and-wait-for-the-result': {
		fields: createPostFields,
		runs: [
			setUp('Create Waiting Table', 'Create Report Table'),
			webhookRun('Posts Requested', inputs.requestedPosts, [
				...['Split Posts', 'Loop Over Posts', 'All Started', 'Start Execution'],
			]),
			report('Post Status Changed', 'Save the Report', 'Find Waiting Execution'),
		],
	},
	'edit-and-approve-post-in-chat': {
		fields: createPostFields,
		runs: [
			{
				...webhookRun('Post Suggested', inputs.suggestedPost, approvedNodes),
				answer: inputs.approveWithEdits,
			},
		],
	},
	'exactly-once-in-queue-mode': {
		fields: createPostFields,
		runs: [
			setUp('Create the Table'),
			webhookRun('Article Announced', article, [
				...['Claim the Key', 'First Execution?', 'Create Post', 'Mark as Posted'],
			]),
			report('Post Status Changed', 'Claim the Event', 'First Report?', 'Notify Your Team'),
		],
	},
	'form-photo-to-post': {
		fields: createPostFields,
		runs: [
			{
				start: 'Photo Submitted',
				form: {
					values: { Caption: 'Six lakes', Photo: jpeg('lakes') },
					ending: 'Your post was accepted',
				},
				succeeds: ['Photo Submitted', 'Create Post', 'Accepted'],
			},
		],
	},
	'ghost-published-to-post': {
		fields: createPostFields,
		runs: [webhookRun('Article Published', inputs.ghostArticle, ['Create Post', 'Posted'])],
	},
	'post-failed-to-chat': {
		fields: ({ chat }) => ({ 'Send to Slack or Mattermost': { url: chat.url } }),
		runs: [report('Post Failed', 'Write the Message', 'Send to Slack or Mattermost')],
	},
	'post-failed-to-mail': { runs: [report('Post Failed', 'Write the Message', 'Send the Email')] },
	'post-status-to-message': {
		runs: [report('Post Status Changed', 'Outcome', 'Write Failure Message', 'Notify Your Team')],
	},
	'queue-in-a-table': {
		fields: createPostFields,
		runs: [
			setUp('Create the Table'),
			{
				start: 'Seven Times a Day',
				first: async ({ base }) =>
					await (await DataTable.of(base.rest, 'post_queue')).add(inputs.row),
				succeeds: [
					...['Seven Times a Day', 'Get Next Row', 'Create Post'],
					...['Set Posted Status', 'Update the Row'],
				],
			},
		],
	},
	'rss-feed-to-post': {
		fields: ({ site }) => ({ 'Read the Feed': { url: `${site.url}/feed` }, ...createPostFields() }),
		runs: [
			{
				start: 'Every 30 Minutes',
				succeeds: [
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
				succeeds: [
					...['Every Monday', 'Read the Last Seven Days', 'Combine Rows'],
					...['Write the Report', 'Send the Report'],
				],
			},
		],
	},
};
