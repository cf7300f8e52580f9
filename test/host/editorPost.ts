import type { EditorNode } from './editorNode';

/** The options of each list of Create Post. */
export const offers = {
	'Add Field': ['Title', 'Video Cover Image', 'Other Fields (JSON)'],
	'Add Platform Option': [
		...['Alt Text', 'Auto-Crop Image', 'Auto-Fit Image', 'Collaborators', 'Location ID'],
		...['Share to Feed', 'Trial Settings', 'Trial Settings (JSON)', 'Video Cover Offset'],
		'Other Options (JSON)',
	],
	'Add Option': [
		...['Check Media', 'Deduplication Key', 'Deduplication Key: History Size'],
		...['Deduplication Key: Scope', 'File Link Validity (Days)', 'Include Full Response'],
		...['Max Concurrent Requests', 'Max Posts per Run', 'Minimum Interval (Seconds)'],
		...['Resend Edited Posts', 'Resend If Outcome Unknown', 'Timeout (Seconds)'],
		'Wait for Rate Limits (Seconds)',
	],
};

export async function fillPost(node: EditorNode): Promise<void> {
	await node.chooseFromList('socialAccountId', 'harb', 'Harbour');
	await node.choose('contentType', 'Reel');
	await node.fill('text', 'Our new article is out #news');
	await node.press('Add Media');
	await node.fill('mediaUrls', 'https://example.com/clip.mp4');
	await node.choose('publishTime', 'At a Set Time');
	await node.fillDate('publishAt', '2030-01-02 09:00:00');
}

/** Adds every option. Options that are on by default are not changed. */
export async function fillOptions(node: EditorNode): Promise<void> {
	for (const [label, names] of Object.entries(offers)) {
		for (const name of names) {
			await node.add(label, name);
			// n8n removes a list without rows when another option is added.
			if (name === 'Trial Settings') await node.press('Add Trial Setting');
		}
	}
	await node.fillCode('additionalBodyFields', '{ "campaign": "spring" }');
	await node.fill('title', 'Spring');
	await node.fill('videoCoverImageUrl', 'https://example.com/cover.jpg');
	await node.fillCode('additionalExclusiveOptions', '{ "mood": "sunny" }');
	await node.fill('altText', 'A meadow');
	await node.switchOn('autoFitImage');
	await node.fill('collaborators', '@anna.example');
	await node.fill('locationId', '4711');
	await node.switchOn('shareToFeed');
	await node.choose('graduationStrategy', 'By Performance');
	await node.fill('videoCoverOffset', '1500');
	await node.fill('fileLinkValidity', '14');
	await node.switchOn('fullEnvelope');
	await node.fill('maxConcurrentRequests', '2');
	await node.fill('maxPostsPerRun', '3');
	await node.fill('minimumInterval', '0.1');
	await node.fill('oncePerKey', 'article-4711');
	await node.fill('keyHistory', '500');
	await node.choose('keyScope', 'Workflow');
	await node.switchOn('resendUnknown');
	await node.fill('timeout', '30');
	await node.fill('rateLimitWait', '60');
}

/** The expected request. The time is in the workflow's time zone, which is New York by default. */
export const request = {
	social_account_id: 'acc_1024',
	post_date: '2030-01-02T09:00:00-05:00',
	title: 'Spring',
	type: 'REEL',
	text: 'Our new article is out #news',
	media_urls: ['https://example.com/clip.mp4'],
	thumbnail: 'https://example.com/cover.jpg',
	campaign: 'spring',
	exclusive: {
		alt_text: 'A meadow',
		share_to_feed: true,
		auto_fit_image: true,
		thumbnail_offset: 1500,
		collaborators: ['anna.example'],
		auto_crop_image: false,
		location_id: '4711',
		trial_params: [{ graduation_strategy: 'SS_PERFORMANCE' }],
		mood: 'sunny',
	},
};
