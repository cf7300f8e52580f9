import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { droppingConnections, silent, tls, trusted, type TestServer } from '../../testServers';
import { OtherProcess } from '../harness/otherProcess';
import { statesOf } from '../harness/ledgerOf';
import { startPlatform, type Platform } from '../harness/platform';
import { DeduplicationStore } from '../harness/deduplicationStore';
import { withToken } from '../../storedToken';

let platform: Platform;
/** A process that trusts the test certificates. Node reads trusted certificates only when it starts. */
let otherProcess: OtherProcess;
beforeAll(async () => {
	platform = await startPlatform();
	const env = { NODE_EXTRA_CA_CERTS: trusted };
	otherProcess = await OtherProcess.start(
		{ platform, deduplication: new DeduplicationStore() },
		env,
	);
});
afterAll(async () => {
	await otherProcess.stop();
	await platform.stop();
});

const at = (baseUrl: string) => withToken(platform.credential, 'a-token', { baseUrl });

type Details = { outcome: string; description: string };

/** Sends a post in the other process and returns its error. */
async function postFromOtherProcess(url: string): Promise<{ error: string; details: Details }> {
	at(url);
	const { json } = await otherProcess.run(
		{ options: { timeout: 2 } },
		{ onError: 'continueRegularOutput' },
	);
	return json[0] as never;
}

describe('Create: not sent', () => {
	let testServer: TestServer;
	afterEach(async () => await testServer.stop());

	test.each(['http', 'https'])(
		'reports not_sent when no connection is established (%s)',
		async (scheme) => {
			testServer = await droppingConnections();
			at(`${scheme}://127.0.0.1:${testServer.port}`);
			const { error } = await platform.run({ options: { timeout: 0.3 } });
			expect(error).toMatchObject({
				message: 'Nothing was sent for the post: no connection was established in time (timeout)',
				context: { data: { outcome: 'not_sent' } },
			});
		},
	);

	test('reports not_sent when the TLS handshake hangs', async () => {
		testServer = await silent();
		at(`https://127.0.0.1:${testServer.port}`);
		const { error } = await platform.run({ options: { timeout: 0.3 } });
		expect(error).toMatchObject({
			message: 'Nothing was sent for the post: no connection was established in time (timeout)',
			context: { data: { outcome: 'not_sent' } },
		});
	});

	test('reports not_sent when the execution is canceled during the TLS handshake', async () => {
		const waiting = await silent();
		testServer = waiting;
		at(`https://127.0.0.1:${testServer.port}`);
		const running = platform.start({ options: { timeout: 60 } });
		while (statesOf(running)['0:0'] !== 'unknown') await sleep(10);
		running.cancel();
		await running.done;
		while (statesOf(running)['0:0']) await sleep(10);
	});

	test('reports not_sent when the platform supports only an older version of TLS', async () => {
		const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
		testServer = await tls('valid', { ...old, ciphers: 'ALL:@SECLEVEL=0' });
		at(`https://127.0.0.1:${testServer.port}`);
		const { error } = await platform.run();
		expect(error).toMatchObject({
			message: 'Nothing was sent for the post: no secure connection (TLS) could be established',
			context: { data: { outcome: 'not_sent' } },
		});
	});

	test.each(['TLSv1.2', 'TLSv1.3'] as const)(
		'reports not_sent when the certificate is not valid yet (%s)',
		async (version) => {
			const server = await tls('future', { minVersion: version, maxVersion: version });
			testServer = server;
			const { error, details } = await postFromOtherProcess(`https://127.0.0.1:${server.port}`);
			expect(error).toContain(
				"the server's certificate was not accepted (certificate is not yet valid)",
			);
			expect(details).toMatchObject({ outcome: 'not_sent' });
			await sleep(100);
			expect(server.text()).toBe('');
		},
	);
});

describe('Create: unknown', () => {
	const posted = /^POST \/api\/v1\/socialPostCreatePhoto/;

	const breaks: Record<string, (socket: TLSSocket, raw: Socket) => void> = {
		'resets the connection': (_, raw) => raw.resetAndDestroy(),
		'closes the connection': (socket) => socket.end(),
		'continues in plain text': (_, raw) => raw.end('HTTP/1.1 200 OK\r\n\r\n'),
		'sends an invalid TLS record': (_, raw) => raw.end(Buffer.from('1703010005aaaaaaaaaa', 'hex')),
	};

	test.each(
		Object.keys(breaks).flatMap((what) => [['TLSv1.2', what] as const, ['TLSv1.3', what] as const]),
	)('reports unknown when a platform with %s %s after the request', async (version, what) => {
		const versions = { minVersion: version, maxVersion: version };
		const server = await tls('valid', versions, breaks[what]);
		const { details } = await postFromOtherProcess(`https://127.0.0.1:${server.port}`);
		expect(server.text()).toMatch(posted);
		expect(details).toMatchObject({ outcome: 'unknown' });
		await server.stop();
	});

	test('reports unknown when the platform rejects a missing client certificate', async () => {
		const versions = { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' } as const;
		const server = await tls('valid', { ...versions, requestCert: true });
		const { details } = await postFromOtherProcess(`https://127.0.0.1:${server.port}`);
		expect(details).toMatchObject({ outcome: 'unknown' });
		await server.stop();
	});
});

describe('Create over TLS', () => {
	test('sends the post when the certificate is trusted', async () => {
		const body = '{"success":true,"code":200,"data":{"id":"1"}}';
		const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
		const server = await tls('valid', {}, (socket) => socket.end(answer));
		const result = await postFromOtherProcess(`https://127.0.0.1:${server.port}`);
		expect(result).toMatchObject({ id: '1' });
		await server.stop();
	});
});
