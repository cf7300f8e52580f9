import { setTimeout as sleep } from 'node:timers/promises';
import {
	FAULTS,
	startEmulator,
	type Emulator,
	type FaultKind,
	type FaultMix,
	type FaultSpec,
} from './index';
import { emulatorAroundTests } from './around-tests';
import { TestClient } from './test-client';

const BODY = { social_account_id: 'acc', text: 'hi' };
const CHAT = { messages: [{ role: 'user', content: 'one two three four five six' }], stream: true };

let emulator: Emulator;
let client: TestClient;
let token: string;

const addFault = (fault: FaultSpec | FaultMix) => emulator.fault(fault);
const post = async () => await client.createPost(BODY, token);
const last = () => emulator.received.at(-1);

/** A test for each fault, which checks the response that the client receives over HTTP. */
const COVERAGE: Record<FaultKind, () => Promise<void>> = {
	'unauthorized-401': async () => {
		addFault({ kind: 'unauthorized-401' });
		expect(await post()).toMatchObject({ status: 401, json: { success: false, code: 1001 } });
		expect(emulator.posts).toHaveLength(0);
	},
	'token-rejected-200': async () => {
		addFault({ kind: 'token-rejected-200' });
		addFault({ kind: 'token-rejected-200', code: 1001 });
		expect(await post()).toMatchObject({ status: 200, json: { success: false, code: 10104 } });
		expect(await post()).toMatchObject({ status: 200, json: { success: false, code: 1001 } });
	},
	'rate-limited-429': async () => {
		addFault({ kind: 'rate-limited-429', retryAfter: 7 });
		addFault({ kind: 'rate-limited-429', retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' });
		addFault({ kind: 'rate-limited-429' });
		expect(await post()).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
		expect((await post()).headers['retry-after']).toMatch(/GMT$/);
		expect((await post()).headers['retry-after']).toBeUndefined();
	},
	'too-frequent-200': async () => {
		addFault({ kind: 'too-frequent-200' });
		const { status, json } = await post();
		expect(status).toBe(200);
		expect(json).toMatchObject({
			success: false,
			message: expect.stringContaining('操作过于频繁'),
		});
		expect(json).not.toHaveProperty('code');
	},
	'server-error-before': async () => {
		addFault({ kind: 'server-error-before' });
		expect((await post()).status).toBe(500);
		expect(emulator.posts).toHaveLength(0);
		expect(last()).toMatchObject({ status: 500, tookEffect: false });
	},
	'server-error-after': async () => {
		addFault({ kind: 'server-error-after' });
		expect((await post()).status).toBe(500);
		expect(emulator.posts).toHaveLength(1);
		expect(last()).toMatchObject({ status: 500, tookEffect: true });
	},
	'reset-before': async () => {
		addFault({ kind: 'reset-before' });
		await expect(post()).rejects.toThrow();
		expect(emulator.posts).toHaveLength(0);
		expect(last()).toMatchObject({ status: null, tookEffect: false });
	},
	'reset-after': async () => {
		addFault({ kind: 'reset-after' });
		await expect(post()).rejects.toThrow();
		expect(emulator.posts).toHaveLength(1);
		expect(last()).toMatchObject({ status: null, tookEffect: true });
	},
	slow: async () => {
		addFault({ kind: 'slow', delayMs: 80 });
		const started = Date.now();
		expect((await post()).json.success).toBe(true);
		expect(Date.now() - started).toBeGreaterThanOrEqual(75);
	},
	'no-answer': async () => {
		addFault({ kind: 'no-answer' });
		const impatient = new TestClient(emulator);
		const waiting = impatient.createPost(BODY, token);
		const refused = expect(waiting).rejects.toThrow();
		while (emulator.posts.length === 0) await sleep(5);
		await impatient.close();
		await refused;
		expect(last()).toMatchObject({ status: null, tookEffect: true });
	},
	html: async () => {
		addFault({ kind: 'html' });
		const { status, headers, text } = await post();
		expect(status).toBe(200);
		expect(headers['content-type']).toContain('text/html');
		expect(text).toMatch(/^<!doctype html>/);
	},
	'truncated-json': async () => {
		addFault({ kind: 'truncated-json' });
		const { status, headers, text, json } = await post();
		expect(status).toBe(200);
		expect(Number(headers['content-length'])).toBe(Buffer.byteLength(text));
		expect(text).toMatch(/^\{"requestId"/);
		expect(json).toBeUndefined();
		expect(emulator.posts).toHaveLength(1);
	},
	'refused-without-code': async () => {
		addFault({ kind: 'refused-without-code' });
		expect((await post()).json).toEqual({
			requestId: expect.any(String),
			success: false,
			message: expect.stringMatching(/[\u4e00-\u9fff]/),
		});
	},
	refused: async () => {
		addFault({ kind: 'refused', code: 10020, message: '接口未绑定' });
		expect((await post()).json).toMatchObject({
			success: false,
			code: 10020,
			message: '接口未绑定',
		});
	},
	redirect: async () => {
		addFault({ kind: 'redirect' });
		addFault({ kind: 'redirect', location: 'http://other.invalid/x', status: 307 });
		const { status, headers } = await post();
		expect([status, headers.location]).toEqual([302, 'https://example.invalid/elsewhere']);
		expect(await post()).toMatchObject({
			status: 307,
			headers: { location: 'http://other.invalid/x' },
		});
	},
	'success-false-code-200': async () => {
		addFault({ kind: 'success-false-code-200' });
		expect(await post()).toMatchObject({ status: 200, json: { success: false, code: 200 } });
	},
	'success-true-code-500': async () => {
		addFault({ kind: 'success-true-code-500' });
		expect(await post()).toMatchObject({ status: 200, json: { success: true, code: 500 } });
		expect(emulator.posts).toHaveLength(0);
	},
	'echo-secrets': async () => {
		addFault({ kind: 'echo-secrets', operation: 'any', times: 2 });
		expect((await post()).json.message).toContain(token);
		const { text } = await client.chat('/v1/responses', { input: 'x' });
		expect(text).toContain(emulator.appSecret);
	},
	'stream-cut': async () => {
		addFault({ kind: 'stream-cut' });
		await expect(client.chat('/v1/chat/completions', CHAT)).rejects.toThrow();
		addFault({ kind: 'stream-cut' });
		await expect(client.chat('/v1/responses', { input: 'not a stream' })).rejects.toThrow();
		expect(last()).toMatchObject({ fault: 'stream-cut', tookEffect: true });
	},
	'stream-error': async () => {
		addFault({ kind: 'stream-error' });
		const { status, text } = await client.chat('/v1/chat/completions', CHAT);
		expect([status, text]).toStrictEqual([200, expect.stringContaining('"type":"server_error"')]);
		expect(last()).toMatchObject({ status: 200, tookEffect: true });
	},
	'slow-first-token': async () => {
		addFault({ kind: 'slow-first-token', delayMs: 80 });
		const started = Date.now();
		expect((await client.chat('/v1/chat/completions', CHAT)).text).toContain('[DONE]');
		expect(Date.now() - started).toBeGreaterThanOrEqual(75);
	},
};

emulatorAroundTests((...started) => ([emulator, client] = started));
beforeEach(async () => {
	token = await client.token();
});

describe('The list of faults', () => {
	it('has a test for each fault', () => {
		expect(Object.keys(COVERAGE).sort()).toEqual(Object.keys(FAULTS).sort());
	});

	it.each(Object.entries(COVERAGE))(
		'contains %s, which applies to a request and is recorded',
		async (kind, cover) => {
			await cover();
			expect(emulator.received.filter(({ fault }) => fault === kind)).not.toHaveLength(0);
			emulator.clearFaults();
			expect((await post()).json.success).toBe(true);
		},
	);
});

describe('A fault', () => {
	it('applies once by default', async () => {
		addFault({ kind: 'refused', times: 2 });
		const outcomes = [await post(), await post(), await post()].map(({ json }) => json.success);
		expect(outcomes).toEqual([false, false, true]);
		addFault({ kind: 'refused', times: Infinity });
		for (let n = 0; n < 5; n++) expect((await post()).json.success).toBe(false);
	});

	it('can be limited to bodies that contain a text', async () => {
		addFault({ kind: 'refused', bodyHas: '"text":"two"' });
		addFault({ kind: 'server-error-after', bodyHas: '"text":"three"' });
		const answers = [];
		for (const text of ['one', 'two', 'two', 'three']) {
			answers.push(await client.createPost({ ...BODY, text }, token));
		}
		expect(answers.map(({ json }) => json.success)).toEqual([true, false, true, false]);
		expect(answers[3]?.status).toBe(500);
	});

	it('applies to getAccessToken only if it is named', async () => {
		addFault({ kind: 'refused' });
		await client.token().then((next) => (token = next));
		expect((await post()).json.success).toBe(false);
		addFault({ kind: 'unauthorized-401', operation: 'getAccessToken' });
		const body = client.tokenRequest();
		expect((await client.send('POST', '/api/v1/getAccessToken', body)).status).toBe(401);
	});

	it('applies only to a request that takes effect if it damages the response', async () => {
		addFault({ kind: 'server-error-after' });
		expect((await client.createPost(BODY, 'stale')).json.code).toBe(10104);
		expect((await post()).status).toBe(500);
	});

	it('applies to the same requests for the same seed if it has a rate', async () => {
		const run = async (seed: number) => {
			const seeded = await startEmulator({ seed });
			const theirs = new TestClient(seeded);
			const key = await theirs.token();
			seeded.fault({ kind: 'refused', rate: 0.4 });
			const outcomes = [];
			for (let n = 0; n < 30; n++) outcomes.push((await theirs.createPost({}, key)).json.success);
			await theirs.close();
			await seeded.stop();
			return outcomes.map(Number).join('');
		};
		const [first, again, other] = [await run(7), await run(7), await run(8)];
		expect(again).toBe(first);
		expect(other).not.toBe(first);
		expect(first).toMatch(/0/);
		expect(first).toMatch(/1/);
	});

	it('can be chosen from several on arrival with the seed', async () => {
		const run = async (seed: number) => {
			const seeded = await startEmulator({ seed });
			const theirs = new TestClient(seeded);
			const key = await theirs.token();
			const oneOf = (['html', 'server-error-after', 'refused', 'stream-cut'] as const).map(
				(kind) => ({ kind }),
			);
			seeded.fault({ oneOf, rate: 0.2 });
			for (let n = 0; n < 300; n++) await theirs.createPost({}, key);
			await theirs.close();
			await seeded.stop();
			return seeded.received.slice(1).map(({ fault, tookEffect }) => ({ fault, tookEffect }));
		};
		const [first, again, other] = [await run(7), await run(7), await run(8)];
		expect(again).toEqual(first);
		expect(other).not.toEqual(first);
		const struck = first.filter(({ fault }) => fault !== undefined);
		expect(struck.length / first.length).toBeCloseTo(0.2, 1);
		for (const kind of ['html', 'server-error-after', 'refused']) {
			const theirs = struck.filter(({ fault }) => fault === kind);
			expect(theirs.length).toBeGreaterThan(struck.length / 6);
			expect(theirs.every((one) => one.tookEffect === (kind === 'server-error-after'))).toBe(true);
		}
	});

	it('does not apply to a request without effect if the fault chosen at random damages the response', async () => {
		addFault({ oneOf: [{ kind: 'reset-after' }], bodyHas: 'hi', times: 2 });
		addFault({ kind: 'refused' });
		expect((await client.createPost(BODY, 'stale')).json.code).toBe(10104);
		expect(last()).not.toHaveProperty('fault', 'reset-after');
		await expect(post()).rejects.toThrow();
		expect((await post()).json).toMatchObject({ success: false });
	});

	it('is rejected if it is unknown', () => {
		expect(() => addFault({ kind: 'nope' as FaultKind })).toThrow("No such fault: 'nope'");
		expect(() => addFault({ kind: 'html', rate: 2 })).toThrow("'rate'");
		expect(() => addFault({ oneOf: [] })).toThrow("'oneOf' is empty");
	});
});
