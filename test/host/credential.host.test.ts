import type { FaultKind } from '../emulator';
import { loopback } from '../loopback';
import { withToken } from '../storedToken';
import {
	droppingConnections,
	silent,
	tls,
	tunnelling,
	type TestServer,
	type ProxyTestServer,
} from '../testServers';
import { DatabaseLock } from './databaseLock';
import { pause } from './postFlow';
import { newest, thisHost } from '../n8n/hosts';
import type { WorkflowNode } from '../n8n/rest';
import { Setup, withEditor } from '../n8n/setup';
import {
	CREDENTIAL_TYPE,
	manual,
	NODE_TYPE,
	post,
	reference,
	row,
	webhook,
} from '../n8n/workflows';

let setup: Setup;
/** The data of a credential with a stored token. */
const storedToken = (token: string, baseUrl: string) => {
	const { appId, appSecret } = setup.emulator;
	return withToken({ baseUrl, appId, appSecret }, token);
};
beforeAll(async () => {
	setup = await Setup.start({ env: withEditor });
});
afterAll(async () => await setup?.stop());
beforeEach(() => setup.emulator.reset());

const media = { mediaUrls: ['https://example.com/a.jpg'] };

describe('the packed package', () => {
	it('is loaded under the names in saved workflows', async () => {
		const nodes = await setup.rest.call<Array<{ name: string }>>('GET', '/types/nodes.json');
		const types = await setup.rest.call<Array<{ name: string }>>('GET', '/types/credentials.json');
		expect(nodes.map(({ name }) => name)).toEqual(
			expect.arrayContaining([NODE_TYPE, `${NODE_TYPE}Tool`]),
		);
		expect(types.map(({ name }) => name)).toContain(CREDENTIAL_TYPE);
		expect(setup.n8n.log()).not.toMatch(/social-open-platform.*(fail|error|not)/i);
	});

	it('provides the output schemas of its operations to the editor', async () => {
		const first = { create: 'request_id', validate: 'summary' };
		for (const [operation, name] of Object.entries(first)) {
			const path = `/schemas/${NODE_TYPE}/1.0.0/post/${operation}.json`;
			const schema = await setup.rest.call<{ properties: object }>('GET', path);
			expect(Object.keys(schema.properties)[0]).toBe(name);
		}
	});
});

describe('The credential test', () => {
	it('makes one exchange and stores a token for the next post', async () => {
		const credential = await setup.credential('good');
		const answer = await setup.rest.testCredential(credential);
		expect(answer).toMatchObject({ status: 'OK' });
		expect(setup.arrived('getAccessToken')).toBe(1);

		const { id } = await setup.rest.createWorkflow(row('after', manual(), post(credential, media)));
		expect(await setup.rest.run(id, 'Start')).toMatchObject({ status: 'success' });
		expect(setup.arrived('createPost')).toBe(1);
		expect(setup.arrived('getAccessToken')).toBe(1);
	});

	it('refuses a wrong secret although a token is stored', async () => {
		const credential = await setup.credential('changed');
		expect(await setup.rest.testCredential(credential)).toMatchObject({ status: 'OK' });
		const path = `/rest/credentials/${credential.id}?includeData=true`;
		const { data } = await setup.rest.call<{ data: object }>('GET', path);
		expect(data).toHaveProperty('accessToken');
		const edited = { ...credential, data: { ...data, appSecret: 'wrong' } };
		const answer = await setup.rest.testCredential(edited);
		expect(answer.status).toBe('Error');
		expect(answer.message).toMatch(/check the App Secret/i);
	});

	const refusals: Array<[what: string, data: object, kind: FaultKind | undefined, says: RegExp]> = [
		['an unknown application', { appId: 'nobody' }, undefined, /应用不存在.*Compare the App ID/],
		['a URL without TLS', { baseUrl: 'http://nothing.invalid' }, undefined, /Allow Plain HTTP/],
		['an HTML page', {}, 'html', /(HTML|web page).*Base URL/i],
		['a platform that repeats secrets', {}, 'echo-secrets', /请求被拒绝/],
	];
	it.each(refusals)('explains %s', async (what, data, kind, says) => {
		if (kind) setup.emulator.fault({ kind, operation: 'getAccessToken', times: 9 });
		const credential = await setup.credential(what, data as Record<string, unknown>);
		const answer = await setup.rest.testCredential(credential);
		setup.shown.push(answer.message);
		expect(answer).toEqual({ status: 'Error', message: expect.stringMatching(says) as string });
	});
});

it('twenty executions whose token was revoked fetch one new token', async () => {
	const credential = await setup.credential('revoked');
	const text = '={{ $json.body.text }}';
	const workflow = row('revoked', webhook('revoked'), post(credential, { ...media, text }));
	await setup.rest.activate(await setup.rest.createWorkflow(workflow));
	expect(await setup.production('revoked', { text: 'first' })).toMatchObject({ status: 200 });
	setup.emulator.revokeTokens();
	// Slow enough for most of the other executions to arrive during the exchange.
	setup.emulator.fault({ kind: 'slow', operation: 'getAccessToken', delayMs: 500 });

	const texts = Array.from({ length: 20 }, (_, index) => `post ${index}`);
	const answers = await Promise.all(
		texts.map(async (each) => await setup.production('revoked', { text: each })),
	);
	expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 200));
	expect(setup.arrived('getAccessToken')).toBe(2);
	const posted = setup.emulator.posts.map(({ request }) => (request as { text: string }).text);
	expect(posted.sort()).toEqual(['first', ...texts].sort());
});

const call = (parameters: object): WorkflowNode => ({
	name: 'Call',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: CREDENTIAL_TYPE,
		options: {},
		...parameters,
	},
});

describe('a post that fails on the way to the platform', () => {
	type ErrorItem = { error: string; details: { outcome: string } };

	/** The output item of a post, which another server receives even while the database is locked. */
	async function itemOf(name: string, data: Record<string, unknown>): Promise<ErrorItem> {
		let resolve: (item: ErrorItem) => void;
		const received = new Promise<ErrorItem>((done) => (resolve = done));
		const listener = await loopback((request, response) => {
			let body = '';
			request.on('data', (part) => (body += part));
			request.on('end', () => resolve(JSON.parse(body) as ErrorItem));
			response.end('{}');
		});
		const forward = call({
			...{ method: 'POST', url: listener.url, authentication: 'none', sendBody: true },
			...{ specifyBody: 'json', jsonBody: '={{ JSON.stringify($json) }}' },
		});
		const continueOnError = { onError: 'continueRegularOutput' };
		const credential = await setup.credential(name, data);
		const node = post(credential, { ...media, options: { timeout: 2 } }, continueOnError);
		const { id } = await setup.rest.createWorkflow(row(name, manual(), node, forward));
		await setup.rest.start(id, 'Start');
		const item = await received;
		await listener.stop();
		setup.shown.push(item.error);
		return item;
	}

	const onlyOldTls = async () =>
		await tls('valid', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' });
	const servers: Array<[string, () => Promise<TestServer>, reason: string]> = [
		['the server drops attempts to connect', droppingConnections, 'in time (timeout)'],
		['the TLS handshake hangs', silent, 'in time (timeout)'],
		['the platform supports only an older TLS', onlyOldTls, 'no secure connection (TLS)'],
	];
	it.each(servers)('is not_sent, or unknown in n8n 1, if %s', async (name, start, reason) => {
		const server = await start();
		const baseUrl = `https://127.0.0.1:${server.port}`;
		const item = await itemOf(name, storedToken('a-token', baseUrl));
		await server.stop();
		// The errors of n8n 1 do not contain the request.
		const isKnown = thisHost === newest;
		expect(item.details.outcome).toBe(isKnown ? 'not_sent' : 'unknown');
		if (!isKnown) return;
		expect(item.error).toMatch(/^Nothing was sent for the post: no /);
		expect(item.error).toContain(reason);
	});

	it('is unknown once the request has been sent', async () => {
		const server = await loopback((request) => request.socket.resetAndDestroy());
		const item = await itemOf('reset', storedToken('a-token', server.url));
		expect(item.details.outcome).toBe('unknown');
		expect(server.received).toHaveLength(1);
		await server.stop();
	});

	it('is sent even if n8n cannot store its token', async () => {
		let lock: DatabaseLock | undefined;
		const token = { success: true, code: 200, data: { access_token: 'a-token-0123456789' } };
		const platform = await loopback((request, response) => {
			if (request.url !== '/api/v1/getAccessToken') return void response.end(JSON.stringify(token));
			void DatabaseLock.hold(setup.n8n.userFolder).then((held) => {
				lock = held;
				response.end(JSON.stringify(token));
			});
		});
		const item = await itemOf('locked', { baseUrl: platform.url });
		await lock!.release();
		expect(item).not.toHaveProperty('error');
		await pause(1_000);
		expect(platform.received.map(({ url }) => url)).toEqual([
			'/api/v1/getAccessToken',
			'/api/v1/socialPostCreatePhoto',
		]);
		await platform.stop();
	}, 90_000);
});

describe('the HTTP Request node with this credential', () => {
	async function run(parameters: object, data: Record<string, unknown> = {}, settings = {}) {
		const credentials = reference(await setup.credential('for HTTP Request', data));
		const node = { ...call(parameters), credentials, ...settings };
		const { id } = await setup.rest.createWorkflow(row('call', manual(), node));
		return await setup.rest.run(id, 'Start');
	}

	it('sends a bearer token to other operations', async () => {
		const url = `${setup.emulator.url}/api/v1/ping`;
		const execution = await run({ url });
		expect(execution.runs.Call?.[0]?.data?.main[0]?.[0]?.json).toMatchObject({ success: true });
		const request = setup.emulator.received.find(({ path }) => path === '/api/v1/ping');
		expect(request?.headers.authorization).toMatch(/^Bearer \S+$/);
		expect(request?.headers).not.toHaveProperty('x-legacy-token');
	});

	const createPost = () => ({
		method: 'POST',
		url: `${setup.emulator.url}/api/v1/socialPostCreatePhoto`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: JSON.stringify({
			social_account_id: 'acc_1',
			type: 'POST',
			media_urls: media.mediaUrls,
		}),
	});

	it('creates a post with the token in the header of that operation', async () => {
		expect(await run(createPost())).toMatchObject({ status: 'success' });
		expect(setup.emulator.posts).toHaveLength(1);
		const request = setup.emulator.received.find(({ operation }) => operation === 'createPost');
		expect(request?.headers['x-legacy-token']).toBe(setup.emulator.tokens[0]?.token);
		expect(request?.headers).not.toHaveProperty('authorization');
	});

	it.each(['server-error-after', 'reset-after'] as const)(
		'creates only one post after %s',
		async (kind) => {
			setup.emulator.fault({ kind, operation: 'createPost' });
			const execution = await run(createPost());
			expect(execution.error?.message).toMatch(/not sent again/);
			expect(setup.emulator.posts).toHaveLength(1);
			expect(setup.arrived('createPost')).toBe(1);
		},
	);

	describe('with options that could send its secrets to another server', () => {
		const token = 'a-token-0123456789';
		const paths = ['/v1/chat/completions', '/api/v1/socialPostCreatePhoto', '/api/v1/other'];
		let proxy: ProxyTestServer;
		beforeAll(async () => (proxy = await tunnelling(9)));
		afterAll(async () => await proxy.stop());

		/** Checks that the execution contains no secret. Returns the error message of the node. */
		async function refusal(parameters: object, baseUrl: string, settings = {}) {
			const execution = await run(parameters, storedToken(token, baseUrl), settings);
			for (const secret of [setup.emulator.appSecret, token]) {
				expect(execution.raw).not.toContain(secret);
			}
			setup.shown.push(execution.error?.message ?? '');
			return execution.error?.message;
		}

		const proxyUrl = () => `http://127.0.0.1:${proxy.port}`;

		const headerParameters = { parameters: [{ name: 'Host', value: 'elsewhere.example' }] };
		const refused: Array<[what: string, says: RegExp, parameters: () => object]> = [
			[
				'with Ignore SSL Issues',
				/The option 'Ignore SSL Issues'/,
				() => ({ options: { allowUnauthorizedCerts: true, proxy: proxyUrl() } }),
			],
			[
				'with Proxy over plain HTTP',
				/the option 'Proxy'/,
				() => ({ options: { proxy: proxyUrl() } }),
			],
			['with a Host header', /The header 'Host'/, () => ({ sendHeaders: true, headerParameters })],
			[
				'for the token route',
				/This credential fetches and renews/,
				() => ({ method: 'POST', url: `${setup.emulator.url}//api/v1//%67etAccessToken?x=1` }),
			],
		];
		it.each(refused)('is refused %s', async (what, says, parameters) => {
			const baseUrl = what.includes('SSL') ? 'https://127.0.0.1:9' : setup.emulator.url;
			const message = await refusal({ url: baseUrl + paths[0], ...parameters() }, baseUrl);
			expect(message).toMatch(/^Nothing was sent\. /);
			expect(message).toMatch(says);
			expect([...proxy.received(), ...setup.emulator.received]).toEqual([]);
		});

		it('is not sent to the target of a redirect', async () => {
			const elsewhere = await loopback((_, response) => response.end('{}'));
			const platform = await loopback((_, response) =>
				response.writeHead(307, { location: elsewhere.url }).end('{}'),
			);
			const redirect = { redirect: { followRedirects: true, maxRedirects: 5 } };
			const options = { redirect, sendCredentialsOnCrossOriginRedirect: true };
			await refusal({ url: `${platform.url}/api/v1/moved`, options }, platform.url);
			expect(platform.received[0]?.headers.authorization).toBe(`Bearer ${token}`);
			expect(elsewhere.received).toEqual([]);
			await elsewhere.stop();
			await platform.stop();
		});

		it('has no token in the item of a failed request', async () => {
			const platform = await loopback((_, response) => response.writeHead(500).end('{}'));
			const settings = { onError: 'continueRegularOutput' };
			for (const path of paths) {
				await refusal({ url: platform.url + path }, platform.url, settings);
			}
			const sent = platform.received.map(({ headers }) => headers.authorization);
			expect(sent).toContain(`Bearer ${token}`);
			await platform.stop();
		});
	});
});
