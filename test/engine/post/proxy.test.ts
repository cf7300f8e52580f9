import { createServer, type Socket } from 'node:net';
import { withToken } from '../../storedToken';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();
/** What the proxy does after a CONNECT request. */
let connected: (socket: Socket) => void;
const proxy = createServer((socket) => {
	socket.on('error', () => {});
	socket.once('data', () => connected(socket));
});
beforeAll(async () => {
	await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
	const { port } = proxy.address() as { port: number };
	process.env.HTTPS_PROXY = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
	delete process.env.HTTPS_PROXY;
	await new Promise((resolve) => proxy.close(resolve));
});

const run = async (connect: typeof connected, token = 'a-token') => {
	connected = connect;
	withToken(platform.credential, token, { baseUrl: 'https://platform.example' });
	const options = { timeout: 2, rateLimitWait: 0 };
	const { outputs } = await platform.run({ options }, { onError: 'continueRegularOutput' });
	return outputs[0]![0]!.json;
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
