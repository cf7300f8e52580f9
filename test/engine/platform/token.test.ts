import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { SocialOpenPlatformApi } from '../../../credentials/SocialOpenPlatformApi.credentials';
import { testCredential } from '../docs/credentialTest';
import { respond, startCustomPlatform } from '../harness/customPlatform';
import { usePlatform, useShortTokenWaits } from '../harness/platform';
import { withToken } from '../../storedToken';

const platform = usePlatform();
useShortTokenWaits();

const exchanges = () => platform.received('getAccessToken').length;
const stored = () => platform.store.stored.get('1')!;
const lastToken = () => platform.received('createPost').at(-1)!.headers['x-legacy-token'];
const together = async () =>
	await Promise.all(Array.from({ length: 10 }, async () => await platform.run()));
const accepts = async () => expect((await platform.run()).error).toBeUndefined();

describe('A token', () => {
	test('is fetched once and stored for later executions, without other fields', async () => {
		await accepts();
		await accepts();
		expect(exchanges()).toBe(1);
		platform.emulator.expireTokens();
		await accepts();
		expect(stored()).toStrictEqual({
			...platform.credential,
			accessToken: expect.stringContaining(platform.emulator.tokens[1]!.token),
		});
	});

	test('is fetched once for 10 executions that start together', async () => {
		expect((await together()).filter(({ error }) => error)).toEqual([]);
		expect(exchanges()).toBe(1);
		expect(platform.emulator.posts).toHaveLength(10);
	});

	test('is replaced with one exchange for 10 parallel executions', async () => {
		await accepts();
		platform.emulator.expireTokens();
		expect((await together()).filter(({ error }) => error)).toEqual([]);
		expect(exchanges()).toBe(2);
		expect(platform.emulator.posts).toHaveLength(11);
	});

	test('is replaced after HTTP 401 with any code', async () => {
		Object.assign(platform.credential, { renewalCodes: '' });
		platform.emulator.fault({ kind: 'unauthorized-401', operation: 'createPost' });
		await accepts();
		expect(exchanges()).toBe(2);
	});

	test('is replaced after HTTP 200 only with the codes of the credential', async () => {
		Object.assign(platform.credential, { renewalCodes: '4711' });
		const fault = { kind: 'token-rejected-200', operation: 'createPost' } as const;
		platform.emulator.fault({ ...fault, code: 1001 });
		expect((await platform.run()).error!.message).toContain('1001');
		expect(exchanges()).toBe(1);
		platform.emulator.fault({ ...fault, code: 4711 });
		await accepts();
		expect(exchanges()).toBe(2);
	});

	test('is used after other processes have revoked new ones for 1.5 seconds', async () => {
		jest.mocked(Math.random).mockReturnValue(0);
		const custom = await startCustomPlatform(platform);
		let first: number | undefined;
		custom.post = (_, response) => {
			first ??= performance.now();
			const isRevoked = performance.now() - first < 1_500;
			const accepted = { success: true, code: 200, data: { id: '1' } };
			respond(response, 200, isRevoked ? { success: false, code: 10104 } : accepted);
		};
		await accepts();
		await custom.stop();
	});

	test('of another process is read from the store each time it has been replaced there', async () => {
		const custom = await startCustomPlatform(platform);
		const seen: unknown[] = [];
		const credential = withToken({ ...stored() }, 'first');
		custom.post = (request, response) => {
			seen.push(request.headers['x-legacy-token']);
			const isGood = seen.length > 2;
			if (isGood) respond(response, 200, { success: true, code: 200, data: { id: '1' } });
			else respond(response, 200, { success: false, code: 10104, message: 'access_token 无效' });
			platform.store.stored.set('1', withToken({ ...credential }, `other-${seen.length}`));
		};
		platform.store.stored.set('1', credential);
		await accepts();
		expect(seen).toEqual(['first', 'other-1', 'other-2']);
		expect(custom.exchanges()).toEqual([]);
		await custom.stop();
	});

	test.each([2, 3])('is replaced even if read %i of the credential fails', async (bad) => {
		await accepts();
		platform.emulator.expireTokens();
		const read = platform.store.getDecrypted.bind(platform.store);
		let reads = 0;
		platform.store.getDecrypted = async (...args) => {
			if (++reads === bad) throw new Error('the database is locked');
			return await read(...args);
		};
		await accepts();
		expect(platform.emulator.posts).toHaveLength(2);
	});

	test('of this process is used instead of an invalid one that another process stored later', async () => {
		await accepts();
		platform.store.stored.set('1', withToken({ ...stored() }, 'dead'));
		await accepts();
		expect(exchanges()).toBe(1);
		expect(lastToken()).toBe(platform.emulator.tokens[0]!.token);
	});

	test('is also used in executions that have read the old one', async () => {
		withToken(platform.credential, 'stale-token');
		platform.store.updateCredentials = async () => {};
		for (let i = 0; i < 3; i++) await accepts();
		expect(exchanges()).toBe(1);
	});

	test('is the same for all requests of the HTTP Request node that are rejected together', async () => {
		const httpRequest = async ({ url, body }: IHttpRequestOptions) => {
			const headers = { 'Content-Type': 'application/json' };
			const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
			return { statusCode: answer.status, headers: {}, body: answer.body };
		};
		const renew = async () =>
			await new SocialOpenPlatformApi().preAuthentication.call({ helpers: { httpRequest } }, {
				...withToken(platform.credential, 'refused'),
			} as ICredentialDataDecryptedObject);
		const given = await Promise.all([renew(), renew(), renew()]);
		const { accessToken } = withToken(platform.credential, platform.emulator.tokens[0]!.token);
		expect(given).toStrictEqual(Array(3).fill({ accessToken }));
		expect(exchanges()).toBe(1);
	});

	test('is used for the post and the next run if n8n cannot store it', async () => {
		const { store } = platform;
		const update = store.updateCredentials.bind(store);
		store.updateCredentials = async () => {
			throw new Error('SQLITE_BUSY: database is locked');
		};
		await accepts();
		store.updateCredentials = update;
		await accepts();
		expect(exchanges()).toBe(1);
	});
});

describe('The test of a credential', () => {
	/** Changes a credential after its token was stored. n8n passes the token to the test. */
	const edit = (change: object) => Object.assign(platform.credential, stored(), change);

	test('makes an exchange although a token is stored, and stores the new token', async () => {
		await accepts();
		edit({});
		expect(await testCredential(platform)).toBeUndefined();
		expect(exchanges()).toBe(2);
		expect(stored().accessToken).toContain(platform.emulator.tokens[1]!.token);
	});

	test('makes an exchange although another credential has just fetched a token', async () => {
		await accepts();
		for (const accessToken of ['', 'an-older-token']) {
			Object.assign(platform.credential, { accessToken });
			expect(await testCredential(platform)).toBeUndefined();
		}
		expect(exchanges()).toBe(3);
	});

	test('keeps the stored token when the platform repeats it', async () => {
		const custom = await startCustomPlatform(platform);
		await accepts();
		edit({});
		expect(await testCredential(platform)).toBeUndefined();
		expect(custom.exchanges()).toHaveLength(2);
		expect(stored().accessToken).toMatch(/^a-token /);
		await custom.stop();
	});

	test('reports a field name that another field uses, and makes no exchange', async () => {
		Object.assign(platform.credential, { collaboratorsField: 'text' });
		expect(await testCredential(platform)).toContain("'Collaborators Field' is 'text'");
		expect(exchanges()).toBe(0);
	});

	test('reports a wrong App Secret although a token is stored', async () => {
		await accepts();
		edit({ appSecret: 'not-the-secret' });
		expect(await testCredential(platform)).toMatch(/the signature is wrong.*Check the App Secret/);
	});
});
