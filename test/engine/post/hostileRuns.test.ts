import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { ServerResponse } from 'node:http';
import { loopback, type Loopback } from '../../loopback';
import { deepJson, expectNoSecret, SECRET, TOKEN, words } from '../../unit/hostileValues';
import { chat, complete, respond } from '../harness/chats';
import { startPlatform, type Platform } from '../harness/platform';
import { withToken } from '../../storedToken';

/** The longest allowed duration of a run, in milliseconds. Requests have shorter timeouts. */
const HANGS_AFTER_MS = 30_000;

let platform: Platform;
let server: Loopback;
let other: Loopback;
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
	platform = await startPlatform({ appSecret: SECRET });
	server = await loopback((request, response) =>
		request.resume().on('end', () => answer(response)),
	);
	other = await loopback((_, response) => response.end('{}'));
});
afterAll(async () => {
	await Promise.all([server.stop(), other.stop(), platform.stop()]);
});

/** Runs the node once, and checks that the run ends, outputs an item and reveals no secret. */
async function run(parameters: IDataObject, item: IDataObject = {}): Promise<void> {
	const started = performance.now();
	const onError = 'continueErrorOutput' as const;
	const { error, outputs } = await platform.run(parameters, { onError, items: [item] });
	expect(performance.now() - started).toBeLessThan(HANGS_AFTER_MS);
	expect(error).toBeUndefined();
	expect(outputs.flat()).toHaveLength(1);
	expect(Object.prototype.toString.call(outputs.flat()[0]!.json)).toBe('[object Object]');
	expectNoSecret(outputs);
}

const operations: Record<string, IDataObject> = {
	create: {},
	validate: { operation: 'validate' },
	complete: chat(complete),
	respond: chat(respond),
};
const shortTimeouts = { timeout: 0.5, rateLimitWait: 0 };

describe.each(Object.keys(operations))('%s with random parameters', (operation) => {
	const names = [
		...['socialAccountId', 'contentType', 'text', 'mediaUrls', 'publishAt'],
		...['postOptions', 'model', 'messages', 'messagesJson', 'specifyMessages'],
		...['input', 'instructions', 'outputFormat', 'jsonSchema'],
	];
	// Texts that begin with "=" are left out, because n8n would evaluate them.
	const plain = words.filter((word) => !word.startsWith('='));
	const value = fc.oneof(fc.constantFrom<unknown>(...plain), fc.jsonValue({ maxDepth: 2 }));
	const options = fc.constantFrom('temperature', 'maxTokens', 'additionalBodyFields', 'oncePerKey');

	test('sends at most one request', async () => {
		platform.store.stored.get('1')!.baseUrl = platform.emulator.url;
		await fc.assert(
			fc.asyncProperty(
				fc.dictionary(fc.constantFrom(...names), value),
				fc.dictionary(options, value),
				async (own, more) => {
					const before = platform.emulator.received.length;
					const given = Object.keys(own).map((name) => [name, `={{ $json.${name} }}`]);
					const parameters = { ...operations[operation], ...Object.fromEntries(given) };
					await run({ ...parameters, options: { ...more, ...shortTimeouts } }, own as IDataObject);
					const sent = platform.emulator.received
						.slice(before)
						.filter((request) => request.operation !== 'getAccessToken');
					expect(sent.length).toBeLessThanOrEqual(operation === 'validate' ? 0 : 1);
				},
			),
			{ numRuns: 15 },
		);
	});
});

/** Malformed responses, and headers with extreme values. */
const malformedResponses: Record<string, (response: ServerResponse) => void> = {
	'is not valid gzip': (response) =>
		response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
	'decompresses to 16 MB': (response) =>
		response
			.writeHead(200, { 'content-encoding': 'gzip' })
			.end(gzipSync(Buffer.alloc(2 ** 24, ' '))),
	'is shorter than announced': (response) => {
		response.writeHead(200, { 'content-length': '1000' }).write('{"success":true');
		response.socket?.end();
	},
	'arrives one space at a time': (response) => {
		const drops = setInterval(() => response.write(' '), 50);
		response.on('close', () => clearInterval(drops));
	},
	'asks for an endless wait': (response) =>
		response.writeHead(429, { 'retry-after': '9'.repeat(300) }).end('{}'),
	'redirects to another server': (response) =>
		response.writeHead(307, { location: `${other.url}/?${SECRET}&${TOKEN}` }).end(),
	'has an unknown status': (response) => response.writeHead(799).end(SECRET),
	'is not HTTP': (response) => response.socket?.end(`HTTP/1.1 ${TOKEN}\r\n\r\n${SECRET}`),
	'has very long headers': (response) =>
		response.socket?.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(200_000)}\r\n\r\n`),
	'is deeply nested': (response) => response.end(deepJson(100_000)),
};

describe.each(['create', 'complete', 'respond'])('%s with malformed responses', (operation) => {
	test.each(Object.keys(malformedResponses))('ends when the response %s', async (name) => {
		withToken(platform.store.stored.get('1')!, TOKEN, { baseUrl: server.url });
		answer = malformedResponses[name]!;
		await run({ ...operations[operation], options: shortTimeouts });
		expect(other.received).toHaveLength(0);
	});
});
