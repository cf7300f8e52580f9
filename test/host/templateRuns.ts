import { randomUUID } from 'node:crypto';
import type { TemplateSetup } from './templateSetup';

/** What a workflow of examples/ asks a user to fill in, and runs of it from the editor. */

export interface TemplateRun {
	/** The trigger whose button is pressed. */
	start: string;
	/** What comes to the trigger's test URL then. */
	body?: (place: TemplateSetup) => object;
	/** Where the platform sends it, signed. */
	signed?: true;
	/** What has to be there before. */
	first?: (place: TemplateSetup) => Promise<void> | void;
	/** The nodes that then have run. */
	green: string[];
}

export interface Template {
	/** Fields by the name of their node. */
	fields?: (place: TemplateSetup) => Record<string, Record<string, string>>;
	runs: TemplateRun[];
}

export const ACCOUNT = 'acc_7';

export const account = { socialAccountId: ACCOUNT };

/** The one field that every template with Create Post asks for. */
export const posting = () => ({ 'Create Post': account });

const picture = 'https://blog.example.com/lake.jpg';

const failure = () => ({
	id: randomUUID(),
	data: {
		action_sn: 'SA2026112109000000000001',
		social_post_id: '9007199254740993',
		status: 'failed',
		social_account_id: ACCOUNT,
		message: 'The picture could not be loaded',
	},
});

/** The platform reports that a post has failed. */
export const report = (start: string, ...green: string[]): TemplateRun => ({
	start,
	body: failure,
	signed: true,
	green: [start, ...green],
});

/** Tables are made. */
export const setUp = (...tables: string[]): TemplateRun => ({
	start: 'Set Up Once',
	green: ['Set Up Once', ...tables],
});

/** Somebody announces something. */
export const announced = (
	start: string,
	body: TemplateRun['body'],
	green: string[],
): TemplateRun => ({ start, body, green: [start, ...green] });

export const ghostArticle = () => ({
	post: {
		current: {
			id: 'g7',
			title: 'Over the pass',
			excerpt: 'Over the pass on foot',
			tags: [{ name: 'huts' }],
			url: 'https://blog.example.com/pass',
			feature_image: picture,
			feature_image_alt: null,
		},
	},
});

export const articleForModel = () => ({
	id: 7,
	title: 'Six lakes',
	text: 'Where to swim',
	url: 'https://blog.example.com/lakes',
	picture,
});

export const wanted = () => ({ posts: [{ key: 'w7', text: 'Wait for me', media_url: picture }] });

export const row = { text: 'Six lakes', media_url: picture, status: 'waiting' };
