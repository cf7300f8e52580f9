import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { loopback, type Loopback } from '../../loopback';
import { deepJson, expectNoSecret, SECRET, TOKEN, words } from '../../unit/hostileValues';
import { startPlatform, type Platform } from '../harness/platform';
import { piecesOf, runWithModel } from '../harness/modelTask';

let platform: Platform;
let server: Loopback;
let stream: () => AsyncGenerator<string | Uint8Array>;

beforeAll(async () => {
	platform = await startPlatform();
	server = await loopback((_, response) => {
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		void write(response);
	});
	const own = { baseUrl: server.url, appSecret: SECRET, accessToken: TOKEN };
	Object.assign(platform.credential, own);
});
afterAll(async () => {
	await server.stop();
	await platform.stop();
});

async function write(response: ServerResponse): Promise<void> {
	for await (const piece of stream()) {
		if (response.destroyed) return;
		response.write(piece);
		await nextTurn();
	}
	response.end();
}

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (delta: object, finish_reason: unknown = null) =>
	event({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }] });
const stop = chunk({}, 'stop');
/** Much longer than any stream here takes on a busy machine. */
const HANGS_AFTER_MS = 60_000;

/** Reads a stream with a model, and checks that this ends in time and exposes no secret. */
async function read(
	make: () => AsyncGenerator<string | Uint8Array>,
	timeout = 30,
): Promise<string> {
	stream = make;
	const started = performance.now();
	const options = { maxRetries: 0, timeout, rateLimitWait: 0 };
	const ask = async () =>
		await runWithModel(platform, async (model) => await piecesOf(model, 'Hi'), { options });
	const { value, error, run } = await ask();
	expect(performance.now() - started).toBeLessThan(HANGS_AFTER_MS);
	expectNoSecret([value, error?.message, error?.description, error?.context]);
	expectNoSecret(run.data.resultData);
	return error ? `error: ${error.message}` : (value ?? []).map(({ text }) => text).join('');
}

const of = (...pieces: Array<string | Uint8Array>) =>
	async function* () {
		yield* pieces;
	};

test('A stream that sends only comments fails at the timeout', async () => {
	const result = await read(async function* () {
		for (let count = 0; count < 200; count++) {
			yield ': keep-alive\n\n';
			await sleep(25);
		}
	}, 0.5);
	expect(result).toMatch(/^error: .*in time/);
});

test('A stream with an endless line fails', async () => {
	const result = await read(async function* () {
		yield 'data: {"choices":[{"delta":{"content":"';
		for (let piece = 0; piece < 200; piece++) yield 'a'.repeat(5_000);
	});
	expect(result).toMatch(/^error: /);
});

test('A stream may contain very many pieces', async () => {
	const pieces = Array.from({ length: 2_000 }, () => chunk({ content: 'a' })).join('');
	expect(await read(of(pieces, stop))).toBe('a'.repeat(2_000));
});

test('A secret is redacted when it is streamed letter by letter', async () => {
	const letters = [...`It is ${SECRET}, and ${TOKEN}.`].map((content) => chunk({ content }));
	expect(await read(of(...letters, stop))).toBe('It is [redacted], and [redacted].');
});

test('A secret is redacted when it is streamed letter by letter in tool arguments', async () => {
	const piece = (text: string) =>
		chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: text } }] });
	const letters = [...`{"key":"${SECRET}"}`].map(piece);
	expect(await read(of(...letters, chunk({}, 'tool_calls')))).not.toMatch(/^error/);
});

test.each(
	Object.entries({
		'bytes that are not UTF-8': [Buffer.from([0xff, 0xc0, 0x80, 0x0a, 0x0a]), stop],
		'only line breaks': ['\n\r\n\r'.repeat(20_000)],
		'a byte order mark': ['\ufeff', chunk({ content: 'a' }), stop],
		'NUL bytes': ['\u0000'.repeat(1_000), '\n', stop],
		'unknown fields': ['x: 1\n__proto__: 2\nconstructor: 3\n\n', stop],
		'deeply nested JSON': [`data: ${deepJson(50_000)}\n\n`, stop],
		'deeply nested JSON in a field': [`data: {"choices":${deepJson(50_000)}}\n\n`, stop],
		'events after its end': [stop, 'data: [DONE]\n\n', chunk({ content: SECRET }), 'data: {\n\n'],
		'an empty list': ['data: []\n\n'],
		'an error with the property __proto__': [
			event({ error: { __proto__: null, message: SECRET } }),
		],
		'tool calls with invalid indexes': [
			...[1e9, -1, 0.5, 2 ** 53].map((index) => chunk({ tool_calls: [{ index, id: `${index}` }] })),
			chunk({}, 'tool_calls'),
		],
		'empty tool calls': [chunk({ tool_calls: [null, {}, [], 'a', { function: {} }] }), stop],
		'names that objects inherit': [
			...['__proto__', 'constructor', 'toString'].flatMap((name) => [
				`data: {"${name}":{"polluted":1},"choices":[{"delta":{"${name}":{"polluted":1}}}]}\n\n`,
				chunk({ content: 'a', tool_calls: [{ id: name, function: { name, arguments: '{}' } }] }),
			]),
			stop,
		],
	}),
)('A stream with %s ends', async (_, pieces) => {
	await read(of(...pieces));
});

test('A stream may contain any value in any field', async () => {
	for (const word of words) {
		const call = { index: 0, id: word, type: word, function: { name: word, arguments: word } };
		const delta = { role: word, content: word, refusal: word, tool_calls: [call] };
		await read(of(chunk(delta, word), event({ [word]: word, usage: { [word]: word } }), stop));
	}
});
