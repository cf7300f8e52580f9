import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IHttpRequestOptions, IRequestOptions } from 'n8n-workflow';
import { loopback, type Loopback } from '../../loopback';
import { testCredential } from '../docs/credentialTest';
import { respond } from '../harness/customPlatform';
import { CREDENTIAL_TYPE as TYPE, otherNodeContext } from '../harness/otherNode';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();
let servers: Loopback[] = [];
afterEach(async () => {
	await Promise.all(servers.map(async (server) => await server.stop()));
	servers = [];
});

interface Applications extends Loopback {
	/** Tokens and Authorization headers that arrived with requests, in order. */
	tokens: string[];
	/** Apps for which a token was requested, in order. */
	exchanges: string[];
}

async function textOf(request: IncomingMessage): Promise<string> {
	const chunks = await request.toArray();
	return Buffer.concat(chunks as Buffer[]).toString();
}

/** Starts a platform with several applications. Each token begins with the name of the server and the App ID. */
async function applications(name: string): Promise<Applications> {
	const tokens: string[] = [];
	const exchanges: string[] = [];
	const answer = async (request: IncomingMessage, response: ServerResponse) => {
		const { app_id = '' } = JSON.parse((await textOf(request)) || '{}') as { app_id?: string };
		if (request.url === '/api/v1/getAccessToken') {
			const access_token = `${name}-${app_id}-${exchanges.push(app_id)}`;
			respond(response, 200, { success: true, code: 200, data: { access_token } });
			return;
		}
		const { authorization, 'x-legacy-token': token = authorization } = request.headers;
		tokens.push(String(token));
		respond(response, 200, { success: true, code: 200, data: { id: '1' } });
	};
	const server = await loopback((request, response) => void answer(request, response));
	servers.push(server);
	return { ...server, tokens, exchanges };
}

/** Stores a token of application a, and then changes the credential without a test. */
async function change(to: object): Promise<Applications> {
	const first = await applications('first');
	Object.assign(platform.credential, { baseUrl: first.url, appId: 'a', appSecret: 'secret-of-a' });
	expect((await platform.run()).error).toBeUndefined();
	Object.assign(platform.credential, platform.store.stored.get('1'), to);
	platform.store.stored.set('1', platform.credential as never);
	return first;
}

const toB = { appId: 'b', appSecret: 'secret-of-b' };
const legacy = async (url: string) => {
	const context = otherNodeContext(platform.store);
	const options = { uri: url, method: 'POST', body: {}, json: true } as IRequestOptions;
	await context.helpers.requestWithAuthentication.call(context, TYPE, options);
};
const newer = async (url: string) => {
	const context = otherNodeContext(platform.store);
	const options = { url, method: 'POST', body: {} } as IHttpRequestOptions;
	await context.helpers.httpRequestWithAuthentication.call(context, TYPE, options);
};

describe('A stored token', () => {
	test.each([
		['App ID and App Secret', toB, /^first-b-2$/],
		['App Secret', { appSecret: 'another-secret' }, /^first-a-2$/],
	])('is not used after a change of %s', async (_, to, expected) => {
		const first = await change(to);
		const results = await Promise.all([1, 2, 3].map(async () => await platform.run()));
		expect(results.filter(({ error }) => error)).toEqual([]);
		expect(first.tokens.slice(1)).toEqual(Array(3).fill(expect.stringMatching(expected)));
		expect((await platform.run()).error).toBeUndefined();
		expect(first.exchanges).toHaveLength(2);
	});

	test('is not sent to another server', async () => {
		const second = await applications('second');
		await change({ baseUrl: second.url });
		expect((await platform.run()).error).toBeUndefined();
		expect(second.tokens).toEqual(['second-a-1']);
	});

	test.each([
		['the older helper', legacy],
		['the newer helper', newer],
	])('is not used by another node with another application (%s)', async (_, send) => {
		const first = await change(toB);
		await send(`${first.url}/api/v1/other`);
		await send(`${first.url}/api/v1/other`);
		expect(first.tokens.slice(1)).toEqual(Array(2).fill('Bearer first-b-2'));
	});

	test('is used for each item of another node after one exchange', async () => {
		const first = await change(toB);
		await Promise.all([1, 2, 3].map(async () => await newer(`${first.url}/api/v1/other`)));
		expect(new Set(first.tokens.slice(1))).toEqual(new Set(['Bearer first-b-2']));
	});
});

test('A run sends nothing for an application to which its credential is changed', async () => {
	await platform.run();
	platform.emulator.revokeTokens();
	const read = platform.store.getDecrypted.bind(platform.store);
	let reads = 0;
	platform.store.getDecrypted = async (...args) => {
		const data = await read(...args);
		return reads++ === 0 ? data : { ...data, ...toB };
	};
	const { error } = await platform.run();
	expect(error).toMatchObject({ context: { data: { outcome: 'refused' } } });
	expect(platform.received('getAccessToken')).toHaveLength(1);
	expect(platform.store.updates).toBe(1);
});

describe('A credential with expressions', () => {
	const runApps = async (...apps: string[]) => {
		const server = await applications('first');
		const appId = '={{ $json.app }}';
		Object.assign(platform.credential, { baseUrl: server.url, appId, appSecret: 'secret' });
		platform.store.stored.set('1', platform.credential as never);
		const result = await platform.run({}, { items: apps.map((app) => ({ app })) });
		return { ...result, tokens: server.tokens };
	};

	test.each([[['a', 'b']], [['a', 'b', 'a']]])(
		'sends nothing if its application depends on the item (%j)',
		async (apps) => {
			const { error, tokens } = await runApps(...apps);
			expect(error!.message).toBe(
				'Nothing was sent for the post. Expressions in the credential give the items different settings. Send the items of each application in a run of their own, for example with Loop Over Items.',
			);
			expect(tokens).toEqual([]);
		},
	);

	test('sends nothing if Only Listed Accounts depends on the item', async () => {
		platform.credential.accounts = { account: [{ name: 'A', id: 'acc_1' }] };
		Object.assign(platform.credential, { onlyListedAccounts: '={{ !$json.trusted }}' });
		const items = [{ trusted: true }, { trusted: false }];
		const { error } = await platform.run({}, { items });
		expect(error!.message).toContain('give the items different settings');
		expect(platform.emulator.received).toEqual([]);
	});

	test('is used if all items have the same application', async () => {
		const { error, tokens } = await runApps('b', 'b', 'b');
		expect(error).toBeUndefined();
		expect(tokens).toEqual(Array(3).fill('first-b-1'));
	});
});

describe('The test of a credential', () => {
	test('fails with a wrong App Secret although another credential has just fetched a token', async () => {
		await platform.run();
		Object.assign(platform.credential, { appSecret: 'not-the-secret', accessToken: 'any' });
		expect(await testCredential(platform)).toMatch(/the signature is wrong/);
		Object.assign(platform.credential, { accessToken: '' });
		expect(await testCredential(platform)).toMatch(/the signature is wrong/);
	});

	test('makes an exchange although another credential has just fetched a token', async () => {
		await platform.run();
		Object.assign(platform.credential, { accessToken: 'an-older-token' });
		expect(await testCredential(platform)).toBeUndefined();
		expect(platform.received('getAccessToken')).toHaveLength(2);
	});
});
