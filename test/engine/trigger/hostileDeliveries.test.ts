import { request as send } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { RECIPES, type RecipeName } from '../../emulator/webhook/recipe';
import { signedHeaders } from '../../emulator/webhook/sign';
import { expectNoSecret, SECRET, words } from '../../unit/hostileMatter';
import { startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

let platform: TriggerPlatform;
beforeEach(async () => {
	const options = { includeHeaders: true, includeRawPayload: true, duplicateWindow: 0 };
	platform = await startTrigger({ options }, { appSecret: SECRET });
});
afterEach(async () => await platform.stop());

const HANGS_AFTER_MS = 5_000;

type Headers = Record<string, string | string[]>;

/** The status that a sender hears; of one that n8n hangs up on, nothing. */
async function deliver(body: Uint8Array | string, headers: Headers): Promise<number | undefined> {
	return await new Promise((resolve, reject) => {
		const hangs = () => reject(new Error('no answer'));
		const options = { method: 'POST', headers, timeout: HANGS_AFTER_MS, agent: false };
		const sent = send(platform.host.url, options, (answer) => {
			let text = '';
			answer.on('data', (piece: Buffer) => (text += piece.toString('utf8')));
			answer.on('end', () => {
				expectNoSecret(text);
				resolve(answer.statusCode);
			});
		});
		sent.on('timeout', hangs).on('error', () => resolve(undefined));
		sent.end(body);
	});
}

/** What a header can hold on its way. */
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

test('Whatever is delivered without a signature is refused, and starts nothing', async () => {
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
				const packed = { ...(encoding && { 'Content-Encoding': encoding }) };
				const status = await deliver(own, { ...headers, ...more, ...packed });
				// 422 and 500 come before the trigger: broken JSON, and what does not unpack.
				expect([401, 422, ...(encoding ? [500] : [])]).toContain(status);
				expect(platform.host.executions).toEqual([]);
			},
		),
		{ numRuns: 400 },
	);
	expectNoSecret(platform.warnings());
});

test('A delivery that unpacks to very much is refused', async () => {
	const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, ' '));
	const headers = { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' };
	expect([401, 500, undefined]).toContain(await deliver(bomb, headers));
	expect(platform.host.executions).toEqual([]);
});

test.each(['body', 'sortedFields'] satisfies RecipeName[])(
	'Whatever is signed by %s starts an execution or is refused, and its items hold no secret',
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
					// Sorted Fields has no form for some of it.
					return;
				}
				const status = await deliver(body, { ...headers, 'Content-Type': 'application/json' });
				expect([200, 401]).toContain(status);
				if (status === 200) accepted++;
			}),
			{ numRuns: 200 },
		);
		expect(accepted).toBeGreaterThan(50);
		expect(platform.host.executions.length).toBeGreaterThan(50);
		expectNoSecret(platform.items());
	},
);
