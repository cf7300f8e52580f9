import { setTimeout as sleep } from 'node:timers/promises';
import { startEmulator, type Emulator } from './index';
import type { EmulatorOptions } from './options';
import { TestClient } from './test-client';

const ending: Array<() => Promise<void>> = [];

async function started(options: EmulatorOptions = {}): Promise<Emulator> {
	const emulator = await startEmulator(options);
	ending.push(async () => await emulator.stop());
	return emulator;
}

function clientOf(emulator: Emulator): TestClient {
	const client = new TestClient(emulator);
	ending.push(async () => await client.close());
	return client;
}

async function until(holds: () => boolean): Promise<void> {
	while (!holds()) await sleep(5);
}

async function timed(work: Promise<unknown>): Promise<number> {
	const start = Date.now();
	await work;
	return Date.now() - start;
}

describe('The emulator', () => {
	afterEach(async () => {
		for (const end of ending.splice(0)) await end();
	});

	it('listens only on 127.0.0.1, on a free port', async () => {
		const [one, two] = await Promise.all([started(), started()]);
		expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
		expect(two.url).not.toBe(one.url);
	});

	it('reports a port that is in use', async () => {
		const port = Number(new URL((await started()).url).port);
		await expect(startEmulator({ port })).rejects.toThrow('EADDRINUSE');
	});

	it('stops immediately even if requests are waiting and posts are scheduled, and can be stopped twice', async () => {
		const emulator = await started();
		const client = clientOf(emulator);
		const token = await client.token();
		emulator.fault({ kind: 'no-answer' });
		emulator.fault({ kind: 'slow', delayMs: 60_000 });
		const cut = Promise.allSettled([client.createPost({}, token), client.createPost({}, token)]);
		await until(() => emulator.posts.length === 2);
		expect(await timed(emulator.stop())).toBeLessThan(5_000);
		expect((await cut).map(({ status }) => status)).toContain('rejected');
	});

	it('delays only platform responses by its latency', async () => {
		const emulator = await started({ latencyMs: 200 });
		const client = clientOf(emulator);
		expect(await timed(client.token())).toBeGreaterThanOrEqual(195);
		emulator.adjust({ latencyMs: 100_000 });
		expect(await timed(client.control('GET', 'state'))).toBeLessThan(60_000);
	});

	it('accepts no more posts per second than its quota allows', async () => {
		const emulator = await started({ requestsPerSecond: 5 });
		const client = clientOf(emulator);
		const token = await client.token();
		const posts = async () =>
			await Promise.all([...'12345678'].map(async () => await client.createPost({}, token)));
		const first = await posts();
		expect(first.map(({ status }) => status).sort()).toEqual([
			...Array(5).fill(200),
			429,
			429,
			429,
		]);
		expect(first.find(({ status }) => status === 429)).toMatchObject({
			headers: { 'retry-after': '1' },
			json: { success: false, code: 429 },
		});
		expect(emulator.posts).toHaveLength(5);
		expect((await client.send('GET', '/api/v1/ping')).status).toBe(200);
		await sleep(1_050);
		expect((await posts()).filter(({ status }) => status === 200)).toHaveLength(5);
	});

	it('restores changed settings when it is reset', async () => {
		const emulator = await started({ latencyMs: 0 });
		const client = clientOf(emulator);
		emulator.adjust({ latencyMs: 60_000, requestsPerSecond: 1 });
		emulator.reset();
		const token = await client.token();
		const statuses = [await client.createPost({}, token), await client.createPost({}, token)];
		expect(statuses.map(({ status }) => status)).toEqual([200, 200]);
		expect(() => emulator.adjust({ latencyMs: -1 })).toThrow("'latencyMs'");
		await expect(startEmulator({ requestsPerSecond: 0 })).rejects.toThrow("'requestsPerSecond'");
	});

	it('records no status for a response that was not sent completely', async () => {
		const emulator = await started();
		const client = clientOf(emulator);
		const token = await client.token();
		emulator.fault({ kind: 'slow', delayMs: 300 });
		const impatient = clientOf(emulator);
		const waiting = impatient.createPost({}, token).catch(() => 'gone');
		await until(() => emulator.posts.length === 1);
		await impatient.close();
		expect(await waiting).toBe('gone');
		emulator.fault({ kind: 'stream-cut' });
		await client.chat('/v1/responses', { input: 'x' }).catch(() => 'cut');
		// The slow response would have been complete by now.
		await sleep(400);
		const cut = emulator.received.slice(1);
		expect(cut).toMatchObject([
			{ fault: 'slow', tookEffect: true, status: null },
			{ fault: 'stream-cut', tookEffect: true, status: null },
		]);
	});

	it('counts only the sockets of platform requests', async () => {
		const emulator = await started({ latencyMs: 30 });
		await clientOf(emulator).control('GET', 'state');
		expect(emulator.connections).toEqual({ open: 0, peak: 0, total: 0 });
		const clients = [1, 2, 3].map(() => clientOf(emulator));
		await Promise.all(clients.map(async (client) => await client.createPost({}, 'any')));
		expect(emulator.connections).toEqual({ open: 3, peak: 3, total: 3 });
		const ids = emulator.received.map(({ connectionId }) => connectionId);
		expect(new Set(ids).size).toBe(3);
		await Promise.all(clients.map(async (client) => await client.close()));
		await until(() => emulator.connections.open === 0);
		expect(emulator.connections).toEqual({ open: 0, peak: 3, total: 3 });
	});
});
