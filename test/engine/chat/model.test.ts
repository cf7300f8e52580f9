import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { z } from 'zod';
import type { FaultSpec } from '../../emulator';
import { loopback, type Loopback } from '../../loopback';
import { withToken } from '../../storedToken';
import { chatsAt, expectNoSecretIn, TOKEN } from '../harness/chats';
import { spanOf } from '../harness/manyPosts';
import { errorTextOf, modelMethods, piecesOf, runWithModel } from '../harness/modelTask';
import { type Platform, usePlatform, withPlatform } from '../harness/platform';
import { soon, until } from '../harness/storage';

const chatsOf = (platform: Platform) => ({
	platform,
	chats: () => chatsAt(platform),
	fault: (kind: FaultSpec['kind'], more: Partial<FaultSpec> = {}) =>
		platform.emulator.fault({ kind, ...more }),
});

const { platform, chats, fault } = chatsOf(usePlatform());
afterEach(() => {
	expect(platform.received('getAccessToken')).toStrictEqual([]);
	expect(platform.store.updates).toBe(0);
});

const bodies = () => chatsAt(platform).map(({ body }) => body as Record<string, unknown>);
const call = (name: string, args: object) => ({ name, arguments: args });

describe.each(modelMethods)('A chat model called with $method', ({ method, ask }) => {
	test('sends its options and other fields, and omits those that are not set', async () => {
		const options = {
			additionalBodyFields: '{"seed":9007199254740993,"top_p":0.5}',
			...{ maxTokens: 50, temperature: 0, maxRetries: 0, timeout: 9 },
		};
		const say = async (parameters: object) =>
			await runWithModel(platform, async (model) => await ask(model, 'Hi'), { ...parameters });
		await say({ options });
		await say({ model: '={{ "chat-" + 1 }}' });
		const stream = method === 'stream';
		const more = stream ? { stream, stream_options: { include_usage: true } } : { stream };
		const messages = [{ role: 'user', content: 'Hi' }];
		expect(bodies()).toStrictEqual([
			{
				...{ model: 'chat-large', messages, temperature: 0, max_tokens: 50 },
				...{ seed: '9007199254740993', top_p: 0.5, ...more },
			},
			{ model: 'chat-1', messages, ...more },
		]);
	});

	test('sends tools and images, and returns text, tool calls and usage', async () => {
		const [one, two] = [{ text: 'a 发 😀 "x"' }, { n: [1, { deep: true }] }];
		platform.emulator.scriptChat([
			{ content: 'Let me see.', tool_calls: [call('first', one), call('second', two)] },
		]);
		const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
		const schema = z.object({ word: z.string() });
		const { value, error } = await runWithModel(platform, async (model) => {
			const tools = [{ name: 'look', description: 'Looks up', schema }];
			return await ask(model.bindTools(tools), [{ role: 'user', content: [image] }]);
		});
		expect(error).toBeUndefined();
		expect(value!.text).toBe('Let me see.');
		expect(value!.tool_calls!.map(({ name, args }) => ({ name, args }))).toStrictEqual([
			{ name: 'first', args: one },
			{ name: 'second', args: two },
		]);
		expect(value!.usage_metadata).toMatchObject({ total_tokens: expect.any(Number) });
		expect(bodies()).toMatchObject([
			{
				messages: [{ role: 'user', content: [image] }],
				tools: [{ function: { name: 'look', parameters: { required: ['word'] } } }],
			},
		]);
	});
});

const ANSWER = 'You said: one two three';

describe.each(modelMethods)('A chat model called with $method', ({ method, ask }) => {
	const sayTo = async (one: Platform, options: object = {}) =>
		await runWithModel(one, async (model) => await ask(model, 'one two three'), { options });
	const say = async () => await sayTo(platform);

	test.each([
		['refused', { status: 400, code: 'x', message: '参数错误' }, '(code x: “参数错误”)'],
		['rate-limited-429', { code: 'insufficient_quota' }, '(code insufficient_quota: '],
	] as const)('does not send a refused request again: %s %j', async (kind, more, words) => {
		fault(kind, { ...more, times: Infinity });
		const outcome = await say();
		expect(outcome.error!.message).toMatch(/^The platform refused the chat request: /);
		expect(outcome.error!.message).toContain(words);
		expect(outcome.error).toMatchObject({ context: { data: { outcome: 'refused' } } });
		expect(errorTextOf(outcome)).toContain(words);
		expect(outcome.error!.description!.includes(words)).toBe(method === 'stream');
		expect(outcome.run.data.resultData.runData.Model).toMatchObject([
			{ executionStatus: 'error', error: { message: expect.stringContaining(words) } },
		]);
		expect(chats()).toHaveLength(1);
	});

	test.each(['html', 'redirect'] as const)(
		'does not send the request again after the fault %s',
		async (kind) => {
			fault(kind, { location: 'https://a.example' });
			expect((await say()).error!.message).toMatch(/^No usable response to the chat request: /);
			expect(chats()).toHaveLength(1);
		},
	);

	/** Returns a test with a platform of its own. The tests wait, so they run at the same time. */
	const withChats = (run: (chats: ReturnType<typeof chatsOf>) => Promise<void>) =>
		withPlatform(async (one) => await run(chatsOf(one)));

	test.concurrent.each(['server-error-before', 'reset-after'] as const)(
		'sends the request again after the fault %s',
		async (kind) => {
			await withChats(async ({ platform, chats, fault }) => {
				fault(kind);
				expect((await sayTo(platform)).value!.text).toBe(ANSWER);
				expect(chats()).toHaveLength(2);
			})();
		},
	);

	test.concurrent(
		'sends the request no more often than Max Retries allows',
		withChats(async ({ platform, chats, fault }) => {
			fault('server-error-before', { times: Infinity });
			const { error } = await sayTo(platform, { maxRetries: 1 });
			expect(chats()).toHaveLength(2);
			expect(error!.message).toMatch(/^No usable response to the chat request: .* HTTP 500: “/);
			expect(error!.description).toContain('The request publishes nothing, so it is safe to ');
		}),
	);

	test.concurrent(
		'waits as long as a rate limit requires, but no longer than its timeout',
		withChats(async ({ platform, chats, fault }) => {
			fault('rate-limited-429', { retryAfter: 0.3 });
			expect((await sayTo(platform)).value!.text).toBe(ANSWER);
			expect(spanOf(chats())).toBeGreaterThanOrEqual(290);
			fault('rate-limited-429', { retryAfter: 61 });
			const { error } = await sayTo(platform, { timeout: 60 });
			expect(error!.message).toContain('too many requests');
			expect(error!.description).toContain('Retry-After 61');
			expect(chats()).toHaveLength(3);
		}),
	);

	test.concurrent(
		'fails at its timeout',
		withChats(async ({ platform, fault }) => {
			fault('no-answer', { times: Infinity });
			const { error } = await sayTo(platform, { timeout: 0.7 });
			expect(error!.message).toBe(
				'No usable response to the chat request: no response arrived in time (timeout)',
			);
		}),
	);

	test('ends the request when LangChain aborts it', async () => {
		fault('no-answer', { times: Infinity });
		const { error } = await runWithModel(platform, async (model) => {
			await ask(model, 'Hi', { signal: AbortSignal.timeout(300) });
		});
		expect(error).toBeDefined();
		expect(chats()).toHaveLength(1);
	});
});

describe('A stream', () => {
	const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
	const half = event({ choices: [{ index: 0, delta: { content: 'Half' }, finish_reason: null }] });
	const stop = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });

	/** Starts a server that responds to all requests of a model with this function. */
	const serve = async (answer: (response: ServerResponse) => unknown, type = 'event-stream') => {
		server = await loopback((_, response) => {
			response.writeHead(200, { 'content-type': `text/${type}` });
			answer(response);
		});
		Object.assign(platform.credential, { baseUrl: server.url });
	};
	let server: Loopback | undefined;
	afterEach(async () => {
		await server?.stop();
		server = undefined;
	});

	/** Reads a stream of these parts, which is requested only once. */
	const read = async (
		text: string | string[],
		{ isOpen = false, timeout = 30, type = 'event-stream' } = {},
	) => {
		await serve(async (response) => {
			for (const [index, part] of [text].flat().entries()) {
				if (index > 0) await soon();
				response.write(part);
			}
			if (!isOpen) response.end();
		}, type);
		const { error, value } = await runWithModel(
			platform,
			async (model) => await piecesOf(model, 'Hi'),
			{ options: { timeout } },
		);
		expect(server!.received).toHaveLength(1);
		if (isOpen) await until(() => server!.received[0]!.socket.destroyed);
		return { error, text: value?.map((piece) => piece.text).join('') };
	};
	const errorOf = async (...given: Parameters<typeof read>) => (await read(...given)).error!;

	test('fails without a second request when the connection breaks', async () => {
		fault('stream-cut', { times: Infinity });
		const { error } = await runWithModel(
			platform,
			async (model) => await piecesOf(model, 'one two three'),
		);
		expect(error!.message).toBe(
			'No usable response to the chat request: the answer was cut off in the middle',
		);
		expect(error!.description).toContain(error!.message);
		expect(chats()).toHaveLength(1);
	});

	test.each([
		['it ends before the answer is complete', half, {}, 'the answer was cut off in the middle'],
		['it ends in a line', half.slice(0, -9), {}, 'the answer was cut off in the middle'],
		[
			'it ends early and its finish reasons are empty',
			half.replace('null', '""'),
			{},
			'the answer was cut off in the middle',
		],
		[
			'no further part arrives in time',
			half,
			{ isOpen: true, timeout: 1 },
			'no further part arrived in time',
		],
		[
			'the platform responds with JSON',
			JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] }),
			{ type: 'json' },
			'the platform responded with JSON instead of a stream',
		],
	])('fails when %s', async (_, text, options, message) => {
		expect((await errorOf(text, options)).message).toContain(message);
	});

	test.each([
		['a line is too long', () => `:${'a'.repeat(17 * 2 ** 20)}`],
		['it is too long', () => event({ choices: [], padding: 'a'.repeat(1e5) }).repeat(180)],
		['it has too many lines', () => ':\n'.repeat(350_000)],
	])('fails when %s', async (_, textOf) => {
		expect((await errorOf(textOf())).message).toContain('the answer is larger than 16 MB');
	});

	const refused = { message: '余额不足', code: 'x' };
	const envelope = { success: false, code: 2150, message: '余额不足' };

	test.each([
		['an error', half + event({ error: refused }) + stop],
		['a typed error', half + event({ type: 'error', ...refused }) + stop],
		['an error event', `${half}event: error\n${event(refused)}${stop}`],
		['an error event with text', `${half}event: error\ndata: 余额不足\n\n${stop}`],
		['the business envelope', half + event(envelope) + stop],
		[
			'a result',
			half + event({ choices: null, base_resp: { status_code: 8, status_msg: '余额不足' } }) + stop,
		],
		['a refusal that is not in an event', half + JSON.stringify(envelope)],
		['only a refusal that is not in an event', JSON.stringify(envelope)],
	])("fails with the platform's message when it contains %s", async (_, text) => {
		const { message, description } = await errorOf(text);
		expect(message).toMatch(/^The platform refused the chat request: .*“余额不足”/);
		expect(description).toContain(message);
	});

	const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

	test.each([
		['end with a finish reason', half + stop, {}],
		['end with [DONE], and keep its connection open', `${half}data: [DONE]\n\n`, { isOpen: true }],
		['contain an empty error', half + stop + event({ choices: [], usage, error: '' }), {}],
		['have lines that end with CRLF', (half + stop).replaceAll('\n', '\r\n'), {}],
		['begin with a part of a line', [half.slice(0, 2), half.slice(2) + stop], {}],
		['have the content type text/json', half + stop, { type: 'json' }],
		['begin with a comment', `\n: comment\n\n${half}${stop}`, { type: 'plain' }],
		['begin with the name of an event', `event: message\n${half}${stop}`, { type: 'plain' }],
	])('may %s', async (_, text, options) => {
		expect(await read(text, options)).toStrictEqual({ error: undefined, text: 'Half' });
	});

	test.each(['\n\n', '\n', ''])('may end with a part of the text and %j', async (end) => {
		const last = half.replace('"Half"', '"Half\u2028"').replace(':null', ' : "stop"');
		expect(await read(last.trimEnd() + end)).toStrictEqual({
			error: undefined,
			text: 'Half\u2028',
		});
	});

	test('is read quickly when an event has many lines', async () => {
		// The first stream loads LangChain, which takes seconds.
		await read(half + stop);
		await server!.stop();
		const started = process.cpuUsage();
		const lines = `:${'a'.repeat(10_000)}\n`.repeat(800);
		expect((await read(`${lines}\n${half}${stop}`)).text).toBe('Half');
		const { user, system } = process.cpuUsage(started);
		expect((user + system) / 1_000).toBeLessThan(2_500);
	});
});

describe('A chat model with invalid settings', () => {
	const say = async (parameters: object) =>
		await runWithModel(platform, async (model) => await model.invoke('Hi'), { ...parameters });
	afterEach(() => {
		expect(chatsAt(platform)).toStrictEqual([]);
	});

	test('reports every field by its label before sending', async () => {
		const options = { temperature: 3, maxTokens: 0, maxRetries: -1, timeout: 0 };
		const outcome = await say({ model: '={{ $json.none }}', options });
		const timeout = 'Timeout (Seconds)';
		for (const label of ['Model', 'Temperature', 'Max Tokens', 'Max Retries', timeout]) {
			expect(errorTextOf(outcome)).toContain(`'${label}' `);
		}
	});
});

const secret = () => platform.emulator.appSecret;
const store = (fields: object) => Object.assign(platform.credential, fields);

describe.each(modelMethods)('A chat model called with $method', ({ ask }) => {
	const say = async (timeout = 30) =>
		await runWithModel(platform, async (model) => await ask(model, 'Hi'), {
			options: { maxRetries: 0, timeout },
		});

	test.each([
		[TOKEN, 'Authorization', 'Bearer'],
		['', 'X-Api-Key', ''],
	])(
		'sends the App Secret but not the stored token "%s", in the header %s after "%s"',
		async (...given) => {
			const [accessToken, chatAuthHeader, chatAuthPrefix] = given;
			store({ accessToken, chatAuthHeader, chatAuthPrefix });
			platform.emulator.adjust({ chatAuthHeader, chatAuthPrefix });
			const { value } = await say();
			expect(value!.text).toBe('You said: Hi');
			const [request, ...others] = chatsAt(platform);
			const { [chatAuthHeader.toLowerCase()]: sent, ...headers } = request!.headers;
			expect(sent).toBe(`${chatAuthPrefix} ${secret()}`.trim());
			expectNoSecretIn(platform, JSON.stringify([headers, request!.path, request!.rawBody]));
			expect(others).toStrictEqual([]);
			expect(platform.credential.accessToken).toBe(accessToken);
		},
	);

	test('does not send the App Secret to another address', async () => {
		const other = await loopback((_, response) => response.end('{}'));
		for (const status of [302, 307]) {
			platform.emulator.fault({ kind: 'redirect', status, location: `${other.url}/x` });
			expect((await say()).error!.message).toContain(`redirect to ${other.url}/x`);
		}
		expect(other.received).toStrictEqual([]);
		await other.stop();
	});

	test.each([...(['echo-secrets', 'reset-after', 'no-answer', 'stream-cut'] as const)])(
		'stores neither the App Secret nor a token after the fault %s',
		async (kind) => {
			withToken(platform.credential, TOKEN);
			platform.emulator.fault({ kind });
			const { run, error } = await say(kind === 'no-answer' ? 0.5 : undefined);
			expect(error).toBeDefined();
			expectNoSecretIn(platform, JSON.stringify([run, error, error!.stack, error!.message]));
			expectNoSecretIn(platform, inspect(error, { depth: 6 }));
		},
	);
});

test.each(modelMethods)('A chat model called with $method redacts a secret', async ({ ask }) => {
	platform.emulator.scriptChat([{ content: `It is "${secret()}" !` }]);
	const { run, value } = await runWithModel(platform, async (model) => await ask(model, 'Hi'));
	expectNoSecretIn(platform, JSON.stringify([run, value]));
	expect(value!.text).toBe('It is "[redacted]" !');
});

test('The supplied model contains neither secret nor token in its JSON', async () => {
	withToken(platform.credential, TOKEN);
	const { value } = await runWithModel(platform, async (model) => {
		const tool = { name: 'look', description: 'Looks', schema: { type: 'object' } };
		await model.invoke('Hi');
		return [model, model.bindTools([tool])].map((one) => [JSON.stringify(one), one.toJSON()]);
	});
	expect(value).toHaveLength(2);
	expectNoSecretIn(platform, JSON.stringify(value));
});
