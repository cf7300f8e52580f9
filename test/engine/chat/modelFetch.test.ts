import type { FaultSpec } from '../../emulator';
import { loopback } from '../../loopback';
import { chatsAt } from '../harness/chats';
import { spanOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { errorTextOf, modelMethods, piecesOf, runWithModel } from '../harness/modelTask';
import { until } from '../harness/storage';

const platform = usePlatform();
const chats = () => chatsAt(platform);
const fault = (kind: FaultSpec['kind'], more: Partial<FaultSpec> = {}) =>
	platform.emulator.fault({ kind, ...more });
const ANSWER = 'You said: one two three';
const tool = { name: 'look', description: 'Looks', schema: { type: 'object', properties: {} } };

describe.each(modelMethods)('A chat model called with $method', ({ method, ask }) => {
	const say = async (options: object = {}) =>
		await runWithModel(platform, async (model) => await ask(model, 'one two three'), { options });

	test.each([
		['unauthorized-401', {}, '(code invalid_api_key: “Incorrect API key provided.”)'],
		['refused', { status: 400, code: 'x', message: 'no' }, '(code x: “no”)'],
		['refused', { code: 2150, message: '参数错误' }, '(code 2150: “参数错误”)'],
		['token-rejected-200', {}, '(code 10104: “access_token 无效或已过期”)'],
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

	test('reports a refusal when it has tools', async () => {
		fault('refused', { message: '参数错误' });
		const { error } = await runWithModel(platform, async (model) => {
			await ask(model.bindTools([tool]), 'Hi');
		});
		expect(error!.message).toContain('“参数错误”');
	});

	test('reports a used-up quota at once', async () => {
		fault('rate-limited-429', { code: 'insufficient_quota', times: Infinity });
		const { error } = await say();
		expect(error!.message).toContain('the quota is used up (code insufficient_quota');
		expect(error!.description).toContain('billing');
		expect(chats()).toHaveLength(1);
	});

	test.each(['html', 'redirect', 'success-true-code-500'] as const)(
		'does not send the request again after the fault %s',
		async (kind) => {
			fault(kind, { location: 'https://a.example' });
			expect((await say()).error!.message).toMatch(/^No usable response to the chat request: /);
			expect(chats()).toHaveLength(1);
		},
	);

	test.each(['server-error-before', 'reset-after'] as const)(
		'sends the request again after the fault %s',
		async (kind) => {
			fault(kind);
			expect((await say()).value!.text).toBe(ANSWER);
			expect(chats()).toHaveLength(2);
		},
	);

	test('sends the request no more often than Max Retries allows', async () => {
		fault('server-error-before', { times: Infinity });
		const { error } = await say({ maxRetries: 1 });
		expect(chats()).toHaveLength(2);
		expect(error!.message).toMatch(/^No usable response to the chat request: .* HTTP 500: “/);
		expect(error!.description).toContain('The request publishes nothing, so it is safe to ');
	});

	test('waits as long as a rate limit requires, but no longer than its timeout', async () => {
		fault('rate-limited-429', { retryAfter: 0.3 });
		expect((await say()).value!.text).toBe(ANSWER);
		expect(spanOf(chats())).toBeGreaterThanOrEqual(290);
		fault('rate-limited-429', { retryAfter: 61 });
		const { error } = await say({ timeout: 60 });
		expect(error!.message).toContain('too many requests');
		expect(error!.description).toContain('Retry-After 61');
		expect(chats()).toHaveLength(3);
	});

	test('fails at its timeout', async () => {
		fault('no-answer', { times: Infinity });
		const { error } = await say({ timeout: 0.7 });
		expect(error!.message).toBe(
			'No usable response to the chat request: no response arrived in time (timeout)',
		);
	});

	test('ends the request when LangChain aborts it', async () => {
		fault('no-answer', { times: Infinity });
		const { error } = await runWithModel(platform, async (model) => {
			await ask(model, 'Hi', { signal: AbortSignal.timeout(300) });
		});
		expect(error).toBeDefined();
		expect(chats()).toHaveLength(1);
	});

	test('reports that nothing was sent', async () => {
		const server = await loopback(() => {});
		await server.stop();
		Object.assign(platform.credential, { baseUrl: server.url });
		const { error } = await say({ maxRetries: 0 });
		expect(error!.message).toMatch(/^Nothing was sent for the chat request: the connection was r/);
		expect(error).toMatchObject({ context: { data: { outcome: 'not_sent' } } });
	});
});

describe('A stream', () => {
	const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
	const half = event({ choices: [{ index: 0, delta: { content: 'Half' }, finish_reason: null }] });
	const stop = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });

	/** Reads a stream of these bytes, which is requested only once. */
	const read = async (
		text: string,
		{ isOpen = false, timeout = 30, type = 'event-stream', firstPart = 0 } = {},
	) => {
		let requests = 0;
		const server = await loopback((_, response) => {
			requests++;
			response.writeHead(200, { 'content-type': `text/${type}` });
			if (isOpen) response.write(text);
			else {
				if (firstPart > 0) response.write(text.slice(0, firstPart));
				setTimeout(() => response.end(text.slice(firstPart)), firstPart * 50);
			}
		});
		Object.assign(platform.credential, { baseUrl: server.url });
		const result = await runWithModel(platform, async (model) => await piecesOf(model, 'Hi'), {
			options: { timeout },
		});
		await server.stop();
		expect(requests).toBe(1);
		return result;
	};
	const textOf = ({ value }: Awaited<ReturnType<typeof read>>) =>
		value?.map((piece) => piece.text).join('');

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

	test('fails when it ends before the answer is complete', async () => {
		expect((await read(half)).error!.message).toContain('the answer was cut off in the middle');
	});

	test('fails when it ends early and its finish reasons are empty', async () => {
		const { error } = await read(half.replace('null', '""'));
		expect(error?.message).toContain('the answer was cut off in the middle');
	});

	test('may contain empty errors', async () => {
		const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
		const last = event({ choices: [], usage, error: '' });
		expect(textOf(await read(`${half}${stop}${last}data: [DONE]\n\n`))).toBe('Half');
	});

	test('fails when no further part arrives in time', async () => {
		const { error } = await read(half, { isOpen: true, timeout: 1 });
		expect(error!.message).toContain('no further part arrived in time');
	});

	const refused = { message: '余额不足', code: 'x' };

	test.each([
		['an error', event({ error: refused })],
		['a typed error', event({ type: 'error', ...refused })],
		['an error event', `event: error\n${event(refused)}`],
		['an error event with text', 'event: error\ndata: 余额不足\n\n'],
		['the business envelope', event({ success: false, code: 2150, message: '余额不足' })],
		['a result', event({ choices: null, base_resp: { status_code: 8, status_msg: '余额不足' } })],
	])("fails with the platform's message when it contains %s", async (_, refusal) => {
		const { error } = await read(half + refusal + stop);
		expect(error!.message).toMatch(/^The platform refused the chat request: .*“余额不足”/);
		expect(error!.description).toContain(error!.message);
	});

	test.each(['', half])(
		'fails with the message of a refusal that is not in an event',
		async (start) => {
			const { error } = await read(start + '{"success":false,"code":2150,"message":"余额不足"}');
			expect(error!.message).toMatch(/^The platform refused the chat request: .*“余额不足”/);
		},
	);

	test('may end with a finish reason or with [DONE], and keep its connection open', async () => {
		const done = await read(`${half}data: [DONE]\n\n`, { isOpen: true });
		expect(done.error).toBeUndefined();
		expect(textOf(done)).toBe('Half');
		expect(textOf(await read(half + stop))).toBe('Half');
	});

	test('may end with a part of the text, and with spaces in its JSON', async () => {
		const last = half.replace('"Half"', '"Half\u2028"').replace(':null', ' : "stop"');
		expect(textOf(await read(last))).toBe('Half\u2028');
	});

	test('is read quickly when an event has many lines', async () => {
		const started = process.cpuUsage();
		expect(textOf(await read(`${':\n'.repeat(50_000)}\n${half}${stop}`))).toBe('Half');
		const { user, system } = process.cpuUsage(started);
		expect((user + system) / 1_000).toBeLessThan(2_000);
	});

	test.each(['json', 'plain'])('may have the content type text/%s', async (type) => {
		for (const start of ['', '\n: comment\n\n', 'event: message\n']) {
			expect(textOf(await read(start + half + stop, { type }))).toBe('Half');
		}
	});

	test('may begin with a part of a line', async () => {
		expect(textOf(await read(half + stop, { firstPart: 2 }))).toBe('Half');
	});

	test('is an error when the agent does not stream', async () => {
		const server = await loopback((_, response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' }).end(half + stop);
		});
		Object.assign(platform.credential, { baseUrl: server.url });
		const { error } = await runWithModel(platform, async (model) => await model.invoke('Hi'), {
			options: { maxRetries: 0 },
		});
		expect(error!.message).toContain('the platform responded with text that is not JSON');
		await server.stop();
	});

	test('closes its connection when LangChain aborts it', async () => {
		let isClosed = false;
		const server = await loopback((_, response) => {
			response.on('close', () => (isClosed = true));
			response.writeHead(200, { 'content-type': 'text/event-stream' }).write(half);
		});
		Object.assign(platform.credential, { baseUrl: server.url });
		await runWithModel(platform, async (model) => {
			await piecesOf(model, 'Hi', { signal: AbortSignal.timeout(300) });
		});
		await until(() => isClosed);
		await server.stop();
	});

	test('is an error when the platform responds with JSON', async () => {
		const choices = [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }];
		const { error } = await read(JSON.stringify({ choices }), { type: 'json' });
		expect(error!.message).toContain('the platform responded with JSON instead of a stream');
	});

	test.each([
		['length of a line', 'a'],
		['number of lines', event({ choices: [], padding: 'a'.repeat(1e5) })],
	])('is limited in its %s', async (_, piece) => {
		const count = Math.ceil((33 * 2 ** 20) / piece.length);
		const { error } = await read(`:${piece.repeat(count)}`);
		expect(error!.message).toContain('the answer is larger than 32 MB');
	});
});
