import { createHash, randomUUID } from 'node:crypto';
import { type Emulator, startEmulator } from '../emulator';
import { type Loopback, loopback } from '../loopback';
import { thisHost } from '../n8n/hosts';
import { postJson } from '../n8n/postJson';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { call } from './agentFlow';
import { mailCredential } from './exampleFailures';
import { ExampleFlow, PUBLISHED_AFTER_SECONDS } from './exampleFlow';
import { jpeg } from './fileServices';
import { mailbox, type Mailbox } from './mailbox';
import { type Item, until } from './postFlow';
import { type BotMessage, telegram } from './telegram';

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** The name of a browser. n8n ignores programs that identify themselves, also a browser without a window. */
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36';

/** Requests a link as a person's browser does, unless another agent or method is given. */
export const visit = async (link: string, { agent = BROWSER, method = 'GET' } = {}) =>
	await fetch(link, { method, headers: { 'user-agent': agent } });

/** Sends the form to which a link leads. */
async function send(link: string, values: string[]): Promise<Response> {
	const body = new FormData();
	values.forEach((value, index) => body.append(`field-${index}`, value));
	return await fetch(link, { method: 'POST', body, headers: { 'user-agent': BROWSER } });
}

const ASK = 'Ask for Approval';

const IMPATIENT_FORM = 'suggest-a-post-soon';

/** The example that n8n can only run if it has a human review. */
export const WITH_REVIEW = 'ai-agent-with-approval';

/** Parameters with which an example waits for 15 seconds. Its trigger gets a path of its own. */
const impatient = (trigger: string) => ({
	[trigger]: { path: randomUUID(), options: { path: IMPATIENT_FORM } },
	[ASK]: {
		options: {
			limitWaitTime: {
				values: { limitType: 'afterTimeInterval', resumeAmount: 0.25, resumeUnit: 'minutes' },
			},
		},
	},
});

type Sent = { text?: string; post_date?: string };

/**
 * Tests the examples in which a person approves a post.
 *
 * @returns a function that tests them without an answer. n8n looks once a minute whether a wait is over, so
 * that other tests should run first, but none that restarts n8n.
 */
export function testApproval(setup: () => Setup): () => void {
	let emulator: Emulator;
	let platform: Credential;
	let bot: Awaited<ReturnType<typeof telegram>>;
	let chat: Credential;
	let box: Mailbox;
	let mail: Credential;
	let site: Loopback;
	let picture = jpeg('lake');

	const start = async (name: string, service: Credential, parameters = {}) =>
		await (await ExampleFlow.of(setup(), name, { platform, service, parameters })).activate();

	/** Waits for a message that a bot sends. */
	const message = async (wanted: (one: BotMessage) => boolean, timeoutMs = 30_000) => {
		await until(() => bot.messages.some(wanted), timeoutMs);
		return bot.messages.findLast(wanted)!;
	};
	const mailWith = async (subject: string, timeoutMs = 30_000) => {
		await until(() => box.mails.some((one) => one.subject === subject), timeoutMs);
		return box.mails.findLast((one) => one.subject === subject)!;
	};
	const posts = (text: string) =>
		emulator.posts.filter(({ request }) => (request as Sent).text === text);
	/** The pictures of the posts with a text, as the platform has downloaded them. */
	const published = async (text: string) => {
		await emulator.advance(PUBLISHED_AFTER_SECONDS);
		return posts(text).map(({ status, media }) => [status, media?.[0]?.sha256]);
	};

	/** Suggests a post, and returns the question and the links of its buttons. */
	const suggest = async (flow: ExampleFlow, text: string, more: Item = {}) => {
		const body = { id: text, text, picture: `${site.url}/lake.jpg`, ...more };
		expect(await flow.send('Post Suggested', body)).toBe(200);
		const title = `“${text.replace(/\W+/g, ' ')}”`;
		const isQuestion = (one: BotMessage) =>
			one.text.includes(title) && Object.keys(one.buttons).length > 0;
		const question = await message(isQuestion);
		await until(async () => (await flow.waiting()) > 0, 30_000);
		return question;
	};
	/** Submits the form with a suggestion, and returns the link in the email with the question. */
	const submit = async (flow: ExampleFlow, form: string, caption: string, photo: Buffer) => {
		const body = new FormData();
		body.append('field-0', caption);
		body.append('field-1', new File([new Uint8Array(photo)], 'p.jpg', { type: 'image/jpeg' }));
		const url = `${setup().n8n.url}/form/${form}`;
		expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
		const { body: html } = await mailWith(`Publish this post? “${caption}”`);
		await until(async () => (await flow.waiting()) > 0, 30_000);
		return /href="([^"]+webhook-waiting[^"]+)"/.exec(html)![1]!.replaceAll('&amp;', '&');
	};
	/** Lets the agent write a post, and returns the question about it. */
	const write = async (flow: ExampleFlow, text: string) => {
		picture = jpeg(text);
		const review = { toolParameters: { text }, hitlParameters: {} };
		const turns = [
			{ tool_calls: [call('Validate_Post', { text })] },
			{ tool_calls: [call('Create_Post', review)] },
			{ content: `The end of ${text}` },
		];
		emulator.scriptChat(turns.map((turn) => ({ ...turn, bodyHas: text })));
		const body = { id: text, topic: text, picture: `${site.url}/agent.jpg` };
		// The query must not replace what the model writes.
		const url = `${flow.url('Topic Received')}?text=other&toolParameters=other`;
		expect((await postJson(url, body)).status).toBe(200);
		const shown = text.replace('_', '\\_');
		const question = await message((one) => one.text.includes(shown) && 'Publish' in one.buttons);
		await until(async () => (await flow.waiting()) > 0, 30_000);
		return question;
	};
	/** The results of the tool calls of the agent that wrote a post. */
	const results = (text: string) => {
		const { body } = emulator.received.findLast(
			({ operation, rawBody }) => operation === 'chatCompletions' && rawBody.includes(text),
		)!;
		const { messages } = body as { messages: Array<{ role: string; content: string }> };
		return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
	};

	/** The links of questions that nobody answers. */
	const unanswered: string[] = [];
	beforeAll(async () => {
		const { appSecret } = setup().emulator;
		const publishAfterSeconds = PUBLISHED_AFTER_SECONDS;
		emulator = await startEmulator({ appSecret, publishAfterSeconds, fetchMedia: true });
		const { url: baseUrl, appId } = emulator;
		platform = await setup().credential('after approval', { baseUrl, appId });
		bot = await telegram();
		chat = await bot.credential(setup());
		box = await mailbox();
		mail = await mailCredential(setup(), box);
		site = await loopback((_, response) => {
			response.writeHead(200, { 'content-type': 'image/jpeg' }).end(picture);
		});
		const soon = async (name: string, service: Credential, trigger = 'Post Suggested') =>
			await start(name, service, impatient(trigger));
		const { buttons } = await suggest(await soon('approve-post-in-chat', chat), 'Late lakes');
		unanswered.push(buttons.Publish!);
		await suggest(await soon('edit-and-approve-post-in-chat', chat), 'Late huts');
		await submit(await soon('approve-post-by-mail', mail), IMPATIENT_FORM, 'Late', jpeg('late'));
		if (!thisHost.behaviour.hasHumanReview) return;
		unanswered.push(
			(await write(await soon(WITH_REVIEW, chat, 'Topic Received'), 'A late walk')).buttons
				.Publish!,
		);
	});
	afterAll(async () => {
		await emulator?.stop();
		await bot?.stop();
		await box?.stop();
		await site?.stop();
	});

	describe('the examples with an approval', () => {
		describe('in a chat', () => {
			let flow: ExampleFlow;
			beforeAll(async () => (flow = await start('approve-post-in-chat', chat)));
			const ask = async (text: string, more?: Item) => {
				const { text: question, buttons } = await suggest(flow, text, more);
				return { question, publish: buttons.Publish!, decline: buttons.Decline! };
			};

			const told = async (text: string) => (await message((one) => one.text.includes(text))).text;

			it('posts exactly what was shown, once, when it is approved several times', async () => {
				const shown = (picture = jpeg('shown'));
				const { question, publish } = await ask('Six lakes');
				expect(question).toBe('Publish the post “Six lakes” now?');
				const { photo } = bot.messages.find(({ text }) => text === 'Six lakes')!;
				expect(sha256(photo!)).toBe(sha256(shown));
				picture = jpeg('changed');
				const twice = await Promise.all([visit(publish), visit(publish)]);
				expect(twice.map(({ status }) => status)).toContain(200);
				await flow.ended('Tell the Chat', 1);
				expect(await (await visit(publish)).text()).toContain('No action required');
				// n8n 1 may continue the execution twice. The key then skips the second post.
				const texts = bot.messages.map(({ text }) => text);
				expect(texts).toContainEqual(expect.stringMatching(/^The platform accepted the post: SA/));
				expect(await published('Six lakes')).toEqual([['published', sha256(shown)]]);
			});

			it('posts nothing after a preview of the links, and nothing after it is declined', async () => {
				const { publish, decline } = await ask('Seven lakes');
				await visit(publish, { agent: 'TelegramBot (like TwitterBot)' });
				await visit(publish, { method: 'HEAD' });
				await visit(publish.replace(/signature=\w{4}/, 'signature=0000'));
				expect(await flow.waiting()).toBe(1);
				await visit(decline);
				expect(await told('“Seven lakes” was declined')).toMatch(/Nothing was posted\.$/);
				await visit(publish);
				expect(posts('Seven lakes')).toEqual([]);
			});

			it('says that a publish time has passed while it waited', async () => {
				const time = Date.now() + 1000;
				const publish_at = new Date(time).toISOString();
				const { question, publish } = await ask('Eight lakes', { publish_at });
				expect(question).toBe(`Publish the post “Eight lakes” at ${publish_at}?`);
				await until(() => Date.now() > time);
				await visit(publish);
				expect(await told('“Eight lakes” was approved, but not posted')).toMatch(
					/'Publish At' is in the past.*It was not published\.$/s,
				);
				expect(posts('Eight lakes')).toEqual([]);
			});
		});

		describe('with edits', () => {
			let flow: ExampleFlow;
			beforeAll(async () => (flow = await start('edit-and-approve-post-in-chat', chat)));

			const ask = async (text: string) => (await suggest(flow, text)).buttons['Open the form']!;

			it('shows a form with the caption, and posts what the person sends', async () => {
				picture = jpeg('edited');
				const link = await ask('A hut <b>& more');
				const page = await (await visit(link)).text();
				expect(page).toContain('A hut &lt;b&gt;&amp; more');
				const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
				await send(link, ['Publish', 'Two huts\r\n\r\n#huts', tomorrow]);
				await message(({ text }) => /accepted the post: SA.*at 2/s.test(text));
				const [post, ...more] = posts('Two huts\n\n#huts');
				expect(more).toEqual([]);
				expect(Date.parse((post!.request as Sent).post_date!)).toBe(
					Math.floor(Date.parse(tomorrow) / 1000) * 1000,
				);
				expect(posts('A hut <b>& more')).toEqual([]);
			});

			it('posts nothing if the person declines', async () => {
				await send(await ask('Three huts'), ['Decline', 'Three huts', '']);
				await message(({ text }) => text.includes('“Three huts” was declined'));
				expect(posts('Three huts')).toEqual([]);
			});
		});

		describe('by email', () => {
			let flow: ExampleFlow;
			beforeAll(async () => (flow = await start('approve-post-by-mail', mail)));

			const ask = async (caption: string, photo: Buffer) =>
				await submit(flow, 'suggest-a-post', caption, photo);
			const result = async (caption: string) => (await mailWith(`Result: “${caption}”`)).body;

			it('posts the uploaded picture once after a person has approved it', async () => {
				const photo = jpeg('by mail');
				const link = await ask('A pass & a view', photo);
				const shown = await mailWith('Post to approve: “A pass & a view”');
				expect(shown.files.map(sha256)).toEqual([sha256(photo)]);
				expect(shown.body).toContain('A pass &amp; a view');
				// A mail scanner opens links as a browser does.
				expect(await (await visit(link)).text()).toContain('Publish this post?');
				expect(await flow.waiting()).toBe(1);
				await Promise.all([send(link, ['Publish']), send(link, ['Publish'])]);
				expect(await result('A pass & a view')).toMatch(/^The platform accepted the post: SA/);
				await send(link, ['Publish']);
				expect(await published('A pass & a view')).toEqual([['published', sha256(photo)]]);
			});

			it('posts nothing if the person declines', async () => {
				await send(await ask('Another pass', jpeg('no')), ['Decline']);
				expect(await result('Another pass')).toMatch(/was declined\. Nothing was posted\.$/);
				expect(posts('Another pass')).toEqual([]);
			});
		});

		if (thisHost.behaviour.hasHumanReview) {
			describe('by an AI agent', () => {
				let flow: ExampleFlow;
				beforeAll(async () => (flow = await start(WITH_REVIEW, chat)));

				const end = async (text: string) =>
					await message((one) => one.text === `The end of ${text}`);
				it('publishes exactly the approved caption and picture, once', async () => {
					const { text, buttons } = await write(flow, 'A lake_side walk');
					expect(text).toBe('Publish this caption with the picture above?\n\nA lake\\_side walk');
					const shown = picture;
					picture = jpeg('replaced');
					await Promise.all([visit(buttons.Publish!), visit(buttons.Publish!)]);
					await end('A lake_side walk');
					expect(results('A lake_side walk').at(-1)).toContain(
						posts('A lake_side walk')[0]!.action_sn,
					);
					expect(await published('A lake_side walk')).toEqual([['published', sha256(shown)]]);
				});

				it('publishes nothing if the person declines, and tells the agent', async () => {
					await visit((await write(flow, 'A walk at night')).buttons.Decline!);
					await end('A walk at night');
					expect(results('A walk at night').at(-1)).toMatch(
						/rejected the tool call to Create Post/,
					);
					expect(posts('A walk at night')).toEqual([]);
				});
			});
		}
	});
	return () => {
		describe('the examples with an approval that nobody gives', () => {
			it('post nothing, say so, and ignore a late approval', async () => {
				for (const text of ['Late lakes', 'Late huts']) {
					const end = `The post “${text}” was not approved in time. Nothing was posted.`;
					await message((one) => one.text === end, 90_000);
				}
				expect((await mailWith('Result: “Late”', 90_000)).body).toMatch(/not approved in time/);
				if (thisHost.behaviour.hasHumanReview) {
					await message(({ text }) => text === 'The end of A late walk', 90_000);
					expect(results('A late walk').at(-1)).toMatch(/rejected the tool call/);
				}
				for (const link of unanswered) {
					// The last message is sent a moment before the execution ends.
					expect(await (await visit(link)).text()).toMatch(
						/No action required|The execution "\d+" is running already/,
					);
				}
				const late = ['Late lakes', 'Late huts', 'Late', 'A late walk'];
				expect(late.flatMap(posts)).toEqual([]);
			});
		});
	};
}
