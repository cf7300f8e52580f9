import type { IncomingMessage, ServerResponse } from 'node:http';
import { loopback, type Loopback } from '../../loopback';
import { respond } from '../harness/customPlatform';
import { otherNodeContext, requestHelpers } from '../harness/otherNode';
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

/** Starts a platform with several applications. Each token begins with the name of the server and the App ID. */
async function applications(name: string): Promise<Applications> {
	const tokens: string[] = [];
	const exchanges: string[] = [];
	const answer = async (request: IncomingMessage, response: ServerResponse) => {
		const text = Buffer.concat((await request.toArray()) as Buffer[]).toString();
		const { app_id = '' } = JSON.parse(text || '{}') as { app_id?: string };
		const { authorization, 'x-legacy-token': token = authorization } = request.headers;
		const isExchange = request.url === '/api/v1/getAccessToken';
		const data = isExchange
			? { access_token: `${name}-${app_id}-${exchanges.push(app_id)}` }
			: { id: tokens.push(String(token)) };
		respond(response, 200, { success: true, code: 200, data });
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

describe('A stored token', () => {
	test('is not used for another application, for which one exchange is made', async () => {
		const first = await change(toB);
		const results = await Promise.all([1, 2, 3].map(async () => await platform.run()));
		expect(results.filter(({ error }) => error)).toEqual([]);
		expect((await platform.run()).error).toBeUndefined();
		expect(first.tokens.slice(1)).toEqual(Array(4).fill('first-b-2'));
	});

	test('is not sent to another server', async () => {
		const second = await applications('second');
		await change({ baseUrl: second.url });
		expect((await platform.run()).error).toBeUndefined();
		expect(second.tokens).toEqual(['second-a-1']);
	});

	test.each(Object.keys(requestHelpers))(
		'is not used by another node with another application (%s)',
		async (helper) => {
			const first = await change(toB);
			const context = otherNodeContext(platform.store);
			const options = { method: 'POST', body: {}, json: true };
			for (let i = 0; i < 2; i++) {
				await requestHelpers[helper]!(context, `${first.url}/api/v1/other`, options);
			}
			expect(first.tokens.slice(1)).toEqual(Array(2).fill('Bearer first-b-2'));
		},
	);
});

test('A run does not post for another application that its credential gets meanwhile', async () => {
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
		const { error } = await platform.run({}, { items: apps.map((app) => ({ app })) });
		return { message: error?.message, tokens: server.tokens };
	};

	test.each([[...'aba'], [...'aab']])(
		'sends nothing if its application depends on the item (%s, %s)',
		async (...apps) => {
			expect(await runApps(...apps)).toStrictEqual({
				message:
					'Nothing was sent for the post. Expressions in the credential give the items different settings. Send the items of each application in a run of their own, for example with Loop Over Items.',
				tokens: [],
			});
		},
	);

	test('is used if all items have the same application', async () => {
		const tokens = Array(3).fill('first-b-1') as string[];
		expect(await runApps('b', 'b', 'b')).toStrictEqual({ message: undefined, tokens });
	});
});
