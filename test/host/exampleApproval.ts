import { randomUUID } from 'node:crypto';
import { thisHost } from '../n8n/hosts';
import { type Loopback, loopback } from '../loopback';
import { call } from './agentFlow';
import { bot, box, ExampleFlow, posts, publish, setup, sha256, texts } from './exampleFlow';
import { jpeg } from './fileServices';
import { until } from './postFlow';

/** The name of a browser. n8n ignores programs that identify themselves, also a browser without a window. */
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36';

/** Requests a link as a person's browser does, unless another agent or method is given. */
const visit = async (link: string, { agent = BROWSER, method = 'GET' } = {}) =>
	await fetch(link, { method, headers: { 'user-agent': agent } });

/** Sends the form to which a link leads. */
async function send(link: string, ...values: Array<string | File>): Promise<Response> {
	const body = new FormData();
	values.forEach((value, index) => body.append(`field-${index}`, value));
	return await fetch(link, { method: 'POST', body, headers: { 'user-agent': BROWSER } });
}

const FORM = 'approve-post-by-mail';

/** The example that n8n can only run if it has a human review. */
export const WITH_REVIEW = 'ai-agent-with-approval';

const chats = ['approve-post-in-chat', 'edit-and-approve-post-in-chat'];
const names = [...chats, FORM, ...(thisHost.behaviour.hasHumanReview ? [WITH_REVIEW] : [])];

const triggerOf = (name: string) => (name === WITH_REVIEW ? 'Topic Suggested' : 'Post Suggested');

/** Parameters with which an example waits for 15 seconds. Its trigger gets a path of its own. */
const impatient = (name: string) => ({
	[triggerOf(name)]: { path: randomUUID(), options: { path: randomUUID() } },
	'Ask for Approval': {
		options: {
			limitWaitTime: {
				values: { limitType: 'afterTimeInterval', resumeAmount: 0.25, resumeUnit: 'minutes' },
			},
		},
	},
});

/** A text without the characters that n8n escapes in a chat. */
const textOf = (what: string, name: string) => `${what} ${name.replaceAll('-', ' ')}`;

interface Message {
	text: string;
	/** The links of the buttons, by their labels. */
	buttons: Record<string, string>;
	files: Buffer[];
}

/** All messages of the bot, and all emails. */
const messages = (): Message[] => [
	...bot.messages.map(({ photo, ...message }) => ({ ...message, files: photo ? [photo] : [] })),
	...box.mails.map(({ body, files }) => {
		const link = /href="([^"]+webhook-waiting[^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
		const buttons: Message['buttons'] = link ? { form: link } : {};
		return { text: body, buttons, files };
	}),
];

async function messageWith(isWanted: (one: Message) => boolean, timeoutMs = 30_000) {
	await until(() => messages().some(isWanted), timeoutMs);
	return messages().findLast(isWanted)!;
}

/** Waits for the last message about a post, and returns its text. */
async function end(text: string, timeoutMs?: number): Promise<string> {
	const last = await messageWith(
		(one) =>
			(one.text.includes(`“${text}`) && one.text.includes('” was ')) ||
			one.text.includes(posts(text)[0]?.action_sn ?? 'was not sent'),
		timeoutMs,
	);
	return last.text;
}

/**
 * Tests the examples in which a person approves a post.
 *
 * @returns a function that tests them without an answer. n8n looks once a minute whether a wait is over, so
 * that other tests should run first.
 */
export function testApproval(): () => void {
	let site: Loopback;
	let picture = jpeg('lake');

	/** Suggests a post or a topic with a picture in the form of an example. */
	const suggest = async (name: string, flow: ExampleFlow, text: string) => {
		const file = new File([new Uint8Array(picture)], 'p.jpg', { type: 'image/jpeg' });
		await send(flow.url(triggerOf(name)), text, file);
	};

	/** Suggests a post to an example, and returns the question about it and ways to answer. */
	const ask = async (name: string, flow: ExampleFlow, text: string, publish_at?: string) => {
		const review = { toolParameters: { text }, hitlParameters: {} };
		const turns = [
			{ tool_calls: [call('Validate_Post', { text })] },
			{ tool_calls: [call('Create_Post', review)] },
			{ content: 'I have published it.' },
		];
		if (name === WITH_REVIEW) {
			setup.emulator.scriptChat(turns.map((turn) => ({ ...turn, bodyHas: text })));
		}
		if (chats.includes(name)) {
			await flow.send(triggerOf(name), { id: text, text, picture: site.url, publish_at });
		} else {
			await suggest(name, flow, text);
		}
		const question = await messageWith(
			(one) => one.text.includes(text) && Object.keys(one.buttons).length > 0,
		);
		await until(async () => (await flow.waiting()) > 0, 30_000);
		const { Publish, Decline, ...form } = question.buttons;
		const [link = ''] = Publish ? [Publish] : Object.values(form);
		const answer = async (decision: string, button?: string) =>
			await (button ? visit(button) : send(link, decision, `${text}\r\n#sent`, publish_at ?? ''));
		return {
			text: question.text,
			link,
			publish: async () => await answer('Publish', Publish),
			decline: async () => await answer('Decline', Decline),
		};
	};

	const late: Array<[text: string, link: string]> = [];
	beforeAll(async () => {
		site = await loopback((_, response) => {
			response.writeHead(200, { 'content-type': 'image/jpeg' }).end(picture);
		});
		for (const name of names) {
			const flow = await ExampleFlow.active(name, impatient(name));
			const text = textOf('Late', name);
			late.push([text, (await ask(name, flow, text)).link]);
		}
	});
	afterAll(async () => await site?.stop());

	describe.each(names)('The example %s', (name) => {
		let flow: ExampleFlow;
		beforeAll(async () => (flow = await ExampleFlow.active(name)));

		it('publishes exactly what a person approved, once, however often it is approved', async () => {
			const text = textOf('Approved', name);
			const shown = (picture = jpeg(text));
			const question = await ask(name, flow, text);
			const files = messages().flatMap((one) => one.files.map(sha256));
			expect(files).toContain(sha256(shown));
			picture = jpeg('replaced');
			const twice = await Promise.all([question.publish(), question.publish()]);
			expect(twice.map(({ status }) => status)).toContain(200);
			expect(await end(text)).toContain(posts(text)[0]!.action_sn);
			await question.publish();
			await publish();
			expect(texts(text)).toEqual([name.startsWith('edit') ? `${text}\n#sent` : text]);
			expect(posts(text)).toMatchObject([
				{ status: 'published', media: [{ sha256: sha256(shown) }] },
			]);
		});

		it('publishes nothing if the person declines', async () => {
			const text = textOf('Declined', name);
			const { link, decline } = await ask(name, flow, text);
			// A preview of the link, or a link that was changed, is no answer.
			await visit(link, { agent: 'TelegramBot (like TwitterBot)' });
			await visit(link, { method: 'HEAD' });
			await visit(link.replace(/signature=\w{4}/, 'signature=0000'));
			expect(await flow.waiting()).toBe(1);
			await decline();
			expect(await end(text)).toMatch(
				/was declined(, or was not approved in time)?\. Nothing was posted\.$/,
			);
			expect(posts(text)).toEqual([]);
		});

		if (!chats.includes(name)) return;
		it('says that a publish time has passed while it waited', async () => {
			const text = textOf('Past', name);
			const time = Date.now() + 1000;
			const question = await ask(name, flow, text, new Date(time).toISOString());
			await until(() => Date.now() > time);
			await question.publish();
			expect(await end(text)).toMatch(
				/was approved, but not posted: .*'Publish At' is in the past.*It was not published\.$/s,
			);
			expect(posts(text)).toEqual([]);
		});

		it('asks nobody about a post that cannot be published', async () => {
			const text = textOf('Invalid', name);
			const publish_at = new Date(Date.now() + 20 * 24 * 3_600_000).toISOString();
			await flow.send(triggerOf(name), { id: ' ', text, picture: site.url, publish_at });
			expect(await end(text)).toMatch(
				/was not posted: .*Deduplication Key is empty.*Publish At is after the links.*\nIt was not published\.$/,
			);
			const buttons = messages().map((one) => (one.text.includes(text) ? one.buttons : {}));
			expect(Object.assign({}, ...buttons)).toEqual({});
			expect(await flow.waiting()).toBe(0);
		});
	});

	if (thisHost.behaviour.hasHumanReview) {
		it.each(['toolParameters', 'text'])(
			'publishes no other text than the person has read if the call contains %s twice',
			async (twice) => {
				const flow = await ExampleFlow.active(WITH_REVIEW, impatient(WITH_REVIEW));
				const topic = `Read ${twice}`;
				const other = `${topic}, other`;
				const args =
					twice === 'text'
						? { toolParameters: { text: topic, query: { text: other } } }
						: { toolParameters: { text: topic }, query: { toolParameters: { text: other } } };
				const turns = [
					{ tool_calls: [call('Create_Post', { ...args, hitlParameters: {} })] },
					{ content: 'I have published it.' },
				];
				setup.emulator.scriptChat(turns.map((turn) => ({ ...turn, bodyHas: topic })));
				await suggest(WITH_REVIEW, flow, topic);
				const { text, buttons } = await messageWith(
					(one) => one.text.includes(topic) && 'Publish' in one.buttons,
				);
				expect(text).not.toContain(other);
				await until(async () => (await flow.waiting()) > 0, 30_000);
				await visit(buttons.Publish!);
				await end(topic);
				expect(texts(topic)).toEqual(twice === 'text' ? [] : [topic]);
			},
		);

		it('n8n asks only about the first of two calls in one turn, and drops the second', async () => {
			const flow = await ExampleFlow.active(WITH_REVIEW, impatient(WITH_REVIEW));
			const topic = 'Two calls';
			const review = (text: string) =>
				call('Create_Post', { toolParameters: { text }, hitlParameters: {} });
			const turns = [
				{ tool_calls: [review(`${topic}, first`), review(`${topic}, second`)] },
				{ content: 'I have published it.' },
			];
			setup.emulator.scriptChat(turns.map((turn) => ({ ...turn, bodyHas: topic })));
			await suggest(WITH_REVIEW, flow, topic);
			const { text, buttons } = await messageWith(
				(one) => one.text.includes(topic) && 'Publish' in one.buttons,
			);
			expect(text).toContain(`${topic}, first`);
			await until(async () => (await flow.waiting()) > 0, 30_000);
			await visit(buttons.Publish!);
			expect(await end(topic)).toContain('was accepted by the platform');
			expect(texts(topic)).toEqual([`${topic}, first`]);
			const shown = messages().filter((one) => one.text.includes(`${topic}, second`));
			expect(shown).toEqual([]);
		});
	}

	return () =>
		it('The examples with an approval that nobody gives post nothing, and say so', async () => {
			for (const [text, link] of late) {
				expect(await end(text, 90_000)).toMatch(/was not approved in time\. Nothing was posted\.$/);
				await visit(link);
			}
			expect(posts('Late')).toEqual([]);
		});
}
