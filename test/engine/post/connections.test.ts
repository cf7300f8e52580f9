import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { droppingConnections, silent, tls, trusted, type TestServer } from '../../testServers';
import { OtherProcess } from '../harness/otherProcess';
import { statesOf } from '../harness/ledgerOf';
import { startPlatform, type Platform } from '../harness/platform';
import { DeduplicationStore } from '../harness/deduplicationStore';
import { until } from '../harness/storage';
import { withToken } from '../../storedToken';

let platform: Platform;
/** A process that trusts the test certificates. Node reads trusted certificates only when it starts. */
let otherProcess: OtherProcess;
beforeAll(async () => {
	platform = await startPlatform();
	const shared = { store: platform.store, deduplication: new DeduplicationStore() };
	otherProcess = await OtherProcess.start(shared, { NODE_EXTRA_CA_CERTS: trusted });
});
afterAll(async () => {
	await otherProcess.stop();
	await platform.stop();
});

let testServer: TestServer & { text?: () => string };
afterEach(async () => await testServer.stop());

/** Sends requests to a server. */
async function use(server: Promise<TestServer>, scheme = 'https') {
	testServer = await server;
	const baseUrl = `${scheme}://127.0.0.1:${testServer.port}`;
	withToken(platform.credential, 'a-token', { baseUrl });
}

/** Sends a post in the other process and returns its error. */
async function postFromOtherProcess() {
	const options = { timeout: 2 };
	const { json } = await otherProcess.run({ options }, { onError: 'continueRegularOutput' });
	return json[0] as { error: string; details: object };
}

describe('Create: not sent', () => {
	const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const;
	const inTime = 'no connection was established in time (timeout)';

	test.each<[string, () => Promise<TestServer>, scheme: string, reason: string]>([
		['no connection is established', droppingConnections, 'http', inTime],
		['the TLS handshake hangs', silent, 'https', inTime],
		[
			'the platform supports only an older version of TLS',
			async () => await tls('valid', old),
			...(['https', 'no connection could be established'] as const),
		],
	])('reports not_sent when %s', async (_, server, scheme, reason) => {
		await use(server(), scheme);
		const { error } = await platform.run({ options: { timeout: 0.3 } });
		expect(error).toMatchObject({
			message: `Nothing was sent for the post: ${reason}`,
			context: { data: { outcome: 'not_sent' } },
		});
	});

	test('reports not_sent when the execution is canceled during the TLS handshake', async () => {
		await use(silent());
		const running = platform.start({ options: { timeout: 60 } });
		await until(() => statesOf(running)['0:0'] === 'unknown');
		running.cancel();
		await running.done;
		await until(() => !statesOf(running)['0:0']);
	});

	test.each(['TLSv1.2', 'TLSv1.3'] as const)(
		'reports not_sent when the certificate is not valid yet (%s)',
		async (version) => {
			await use(tls('future', { minVersion: version, maxVersion: version }));
			expect(await postFromOtherProcess()).toMatchObject({
				error: expect.stringContaining(
					"the server's certificate was not accepted (certificate is not yet valid)",
				),
				details: { outcome: 'not_sent' },
			});
			await sleep(100);
			expect(testServer.text?.()).toBe('');
		},
	);
});

describe('Create: unknown', () => {
	const breaks: Record<string, (socket: TLSSocket, raw: Socket) => void> = {
		'resets the connection': (_, raw) => raw.resetAndDestroy(),
		'closes the connection': (socket) => socket.end(),
		'continues in plain text': (_, raw) => raw.end('HTTP/1.1 200 OK\r\n\r\n'),
		'sends an invalid TLS record': (_, raw) => raw.end(Buffer.from('1703010005aaaaaaaaaa', 'hex')),
	};

	describe.each(['TLSv1.2', 'TLSv1.3'] as const)('%s', (version) => {
		test.each(Object.keys(breaks))(
			'reports unknown when the platform %s after the request',
			async (what) => {
				await use(tls('valid', { minVersion: version, maxVersion: version }, breaks[what]));
				const { details } = await postFromOtherProcess();
				expect(testServer.text?.()).toMatch(/^POST \/api\/v1\/socialPostCreatePhoto/);
				expect(details).toMatchObject({ outcome: 'unknown' });
			},
		);
	});

	test('reports unknown when the platform rejects a missing client certificate', async () => {
		await use(tls('valid', { minVersion: 'TLSv1.3', requestCert: true }));
		expect((await postFromOtherProcess()).details).toMatchObject({ outcome: 'unknown' });
	});
});
