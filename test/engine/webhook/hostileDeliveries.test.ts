import { request as send } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { RECIPES, type RecipeName } from '../../emulator/webhook/recipe';
import { signedHeaders } from '../../emulator/webhook/sign';
import { expectNoSecret, SECRET, words } from '../../unit/hostileValues';
import { startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

let platform: TriggerPlatform;
beforeEach(async () => {
	const options = { includeHeaders: true, duplicateWindow: 0 };
	platform = await startTrigger({ options }, { appSecret: SECRET });
});
afterEach(async () => await platform.stop());

const RESPONSE_TIMEOUT_MS = 60_000;

type Headers = Record<string, string | string[]>;

/** Sends a delivery and returns the status of the response, or undefined if n8n closes the connection. */
async function deliver(body: Uint8Array | string, headers: Headers): Promise<number | undefined> {
	return await new Promise((resolve, reject) => {
		const onTimeout = () => reject(new Error('No response'));
		const options = { method: 'POST', headers, timeout: RESPONSE_TIMEOUT_MS, agent: false };
		const sent = send(platform.host.url, options, (response) => {
			let text = '';
			response.on('data', (piece: Buffer) => (text += piece.toString('utf8')));
			response.on('end', () => {
				expectNoSecret(text);
				resolve(response.statusCode);
			});
		});
		sent.on('timeout', onTimeout).on('error', () => resolve(undefined));
		sent.end(body);
	});
}

/** Removes the characters that a header cannot contain. */
const headerText = (text: string) => text.replace(/[^\x20-\x7e\x80-\xff]/g, '').slice(0, 2_000);

const types = [
	...['application/json', 'text/plain', 'application/xml', 'multipart/form-data; boundary=x'],
	...[
		'application/x-www-form-urlencoded',
		'application/octet-stream',
		'x',
		'',
		'a/b; charset=utf-7',
	],
];

test('The trigger refuses any delivery without a signature', async () => {
	const name = fc.constantFrom(
		...['X-Webhook-Signature', 'X-Webhook-Timestamp', 'X-Webhook-Id', 'X-Forwarded-For', 'Cookie'],
	);
	const value = fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary' })).map(headerText);
	const body = fc.oneof(fc.constantFrom(...words), fc.uint8Array({ maxLength: 300 }));
	await fc.assert(
		fc.asyncProperty(
			fc.dictionary(name, value),
			fc.constantFrom(...types),
			fc.constantFrom('', 'gzip', 'deflate', 'br', 'identity'),
			body,
			async (headers, type, encoding, own) => {
				const more = { ...(type && { 'Content-Type': type }) };
				const compressed = { ...(encoding && { 'Content-Encoding': encoding }) };
				const status = await deliver(own, { ...headers, ...more, ...compressed });
				// n8n itself responds with 422 to invalid JSON, and with 500 to invalid compression.
				expect([401, 422, ...(encoding ? [500] : [])]).toContain(status);
				expect(platform.host.executions).toEqual([]);
			},
		),
		{ numRuns: 40 },
	);
	expectNoSecret(platform.warnings());
});

test('The trigger refuses a small body that decompresses to 64 MB', async () => {
	const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, ' '));
	const headers = { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' };
	expect([401, 500, undefined]).toContain(await deliver(bomb, headers));
	expect(platform.host.executions).toEqual([]);
});

test.each(['body', 'sortedFields'] satisfies RecipeName[])(
	'The trigger accepts or refuses any payload signed with %s, and redacts the secrets',
	async (preset) => {
		Object.assign(platform.credential, { signatureRecipe: preset });
		const field = fc.constantFrom('id', 'data', 'status', 'events', 'message', 'a', '__proto__');
		const value = fc.oneof(fc.constantFrom(...words, SECRET), fc.jsonValue({ maxDepth: 1 }));
		let accepted = 0;
		await fc.assert(
			fc.asyncProperty(fc.dictionary(field, value), async (payload) => {
				const body = JSON.stringify({ ...payload, note: `it is ${SECRET}` });
				if (!body.isWellFormed()) return;
				let headers: Headers;
				try {
					const input = { body, secret: SECRET, timestamp: '', id: '', nonce: '' };
					headers = signedHeaders(RECIPES[preset], input);
				} catch {
					// Sorted Fields cannot sign every payload.
					return;
				}
				const status = await deliver(body, { ...headers, 'Content-Type': 'application/json' });
				expect([200, 401]).toContain(status);
				if (status === 200) accepted++;
			}),
			{ numRuns: 40 },
		);
		expect(accepted).toBeGreaterThan(10);
		expect(platform.host.executions.length).toBeGreaterThan(10);
		expectNoSecret(platform.items());
	},
);
