import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { ServerResponse } from 'node:http';
import { loopback, type Loopback } from '../../loopback';
import { deepJson, expectNoSecret, SECRET, TOKEN, values, words } from '../../unit/hostileValues';
import { damagedJson } from '../../unit/platform/damagedJson';
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

/** Changes the stored credential. */
const store = (fields: object) => Object.assign(platform.store.stored.get('1')!, fields);

const kindOf = (value: unknown) => Object.prototype.toString.call(value).slice(8, -1);

/** Runs the node once, and checks that the run ends, outputs an item and reveals no secret. */
async function run(parameters: IDataObject, item: IDataObject = {}): Promise<void> {
	const started = performance.now();
	const { error, outputs } = await platform.run(parameters, {
		onError: 'continueErrorOutput',
		items: [item],
	});
	expect(performance.now() - started).toBeLessThan(HANGS_AFTER_MS);
	expect(error).toBeUndefined();
	expect(outputs.flat()).toHaveLength(1);
	expect(kindOf(outputs.flat()[0]!.json)).toBe('Object');
	expectNoSecret(outputs);
}

const operations: Record<string, IDataObject> = {
	create: { resource: 'post', operation: 'create' },
	validate: { resource: 'post', operation: 'validate' },
	complete: {
		...{ resource: 'chat', operation: 'complete', model: 'm' },
		messages: { message: [{ role: 'user', content: 'a' }] },
	},
	respond: { resource: 'chat', operation: 'respond', model: 'm', input: 'a' },
};
const sending = Object.keys(operations).filter((name) => name !== 'validate');
const shortTimeouts = { timeout: 0.5, rateLimitWait: 0 };

describe.each(Object.keys(operations))('%s with random parameters', (operation) => {
	const names = [
		...['socialAccountId', 'contentType', 'text', 'mediaUrls', 'publishAt'],
		...['postOptions', 'model', 'messages', 'messagesJson', 'specifyMessages'],
		...['input', 'inputJson', 'specifyInput', 'instructions', 'outputFormat', 'jsonSchema'],
	];
	const json = values.filter((value) => {
		try {
			return JSON.stringify(value) !== undefined;
		} catch {
			return false;
		}
	});
	// Texts that begin with "=" are left out, because n8n would evaluate them.
	const plain = words.filter((word) => !word.startsWith('='));
	const value = fc.oneof(
		fc.constantFrom<unknown>(...plain, ...json),
		fc.jsonValue({ maxDepth: 2 }),
	);

	test('sends at most one request', async () => {
		store({ baseUrl: platform.emulator.url });
		await fc.assert(
			fc.asyncProperty(
				fc.dictionary(fc.constantFrom(...names), value),
				fc.dictionary(
					fc.constantFrom('temperature', 'maxTokens', 'additionalBodyFields', 'oncePerKey'),
					value,
				),
				async (own, options) => {
					const before = platform.emulator.received.length;
					const given = Object.keys(own).map((name) => [name, `={{ $json.${name} }}`]);
					const parameters = { ...operations[operation], ...Object.fromEntries(given) };
					const more = { ...options, ...shortTimeouts } as IDataObject;
					await run({ ...parameters, options: more }, own as IDataObject);
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
	'asks to wait until a date in the past': (response) =>
		response.writeHead(429, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }).end('{}'),
	'has an invalid Retry-After': (response) =>
		response.writeHead(429, { 'retry-after': '-1e999, NaN' }).end('{}'),
	'redirects to another server': (response) =>
		response.writeHead(307, { location: `${other.url}/?${SECRET}&${TOKEN}` }).end(),
	'redirects to a file': (response) =>
		response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
	'redirects to the same server': (response) =>
		response.writeHead(308, { location: server.url }).end(),
	'has an unknown status': (response) => response.writeHead(799).end(SECRET),
	'is not HTTP': (response) => response.socket?.end(`HTTP/1.1 ${TOKEN}\r\n\r\n${SECRET}`),
	'has very long headers': (response) =>
		response.socket?.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(200_000)}\r\n\r\n`),
	'is not UTF-8': (response) =>
		response.end(Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80])),
	'is deeply nested': (response) => response.end(deepJson(100_000)),
	'is deeply nested in its data': (response) =>
		response.end(`{"success":true,"code":200,"data":{"a":${deepJson(50_000)}}}`),
};

describe.each(sending)('%s with random responses', (operation) => {
	const parameters = { ...operations[operation], options: shortTimeouts };
	beforeEach(() => {
		withToken(platform.store.stored.get('1')!, TOKEN, { baseUrl: server.url });
	});

	test.each(Object.keys(malformedResponses))('ends when the response %s', async (name) => {
		answer = malformedResponses[name]!;
		await run(parameters);
		expect(other.received).toHaveLength(0);
	});

	test('ends when the response is almost valid', async () => {
		const validResponses = [
			{ success: true, code: 200, message: SECRET, data: { action_sn: TOKEN, a: [SECRET] } },
			{ success: false, code: 10104, message: TOKEN, requestId: SECRET, data: null },
			{ error: { message: SECRET, type: TOKEN, code: 'c' } },
			{ choices: [{ finish_reason: 'stop', message: { content: SECRET, refusal: TOKEN } }] },
			{
				output: [{ type: 'message', content: [{ type: 'output_text', text: SECRET }] }],
				id: TOKEN,
			},
		];
		await fc.assert(
			fc.asyncProperty(
				damagedJson(validResponses),
				fc.constantFrom(200, 401, 500),
				async (json, status) => {
					// An earlier response may have caused another token request.
					withToken(platform.store.stored.get('1')!, TOKEN);
					answer = (response) => response.writeHead(status).end(JSON.stringify(json));
					await run(parameters);
				},
			),
			{ numRuns: 15 },
		);
	});

	test('ends when the response contains no usable token', async () => {
		store({ accessToken: '' });
		for (const word of words) {
			answer = (response) => {
				const data = { access_token: word, [word]: { access_token: [word] } };
				response.end(JSON.stringify({ success: true, code: 200, message: SECRET, data }));
			};
			await run(parameters);
			store({ accessToken: '' });
		}
	});
});
