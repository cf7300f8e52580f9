import { createServer, type Socket } from 'node:net';
import { withToken } from '../../storedToken';
import { DeduplicationStore } from '../harness/deduplicationStore';
import { OtherProcess } from '../harness/otherProcess';
import { startPlatform, type Platform } from '../harness/platform';

let platform: Platform;
/** A process that uses a proxy. */
let otherProcess: OtherProcess;
/** What the proxy does after a CONNECT request. */
let connected: (socket: Socket) => void;
const proxy = createServer((socket) => {
	socket.on('error', () => {});
	socket.once('data', () => connected(socket));
});
beforeAll(async () => {
	platform = await startPlatform();
	await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
	const { port } = proxy.address() as { port: number };
	const shared = { platform, deduplication: new DeduplicationStore() };
	otherProcess = await OtherProcess.start(shared, { HTTPS_PROXY: `http://127.0.0.1:${port}` });
});
afterAll(async () => {
	await otherProcess.stop();
	await platform.stop();
	await new Promise((resolve) => proxy.close(resolve));
});

const run = async (connect: typeof connected, token = 'a-token') => {
	connected = connect;
	withToken(platform.credential, token, { baseUrl: 'https://platform.example' });
	const options = { timeout: 2, rateLimitWait: 0 };
	const { json } = await otherProcess.run({ options }, { onError: 'continueRegularOutput' });
	return json[0];
};

describe('A proxy that opens no tunnel to the platform', () => {
	test.each<[string, typeof connected]>([
		['closes the connection', (socket) => socket.end()],
		['resets the connection', (socket) => socket.resetAndDestroy()],
	])('leaves nothing unknown, and is named: it %s', async (_, connect) => {
		for (const token of ['a-token', '']) {
			expect(await run(connect, token)).toMatchObject({
				error: expect.stringMatching(/^Nothing was sent for the post: /),
				details: { outcome: 'not_sent', description: expect.stringContaining('proxy') },
			});
		}
	});

	test.each([
		['is named if it requires a login', '407 No', 'refused', 'a proxy requires a login'],
		[
			'leaves the outcome unknown if it responds with HTTP 5xx, as the platform could',
			...['502 Bad', 'unknown', 'the platform or a proxy responded with HTTP 502'],
		],
	])('%s', async (_, status, outcome, reason) => {
		const response = `HTTP/1.1 ${status}\r\ncontent-length: 6\r\n\r\n<html>`;
		expect(await run((socket) => socket.end(response))).toMatchObject({
			error: expect.stringContaining(reason),
			details: { outcome },
		});
	});
});
