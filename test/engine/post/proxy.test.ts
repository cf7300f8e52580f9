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
	const env = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
	const deduplication = new DeduplicationStore();
	otherProcess = await OtherProcess.start({ platform, deduplication }, env);
});
afterAll(async () => {
	await otherProcess.stop();
	await platform.stop();
	await new Promise((resolve) => proxy.close(resolve));
});

const run = async (token: string) => {
	withToken(platform.credential, token, { baseUrl: 'https://platform.example' });
	const options = { timeout: 2, rateLimitWait: 0 };
	const { json } = await otherProcess.run({ options }, { onError: 'continueRegularOutput' });
	return json[0] as { error: string; details: { outcome: string; description: string } };
};

describe('A proxy that opens no tunnel to the platform', () => {
	test.each<[string, (socket: Socket) => void]>([
		['closes the connection', (socket) => socket.end()],
		['resets the connection', (socket) => socket.resetAndDestroy()],
	])('leaves nothing unknown, and is named: it %s', async (_, connect) => {
		connected = connect;
		for (const token of ['a-token', '']) {
			const { error, details } = await run(token);
			expect(error).toMatch(/^Nothing was sent for the post: /);
			expect(details).toMatchObject({ outcome: 'not_sent' });
			expect(details.description).toContain('proxy');
		}
	});

	test('is named if it requires a login', async () => {
		connected = (socket) => socket.end('HTTP/1.1 407 No\r\ncontent-length: 6\r\n\r\n<html>');
		expect(await run('a-token')).toMatchObject({
			error: expect.stringContaining('a proxy requires a login'),
			details: { outcome: 'refused' },
		});
	});

	test('leaves the outcome unknown if it responds with HTTP 5xx, as the platform could', async () => {
		connected = (socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
		const { error, details } = await run('a-token');
		expect(error).toContain('the platform or a proxy responded with HTTP 502');
		expect(details).toMatchObject({ outcome: 'unknown' });
	});
});
