import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { SocialOpenPlatformApi } from '../../../credentials/SocialOpenPlatformApi.credentials';
import { signTokenRequest } from '../../../nodes/SocialOpenPlatform/platform/signature';
import { respond, startCustomPlatform } from '../harness/customPlatform';
import { startPlatform, type Platform } from '../harness/platform';
import { testCredential } from '../docs/credentialTest';
import { withToken } from '../../storedToken';

const accepted = { success: true, code: 200, data: { id: '1' } };

let platform: Platform;
beforeEach(async () => {
	platform = await startPlatform();
});
afterEach(async () => await platform.stop());

const exchanges = () => platform.received('getAccessToken').length;
const together = async (count: number) =>
	await Promise.all(Array.from({ length: count }, async () => await platform.run()));

/** Performs a token exchange, as another process does. */
async function exchangeElsewhere(): Promise<string> {
	const { url, appId, appSecret } = platform.emulator;
	const response = await fetch(`${url}/api/v1/getAccessToken`, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json' },
		body: JSON.stringify(signTokenRequest({ appId, appSecret, timestamp: Date.now() })),
	});
	return ((await response.json()) as { data: { access_token: string } }).data.access_token;
}

describe('Token refresh', () => {
	test('fetches a token once and stores it for later executions', async () => {
		await platform.run();
		await platform.run();
		expect(exchanges()).toBe(1);
		expect(platform.store.stored.get('1')).toMatchObject({
			accessToken: expect.stringContaining(platform.emulator.tokens[0]!.token),
		});
	});

	test('fetches a token once for 10 executions that start together without a token', async () => {
		const results = await together(10);
		expect(results.filter(({ error }) => error)).toEqual([]);
		expect(exchanges()).toBe(1);
		expect(platform.emulator.posts).toHaveLength(10);
	});

	test.each([
		['has expired', () => platform.emulator.expireTokens()],
		['was revoked', () => platform.emulator.revokeTokens()],
	])(
		'replaces a token that %s with one exchange for 10 parallel executions',
		async (_, invalidate) => {
			await platform.run();
			invalidate();
			const results = await together(10);
			expect(results.map(({ error }) => error?.message)).toEqual(Array(10).fill(undefined));
			expect(exchanges()).toBe(2);
			expect(platform.emulator.posts).toHaveLength(11);
		},
	);

	test('replaces a token after HTTP 401 with any code', async () => {
		Object.assign(platform.credential, { renewalCodes: '' });
		platform.emulator.fault({ kind: 'unauthorized-401', operation: 'createPost' });
		expect((await platform.run()).error).toBeUndefined();
		expect(exchanges()).toBe(2);
	});

	test.each([1001, 10103, 10104])(
		'replaces a token once when HTTP 200 with code %i rejects it',
		async (code) => {
			await platform.run();
			platform.emulator.fault({ kind: 'token-rejected-200', operation: 'createPost', code });
			expect((await platform.run()).error).toBeUndefined();
			expect(exchanges()).toBe(2);
			expect(platform.received('createPost')).toHaveLength(3);
		},
	);

	test('replaces a token only after the codes of the credential', async () => {
		Object.assign(platform.credential, { renewalCodes: '4711' });
		platform.emulator.fault({ kind: 'token-rejected-200', operation: 'createPost', code: 1001 });
		expect((await platform.run()).error!.message).toContain('1001');
		expect(exchanges()).toBe(1);
		platform.emulator.fault({ kind: 'token-rejected-200', operation: 'createPost', code: 4711 });
		expect((await platform.run()).error).toBeUndefined();
		expect(exchanges()).toBe(2);
	});

	test('fails when the platform rejects two new tokens in a row', async () => {
		platform.emulator.fault({
			kind: 'token-rejected-200',
			operation: 'createPost',
			times: Infinity,
		});
		const { error } = await platform.run();
		expect(error).toMatchObject({ context: { data: { outcome: 'refused' } } });
		expect(platform.received('createPost')).toHaveLength(2);
		expect(exchanges()).toBe(2);
		expect(platform.emulator.posts).toEqual([]);
	});

	test('waits while other processes revoke its new tokens for 1.5 seconds', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		const custom = await startCustomPlatform(platform);
		let first: number | undefined;
		custom.post = (_, response) => {
			first ??= performance.now();
			const isRevoked = performance.now() - first < 1_500;
			respond(response, 200, isRevoked ? { success: false, code: 10104 } : accepted);
		};
		const { error } = await platform.run();
		jest.restoreAllMocks();
		expect(error).toBeUndefined();
		await custom.stop();
	});

	test('uses a token of another process when its own new token is rejected', async () => {
		await platform.run();
		platform.emulator.expireTokens();
		const newer: string[] = [];
		const update = platform.store.updateCredentials.bind(platform.store);
		platform.store.updateCredentials = async (details, type, data) => {
			// The other exchange revokes the new token.
			newer.push(await exchangeElsewhere());
			await update(details, type, withToken({ ...data }, newer[0]!));
		};
		expect((await platform.run()).error).toBeUndefined();
		expect(newer).toHaveLength(1);
		expect(exchanges()).toBe(3);
		expect(platform.received('createPost').at(-1)!.headers['x-legacy-token']).toBe(newer[0]);
	});

	test.each([2, 3])('replaces a token even if read %i of the credential fails', async (bad) => {
		await platform.run();
		platform.emulator.expireTokens();
		const read = platform.store.getDecrypted.bind(platform.store);
		let reads = 0;
		platform.store.getDecrypted = async (...args) => {
			if (++reads === bad) throw new Error('the database is locked');
			return await read(...args);
		};
		expect((await platform.run()).error).toBeUndefined();
		expect(platform.emulator.posts).toHaveLength(2);
	});

	test('uses the token of this process instead of an invalid one that another process stored later', async () => {
		await platform.run();
		const own = platform.emulator.tokens[0]!.token;
		platform.store.stored.set('1', withToken({ ...platform.store.stored.get('1') }, 'dead'));
		expect((await platform.run()).error).toBeUndefined();
		expect(exchanges()).toBe(1);
		expect(platform.received('createPost').at(-1)!.headers['x-legacy-token']).toBe(own);
	});

	test('uses the new token in executions that have read the old one', async () => {
		withToken(platform.credential, 'stale-token');
		platform.store.updateCredentials = async () => {};
		for (let i = 0; i < 3; i++) expect((await platform.run()).error).toBeUndefined();
		expect(exchanges()).toBe(1);
	});

	test('uses one new token for all requests of the HTTP Request node that are rejected together', async () => {
		const httpRequest = async ({ url, body }: IHttpRequestOptions) => {
			const headers = { 'Content-Type': 'application/json' };
			const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
			return { statusCode: answer.status, headers: {}, body: answer.body };
		};
		const context = { helpers: { httpRequest } };
		const renew = async () =>
			await new SocialOpenPlatformApi().preAuthentication.call(context, {
				...(withToken(platform.credential, 'refused') as ICredentialDataDecryptedObject),
			});
		const given = await Promise.all([renew(), renew(), renew()]);
		const { accessToken } = withToken(platform.credential, platform.emulator.tokens[0]!.token);
		expect(given).toStrictEqual(Array(3).fill({ accessToken }));
		expect(exchanges()).toBe(1);
	});

	test('uses a token that n8n cannot store for the post and the next run', async () => {
		const { store } = platform;
		const update = store.updateCredentials.bind(store);
		store.updateCredentials = async () => {
			throw new Error('SQLITE_BUSY: database is locked');
		};
		expect((await platform.run()).error).toBeUndefined();
		store.updateCredentials = update;
		expect((await platform.run()).error).toBeUndefined();
		expect(platform.emulator.posts).toHaveLength(2);
		expect(platform.received('getAccessToken')).toHaveLength(1);
	});

	test('adds no other fields to the stored credential', async () => {
		await platform.run();
		platform.emulator.expireTokens();
		await platform.run();
		expect(Object.keys(platform.store.stored.get('1')!).sort()).toEqual([
			'accessToken',
			'appId',
			'appSecret',
			'baseUrl',
		]);
	});
});

describe('Token exchange', () => {
	const refused = async () => (await platform.run()).error!.message;

	test("reports a wrong secret with the platform's message", async () => {
		Object.assign(platform.credential, { appSecret: 'not-the-secret' });
		expect(await refused()).toMatch(
			/the signature is wrong.* \(code 10108: “.+”\).*Check the App Secret/,
		);
	});

	test('reports an unknown application', async () => {
		Object.assign(platform.credential, { appId: 'nobody' });
		expect(await refused()).toMatch(
			/the application is unknown or disabled \(code 10000: .*Compare the App ID/,
		);
	});

	test('reports HTTP 401 and HTTP 429', async () => {
		platform.emulator.fault({ kind: 'unauthorized-401', operation: 'getAccessToken' });
		expect(await refused()).toMatch(/not accepted \(.*“.+”\)\. Check App ID and App Secret/);
		platform.emulator.fault({ kind: 'rate-limited-429', operation: 'getAccessToken' });
		const { error } = await platform.run({ options: { rateLimitWait: 0 } });
		expect(error!.message).toMatch(/Wait a moment, then retry/);
	});

	test('does not show the signature', async () => {
		platform.emulator.fault({ kind: 'echo-secrets', operation: 'getAccessToken' });
		const message = await refused();
		expect(message).toContain('[redacted]');
		const { signature } = platform.received('getAccessToken').at(-1)!.body as {
			signature: string;
		};
		expect(message).not.toContain(signature);
	});

	test('reports a host that is down', async () => {
		await platform.emulator.stop();
		expect(await refused()).toMatch(
			/could not get an access token from 127\.0\.0\.1:\d+: the connection was refused/,
		);
		platform = await startPlatform();
	});

	test('happens once for all waiting items, and again for later ones', async () => {
		platform.emulator.fault({ kind: 'html', operation: 'getAccessToken' });
		const results = await together(10);
		expect(results.filter(({ error }) => error)).toHaveLength(10);
		expect(exchanges()).toBe(1);
		expect((await platform.run()).error).toBeUndefined();
	});
});

describe('The test of a credential', () => {
	const stored = () => platform.store.stored.get('1')!;
	/** Changes a credential after its token was stored. n8n passes the token to the test. */
	const edit = (change: object) => Object.assign(platform.credential, stored(), change);

	test('makes one exchange without a stored token', async () => {
		expect(await testCredential(platform)).toBeUndefined();
		expect(exchanges()).toBe(1);
	});

	test('makes an exchange although a token is stored, and stores the new token', async () => {
		await platform.run();
		edit({});
		expect(await testCredential(platform)).toBeUndefined();
		expect(exchanges()).toBe(2);
		expect(stored().accessToken).toContain(platform.emulator.tokens[1]!.token);
	});

	test.each([' URL', 'URL \n', 'URL/ ', 'URL/api/v1/ '])(
		'accepts the Base URL %j, as the nodes do',
		async (baseUrl) => {
			edit({ baseUrl: baseUrl.replace('URL', platform.emulator.url) });
			expect(await testCredential(platform)).toBeUndefined();
			expect((await platform.run()).error).toBeUndefined();
		},
	);

	test('keeps the stored token when the platform repeats it', async () => {
		const custom = await startCustomPlatform(platform);
		await platform.run();
		edit({});
		expect(await testCredential(platform)).toBeUndefined();
		expect(custom.exchanges()).toHaveLength(2);
		expect(stored().accessToken).toMatch(/^a-token /);
		await custom.stop();
	});

	test.each([
		['App Secret', { appSecret: 'not-the-secret' }, /the signature is wrong.*Check the App Secret/],
		['App ID', { appId: 'nobody' }, /the application is unknown or disabled/],
	])('reports a wrong %s although a token is stored', async (_, change, says) => {
		await platform.run();
		edit(change);
		expect(await testCredential(platform)).toMatch(says);
	});
});
