import type { EditorNode } from './editorNode';

export async function fillPost(node: EditorNode): Promise<void> {
	await node.chooseFromList('socialAccountId', 'harb', 'Harbour');
	await node.choose('contentType', 'Reel');
	await node.fill('text', 'Our new article is out #news');
	await node.press('Add Media');
	await node.fill('mediaUrls', 'https://example.com/clip.mp4');
	await node.choose('publishTime', 'At a Set Time');
	await node.fillDate('publishAt', '2030-01-02 09:00:00');
}

/** Adds an option of each type. */
export async function fillOptions(node: EditorNode): Promise<void> {
	const names = ['Other Fields (JSON)', 'Alt Text', 'Share to Feed', 'Collaborators'];
	for (const name of [...names, 'Location ID', 'Trial Reel']) {
		await node.add('Add Option', name);
	}
	await node.fillCode('additionalBodyFields', '{ "campaign": "spring" }');
	await node.fill('altText', 'A meadow');
	await node.fill('collaborators', '@anna.example');
	await node.fill('locationId', '4711');
	await node.choose('trialReel', 'Graduate by Performance');
	await node.add('Add Sending Option', 'Deduplication Key');
	await node.fill('oncePerKey', 'article-4711');
}

/** The expected request. The time is in the workflow's time zone, which is New York by default. */
export const request = {
	social_account_id: 'acc_1024',
	post_date: '2030-01-02T09:00:00-05:00',
	type: 'REEL',
	text: 'Our new article is out #news',
	media_urls: ['https://example.com/clip.mp4'],
	campaign: 'spring',
	exclusive: {
		alt_text: 'A meadow',
		share_to_feed: true,
		collaborators: ['anna.example'],
		location_id: '4711',
		trial_params: [{ graduation_strategy: 'SS_PERFORMANCE' }],
	},
};
