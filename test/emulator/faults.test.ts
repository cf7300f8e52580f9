import { setTimeout as sleep } from 'node:timers/promises';

import { startEmulator } from './index';
import { TestClient, useEmulator } from './test-client';

const platform = useEmulator();
let token: string;
const post = async () => await platform.client.createPost({ text: 'hi' }, token);
const until = async (holds: () => boolean) => {
	while (!holds()) await sleep(5);
};

beforeEach(async () => {
	token = await platform.client.token();
});

describe('A fault', () => {
	it('applies as often as it says, and to getAccessToken only if it is named', async () => {
		const { client, emulator } = platform;
		emulator.fault({ kind: 'refused' });
		emulator.fault({ kind: 'html', times: 2 });
		token = await client.token();
		const answers = [await post(), await post(), await post(), await post()];
		expect(answers.map(({ json }) => json?.success)).toEqual([false, undefined, undefined, true]);
		emulator.fault({ kind: 'unauthorized-401', operation: 'getAccessToken' });
		const body = client.tokenRequest();
		expect((await client.send('POST', '/api/v1/getAccessToken', body)).status).toBe(401);
	});

	it('applies only to a request that takes effect if it damages the response', async () => {
		platform.emulator.fault({ kind: 'server-error-after' });
		expect((await platform.client.createPost({}, 'stale')).json.code).toBe(10104);
		expect((await post()).status).toBe(500);
	});

	it('leaves no status of a response that was not sent completely, and no open connection', async () => {
		const { client, emulator } = platform;
		emulator.fault({ kind: 'slow', delayMs: 100 });
		emulator.fault({ kind: 'stream-cut' });
		const leaving = new AbortController();
		const url = `${emulator.url}/api/v1/socialPostCreatePhoto`;
		const headers = { 'x-legacy-token': token, 'content-type': 'application/json' };
		const { signal } = leaving;
		const gone = fetch(url, { method: 'POST', body: '{}', headers, signal }).catch(() => 'gone');
		await until(() => emulator.posts.length === 1);
		leaving.abort();
		expect(await gone).toBe('gone');
		await client.chat('/v1/responses', { input: 'x' }).catch(() => 'cut');
		// The slow response would have been complete by now.
		await sleep(200);
		const faults = [{ fault: 'slow' }, { fault: 'stream-cut' }];
		expect(emulator.received.slice(1)).toMatchObject(
			faults.map((fault) => ({ ...fault, tookEffect: true, status: null })),
		);
		expect(emulator.connections.peak).toBeGreaterThan(emulator.connections.open);
	});

	it('can be chosen from several on arrival with the seed', async () => {
		const run = async (seed: number) => {
			const seeded = await startEmulator({ seed });
			const client = new TestClient(seeded);
			const key = await client.token();
			const kinds = ['html', 'server-error-after', 'refused', 'stream-cut'] as const;
			seeded.fault({ oneOf: kinds.map((kind) => ({ kind })), rate: 0.2 });
			for (let n = 0; n < 100; n++) await client.createPost({}, key);
			await seeded.stop();
			return seeded.received.slice(1).map(({ fault, tookEffect }) => ({ fault, tookEffect }));
		};
		const [first, again, other] = [await run(7), await run(7), await run(8)];
		expect(again).toEqual(first);
		expect(other).not.toEqual(first);
		const struck = first.filter(({ fault }) => fault !== undefined);
		expect(struck.length / first.length).toBeCloseTo(0.2, 1);
		for (const kind of ['html', 'server-error-after', 'refused']) {
			expect(struck).toContainEqual({ fault: kind, tookEffect: kind === 'server-error-after' });
		}
	});

	it('that waits ends when the emulator stops', async () => {
		const stopping = await startEmulator();
		const client = new TestClient(stopping);
		const key = await client.token();
		stopping.fault({ kind: 'no-answer' });
		stopping.fault({ kind: 'slow', delayMs: 60_000 });
		const cut = Promise.allSettled([client.createPost({}, key), client.createPost({}, key)]);
		await until(() => stopping.posts.length === 2);
		await stopping.stop();
		expect((await cut).map(({ status }) => status)).toContain('rejected');
	});
});
