import type { ServerResponse } from 'node:http';
import { createGzip, gzipSync } from 'node:zlib';
import { loopback, type Loopback } from '../../loopback';
import { chat, complete } from '../harness/chats';
import { postFields, usePlatform } from '../harness/platform';
import { until } from '../harness/storage';
import { modelMethods, runWithModel } from '../harness/modelTask';
import { withToken } from '../../storedToken';

const MB = 2 ** 20;
/** It is more than the size limit of a response. */
const TOO_MANY_MB = 20;
/** An idle machine needs a tenth of this CPU time, or up to 67 s without size limits. */
const MAX_MS = 10_000;

const platform = usePlatform();
let server: Loopback;
let answer: (response: ServerResponse) => void;
beforeEach(async () => {
	server = await loopback((_, response) => answer(response));
	withToken(platform.credential, 'a-token-0123456789', { baseUrl: server.url });
});
afterEach(async () => await server.stop());

/** A response must be aborted within this time. The timeout of a request is much longer. */
const SOON_MS = 60_000;

const open = { connections: 0 };

/** Responds with many compressed megabytes of one letter, and does not end the response. */
const bomb =
	(megabytes: number, type: string, { start = '', end = '', status = 200 } = {}) =>
	(response: ServerResponse) => {
		open.connections++;
		response.on('close', () => open.connections--);
		response.writeHead(status, { 'content-type': type, 'content-encoding': 'gzip' });
		const zipped = createGzip();
		zipped.pipe(response);
		zipped.write(start);
		for (let n = 0; n < megabytes; n++) zipped.write('a'.repeat(MB));
		zipped.end(end);
	};

const noRetries = { options: { maxRetries: 0 } };
const TOO_LARGE =
	'No usable response to the chat request: the platform responded with more than 16 MB';
const POST_TOO_LARGE =
	'It is not known whether the platform accepted the post: the platform responded with more than 4 MB';
const JSON_TYPE = 'application/json';
const start = '{"choices":[{"message":{"content":"';
const end = '"},"finish_reason":"stop"}]}';

describe('A response that is too large', () => {
	test('fails Create Completion at 16 MB', async () => {
		answer = bomb(TOO_MANY_MB, JSON_TYPE, { start, end });
		const { error } = await platform.run(chat(complete));
		expect(error).toMatchObject({ message: TOO_LARGE, context: { data: { outcome: 'unknown' } } });
		await until(() => open.connections === 0);
	});

	const model =
		({ ask }: (typeof modelMethods)[number]) =>
		async () =>
			await runWithModel(platform, async (chatModel) => await ask(chatModel, 'Hi'), noRetries);

	test.each<[string, number, string, () => Promise<{ error?: Error | { message: string } }>]>([
		['Create', 200, POST_TOO_LARGE, async () => await platform.run(postFields)],
		['Create', 404, POST_TOO_LARGE, async () => await platform.run(postFields)],
		['Create Completion', 200, TOO_LARGE, async () => await platform.run(chat(complete))],
		['a chat model that does not stream', 200, TOO_LARGE, model(modelMethods[0]!)],
		['a chat model that streams', 200, TOO_LARGE, model(modelMethods[1]!)],
	])('is aborted by %s when it has no end: HTTP %i', async (_, status, message, run) => {
		answer = (response) => {
			open.connections++;
			response.on('close', () => open.connections--);
			response.writeHead(status, { 'content-type': JSON_TYPE });
			response.write(' '.repeat(16 * MB + 1));
		};
		const from = Date.now();
		expect((await run()).error!.message).toContain(message);
		await until(() => open.connections === 0);
		expect(Date.now() - from).toBeLessThan(SOON_MS);
	});

	test('is not reported for a response of 15 MB', async () => {
		answer = bomb(15, JSON_TYPE, { start, end });
		const { error, outputs } = await platform.run(chat(complete));
		expect(error).toBeUndefined();
		expect((outputs[0]![0]!.json.text as string).length).toBe(15 * MB);
	});
});

describe('A response with very many values', () => {
	const zipped = (body: string, type = 'application/json') => {
		const bytes = gzipSync(body);
		answer = (response) =>
			void response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(bytes);
	};
	const MANY = 2 ** 18;
	const ones = `${'1,'.repeat(MANY)}1`;

	/** Returns the CPU time of the whole execution in n8n's engine, in milliseconds. */
	const costOf = async (run: () => ReturnType<typeof platform.run>) => {
		const from = process.cpuUsage();
		const { error } = await run();
		return { ms: process.cpuUsage(from).user / 1000, error };
	};

	test.each([
		['choices', `{"choices":[${ones}]}`],
		['content parts', `{"choices":[{"message":{"content":[${ones}]}}]}`],
		['nested lists', `{"choices":${'['.repeat(MANY)}${']'.repeat(MANY)}}`],
	])('fails Create Completion quickly for %s', async (_, body) => {
		zipped(body);
		const { ms, error } = await costOf(async () => await platform.run(chat(complete)));
		expect(error!.message).toContain('JSON that has more than 50,000 values or 64 levels');
		expect(ms).toBeLessThan(MAX_MS);
	});

	test('quickly leaves the outcome of a post unknown', async () => {
		const names = Array.from({ length: MANY }, (_, n) => `"${n.toString(36)}":1`).join(',');
		zipped(`{"success":true,"code":200,"data":{${names}}}`);
		const { ms, error } = await costOf(async () => await platform.run());
		expect(error).toMatchObject({ context: { data: { outcome: 'unknown' } } });
		expect(ms).toBeLessThan(MAX_MS);
	});
});

describe('A long text in a response', () => {
	test.each([
		['finish reason', { message: { content: 'a' }, finish_reason: 'x'.repeat(MB) }],
		['refusal', { message: { refusal: 'x'.repeat(MB) }, finish_reason: 'stop' }],
	])('is shortened in the error message: %s', async (_, choice) => {
		answer = (response) => void response.end(JSON.stringify({ choices: [choice] }));
		const { error } = await platform.run(chat(complete));
		expect(error!.message.length).toBeLessThan(1_000);
	});
});
