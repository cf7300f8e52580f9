import { randomUUID } from 'node:crypto';
import type { TemplateSetup } from './templateSetup';

export interface TemplateRun {
	/** The trigger that is started. */
	start: string;
	/** The body of the request to the trigger's test URL. */
	body?: (setup: TemplateSetup) => object;
	/** Set if the platform sends the request. */
	signed?: true;
	/** The values to enter in the form that the trigger opens, by their label, and the last page's title. */
	form?: { values: Record<string, string | Buffer>; ending: string };
	/** Prepares the run, for example by adding a row to a table. */
	first?: (setup: TemplateSetup) => Promise<void> | void;
	/** The nodes that succeed. */
	succeeds: string[];
}

/** A workflow of examples/ as it is set up and run in the editor. */
export interface Template {
	/** The credentials that n8n does not add on import, by the name of the node. */
	credentials?: Record<string, string>;
	/** The values to fill in, by the name of the node. */
	fields?: (setup: TemplateSetup) => Record<string, Record<string, string>>;
	runs: TemplateRun[];
}

export const ACCOUNT = 'acc_7';

export const account = { socialAccountId: ACCOUNT };

/** The field that every template with Create Post requires. */
export const createPostFields = () => ({ 'Create Post': account });

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

/** A run in which the platform reports a failed post. */
export const report = (start: string, ...nodes: string[]): TemplateRun => ({
	start,
	body: failure,
	signed: true,
	succeeds: [start, ...nodes],
});

/** A run that creates tables. */
export const setUp = (...tables: string[]): TemplateRun => ({
	start: 'Set Up Once',
	succeeds: ['Set Up Once', ...tables],
});

/** A run that is started by a webhook. */
export const webhookRun = (
	start: string,
	body: TemplateRun['body'],
	nodes: string[],
): TemplateRun => ({ start, body, succeeds: [start, ...nodes] });

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

export const articleForModel = ({ base }: TemplateSetup) => ({
	id: 7,
	title: 'Six lakes',
	text: 'Where to swim',
	url: 'https://blog.example.com/lakes',
	picture: `${base.emulator.url}/media/lake.jpg`,
});

export const requestedImage = () => ({ id: 'i7', prompt: 'Six lakes', text: 'Six lakes' });

export const requestedPosts = () => ({
	posts: [{ key: 'w7', text: 'Six lakes', media_url: picture }],
});

export const row = { text: 'Six lakes', media_url: picture, status: 'waiting' };
