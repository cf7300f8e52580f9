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

describe('The emulator', () => {
	afterEach(async () => {
		for (const end of ending.splice(0)) await end();
	});

	it('listens only on 127.0.0.1, and reports a port that is in use', async () => {
		const { url } = await started();
		expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
		await expect(startEmulator({ port: Number(new URL(url).port) })).rejects.toThrow('EADDRINUSE');
	});

	it('stops even if requests are waiting and posts are scheduled, and can be stopped twice', async () => {
		const emulator = await started();
		const client = clientOf(emulator);
		const token = await client.token();
		emulator.fault({ kind: 'no-answer' });
		emulator.fault({ kind: 'slow', delayMs: 60_000 });
		const cut = Promise.allSettled([client.createPost({}, token), client.createPost({}, token)]);
		await until(() => emulator.posts.length === 2);
		await emulator.stop();
		expect((await cut).map(({ status }) => status)).toContain('rejected');
	});

	it('moves its clock at the given speed', async () => {
		const emulator = await started({ clockSpeed: 100, publishAfterSeconds: 5 });
		await clientOf(emulator).createPost({});
		await until(() => emulator.posts[0]?.status === 'published');
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
		expect(emulator.received.slice(1)).toMatchObject([
			{ fault: 'slow', tookEffect: true, status: null },
			{ fault: 'stream-cut', tookEffect: true, status: null },
		]);
	});

	it('counts only the sockets of platform requests', async () => {
		const emulator = await started({ latencyMs: 30 });
		await clientOf(emulator).control('GET', 'state');
		const clients = [1, 2, 3].map(() => clientOf(emulator));
		await Promise.all(clients.map(async (client) => await client.createPost({}, 'any')));
		expect(emulator.connections).toEqual({ open: 3, peak: 3, total: 3 });
		await Promise.all(clients.map(async (client) => await client.close()));
		await until(() => emulator.connections.open === 0);
		expect(emulator.connections).toEqual({ open: 0, peak: 3, total: 3 });
	});
});
