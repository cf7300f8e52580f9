import { randomUUID } from 'node:crypto';
import { visit } from './exampleApproval';
import { until } from './postFlow';
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
	/** Answers the question that the workflow asks a person. */
	answer?: (setup: TemplateSetup) => Promise<void>;
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

export const ACCOUNT_NAME = 'Harbour';

/** Chosen from the list of accounts. */
export const account = { socialAccountId: ACCOUNT_NAME };

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

/** A post whose picture the workflow downloads. */
export const suggestedPost = ({ base }: TemplateSetup) => ({
	id: randomUUID(),
	text: 'Six lakes',
	topic: 'Six lakes',
	picture: `${base.emulator.url}/media/lake.jpg`,
});

/** Waits for a button that the bot shows next, and returns its link. */
async function nextButton({ bot }: TemplateSetup, label: string): Promise<string> {
	await until(() => bot.messages.some(({ buttons }) => label in buttons), 30_000);
	const [message] = bot.messages.splice(0).filter(({ buttons }) => label in buttons);
	return message!.buttons[label]!;
}

/** Approves a post with the button in the chat. */
export async function approveInChat(setup: TemplateSetup): Promise<void> {
	const link = await nextButton(setup, 'Publish');
	// The editor stores the waiting execution after the question is sent.
	await until(async () => (await visit(link)).ok, 30_000);
}

/** Opens a form in the browser, and sends it with the decision to publish. */
async function sendForm({ base }: TemplateSetup, link: string): Promise<void> {
	const page = await base.editor.page.context().browser()!.newPage();
	await until(async () => (await page.goto(link))!.ok(), 30_000);
	await page.getByLabel('Decision').selectOption('Publish');
	await page.getByRole('button', { name: 'Send' }).click();
	await page.getByText('Got it, thanks').waitFor();
	await page.close();
}

/** Approves a post in the form that the button in the chat opens. */
export const approveWithEdits = async (setup: TemplateSetup): Promise<void> =>
	await sendForm(setup, await nextButton(setup, 'Open the form'));

/** Approves a post in the form that an email links to. */
export async function approveByMail(setup: TemplateSetup): Promise<void> {
	let link: string | undefined;
	await until(() => {
		const html = setup.box.mails.at(-1)?.body ?? '';
		link = /href="([^"]+webhook-waiting[^"]+)"/.exec(html)?.[1];
		return link !== undefined;
	}, 30_000);
	await sendForm(setup, link!.replaceAll('&amp;', '&'));
}
