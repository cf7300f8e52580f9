import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FaultSpec } from '../emulator';
import { loopback } from '../loopback';
import {
	droppingConnections,
	silent,
	tls,
	trusted,
	tunnelling,
	type TestServer,
	type ProxyTestServer,
	type TlsTestServer,
} from '../testServers';
import { DatabaseLock } from './databaseLock';
import { pause, until } from './postFlow';
import type { WorkflowNode } from '../n8n/rest';
import { Setup, withEditor } from '../n8n/setup';
import { sweep } from '../n8n/sweep';
import {
	CREDENTIAL_TYPE,
	given,
	manual,
	NODE_TYPE,
	post,
	reference,
	row,
	webhook,
} from '../n8n/workflows';

let setup: Setup;
beforeAll(async () => {
	setup = await Setup.start({ env: withEditor });
});
afterAll(async () => await setup?.stop());
beforeEach(() => setup.emulator.reset());

const media = { mediaUrls: ['https://example.com/a.jpg'] };
const messages: string[] = [];

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

	it.each(['create', 'validate'])(
		'provides the output schema of %s to the editor',
		async (operation) => {
			const path = `/schemas/${NODE_TYPE}/1.0.0/post/${operation}.json`;
			const schema = await setup.rest.call<{ properties: object }>('GET', path);
			const first = operation === 'create' ? 'request_id' : 'summary';
			expect(Object.keys(schema.properties)[0]).toBe(first);
		},
	);
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

	const refusals: Array<[what: string, data: object, fault: Partial<FaultSpec>, says: RegExp[]]> = [
		['a wrong secret', { appSecret: 'wrong' }, {}, [/签名错误/, /check the App Secret/i]],
		[
			'an unknown application',
			{ appId: 'nobody' },
			{},
			[/应用不存在/, /Compare the App ID in the credential/],
		],
		['a closed port', { baseUrl: 'http://127.0.0.1:9' }, {}, [/refused/]],
		['an unknown host', { baseUrl: 'https://nothing.invalid' }, {}, [/not found/]],
		['a URL without TLS', { baseUrl: 'http://nothing.invalid' }, {}, [/Allow Plain HTTP/]],
		['an HTML page', {}, { kind: 'html' }, [/HTML|web page/i, /Base URL/]],
		['a redirect', {}, { kind: 'redirect' }, [/redirect/, /example\.invalid/, /Base URL/]],
		['a refusal with a message', {}, { kind: 'refused-without-code' }, [/该社交账号未授权/]],
		['a platform that echoes', {}, { kind: 'echo-secrets' }, [/请求被拒绝/]],
		['an answer that never comes', {}, { kind: 'no-answer' }, [/timeout|in time/]],
	];
	it.each(refusals)('explains %s', async (what, data, fault, says) => {
		const { kind, ...more } = fault;
		if (kind) setup.emulator.fault({ kind, ...more, operation: 'getAccessToken', times: 9 });
		const credential = await setup.credential(what, data as Record<string, unknown>);
		const answer = await setup.rest.testCredential(credential);
		messages.push(answer.message);
		expect(answer.status).toBe('Error');
		for (const part of says) expect(answer.message).toMatch(part);
	});
});

describe('twenty executions whose token is rejected', () => {
	it.each(['expireTokens', 'revokeTokens'] as const)('fetch one new token (%s)', async (spoil) => {
		const credential = await setup.credential(`many ${spoil}`);
		const text = '={{ $json.body.text }}';
		const workflow = row(spoil, webhook(spoil), post(credential, { ...media, text }));
		await setup.rest.activate(await setup.rest.createWorkflow(workflow));
		expect(await setup.production(spoil, { text: 'first' })).toMatchObject({ status: 200 });
		setup.emulator[spoil]();
		// Slow enough for most of the other executions to arrive during the exchange.
		setup.emulator.fault({ kind: 'slow', operation: 'getAccessToken', delayMs: 500 });

		const texts = Array.from({ length: 20 }, (_, index) => `post ${index}`);
		const answers = await Promise.all(
			texts.map(async (each) => await setup.production(spoil, { text: each })),
		);
		expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 200));
		expect(setup.arrived('getAccessToken')).toBe(2);
		const posted = setup.emulator.posts.map(({ request }) => (request as { text: string }).text);
		expect(posted.sort()).toEqual(['first', ...texts].sort());
	});
});

describe('a post that fails on the way to the platform', () => {
	/** Posts once with this credential, and sends the output item to `receiver`. */
	async function run(name: string, data: Record<string, unknown>, receiver: string) {
		const credential = await setup.credential(name, data);
		const continueOnError = { onError: 'continueRegularOutput' };
		const forward: WorkflowNode = {
			name: 'Forward',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				method: 'POST',
				url: receiver,
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '={{ JSON.stringify($json) }}',
				options: {},
			},
		};
		const node = post(credential, { ...media, options: { timeout: 2 } }, continueOnError);
		const { id } = await setup.rest.createWorkflow(row(name, manual(), node, forward));
		return await setup.rest.start(id, 'Start');
	}

	type ErrorItem = { error: string; details: { outcome: string } };

	/** The output item of a post. `meanwhile` runs during the post. */
	async function itemOf(
		name: string,
		data: Record<string, unknown>,
		meanwhile: () => Promise<unknown> = async () => {},
	): Promise<ErrorItem> {
		let resolve: (item: ErrorItem) => void;
		const item = new Promise<ErrorItem>((done) => (resolve = done));
		const listener = await loopback((request, response) => {
			let body = '';
			request.on('data', (part) => (body += part));
			request.on('end', () => resolve(JSON.parse(body) as ErrorItem));
			response.end('{}');
		});
		await run(name, data, listener.url);
		await meanwhile();
		const received = await item;
		await listener.stop();
		messages.push(received.error);
		return received;
	}

	const servers: Array<[string, 'http' | 'https', () => Promise<TestServer>]> = [
		['attempts to connect are dropped', 'http', droppingConnections],
		['attempts to connect to HTTPS are dropped', 'https', droppingConnections],
		['the TLS handshake hangs', 'https', silent],
	];
	it.each(servers)('is not_sent if %s', async (name, scheme, start) => {
		const server = await start();
		const baseUrl = `${scheme}://127.0.0.1:${server.port}`;
		const item = await itemOf(name, { baseUrl, accessToken: 'a-token' });
		expect(item.error).toBe(
			'Nothing was sent for the post: no connection was established in time (timeout)',
		);
		expect(item.details.outcome).toBe('not_sent');
		await server.stop();
	});

	it('is not_sent if the platform supports only an older TLS', async () => {
		const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
		const server = await tls('valid', { ...old, ciphers: 'ALL:@SECLEVEL=0' });
		const baseUrl = `https://127.0.0.1:${server.port}`;
		const item = await itemOf('older TLS', { baseUrl, accessToken: 'a-token' });
		expect(item.error).toContain('no secure connection (TLS) could be established');
		expect(item.details.outcome).toBe('not_sent');
		await server.stop();
	});

	it('is unknown once the request has been sent', async () => {
		const server = await loopback((request) => request.socket.resetAndDestroy());
		const item = await itemOf('reset', { baseUrl: server.url, accessToken: 'a-token' });
		expect(item.details.outcome).toBe('unknown');
		expect(server.received).toHaveLength(1);
		await server.stop();
	});

	it('is not_sent if n8n cannot store the token', async () => {
		setup.emulator.fault({ kind: 'slow', operation: 'getAccessToken', delayMs: 6_000 });
		let lock: DatabaseLock | undefined;
		const pending = itemOf('locked', {}, async () => {
			await until(() => setup.arrived('getAccessToken') === 1);
			lock = await DatabaseLock.hold(setup.n8n.userFolder);
		});
		const item = await pending;
		await lock!.release();
		expect(item.error).toMatch(/^Nothing was sent for the post: n8n could not prepare the request/);
		expect(item.details.outcome).toBe('not_sent');
		// A request with the token of an earlier test may have arrived before, and was rejected.
		const before = setup.arrived('createPost');
		await pause(3_000);
		expect(setup.arrived('createPost')).toBe(before);
		expect(setup.emulator.posts).toEqual([]);
	}, 90_000);

	it('is not_sent after 20 seconds of a slow token exchange', async () => {
		const server = await loopback((_, response) => {
			response.writeHead(200, { 'content-type': 'application/json' });
			const drops = setInterval(() => response.write(' '), 500);
			response.on('close', () => clearInterval(drops));
		});
		const begun = Date.now();
		const item = await itemOf('drops', { baseUrl: server.url });
		expect(Date.now() - begun).toBeGreaterThan(19_000);
		expect(Date.now() - begun).toBeLessThan(40_000);
		expect(item.error).toMatch(/Could not get an access token from .* no response arrived in time/);
		expect(item.details.outcome).toBe('not_sent');
		await until(() => server.received.every(({ socket }) => socket.destroyed));
		await server.stop();
	}, 90_000);
});

describe('the HTTP Request node with this credential', () => {
	const call = (parameters: object, credentials: WorkflowNode['credentials']): WorkflowNode => ({
		name: 'Call',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		credentials,
		parameters: {
			authentication: 'predefinedCredentialType',
			nodeCredentialType: CREDENTIAL_TYPE,
			options: {},
			...parameters,
		},
	});

	async function run(
		parameters: object,
		data: Record<string, unknown> = {},
		{ credentials = {}, ...settings }: Partial<WorkflowNode> = {},
	) {
		const credential = await setup.credential('for HTTP Request', data);
		const node = call(parameters, { ...reference(credential), ...credentials });
		const workflow = row('call', manual(), { ...node, ...settings });
		const { id } = await setup.rest.createWorkflow(workflow);
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

	it('sends no secret to another origin', async () => {
		const elsewhere = await loopback((_, response) => response.end('{}'));
		await run({ url: `${elsewhere.url}/api/v1/ping` });
		await elsewhere.stop();
		expect(elsewhere.received).toHaveLength(1);
		const sent = JSON.stringify([elsewhere.received[0]?.rawHeaders, elsewhere.received[0]?.url]);
		expect(sent).not.toMatch(/authorization|legacy/i);
	});

	describe('with options that could send its secrets to another server', () => {
		/** No server listens on this port, so only a request through the proxy reaches a server. */
		const secure = 'https://127.0.0.1:9';
		const token = 'a-token-0123456789';
		const paths = ['/v1/chat/completions', '/api/v1/socialPostCreatePhoto', '/api/v1/other'];
		let otherTlsServer: TlsTestServer;
		let proxy: ProxyTestServer;
		beforeEach(async () => {
			otherTlsServer = await tls('valid', {}, (socket) =>
				socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
			);
			proxy = await tunnelling(otherTlsServer.port);
		});
		afterEach(async () => {
			await proxy.stop();
			await otherTlsServer.stop();
		});

		/** Checks that no secret has reached another server. Returns the error message of the node. */
		async function refusal(
			...[parameters, data, settings]: Parameters<typeof run>
		): Promise<string | undefined> {
			const execution = await run(parameters, { accessToken: token, ...data }, settings);
			const sent = JSON.stringify([otherTlsServer.text(), proxy.headers()]);
			for (const secret of [setup.emulator.appSecret, token]) {
				expect(sent).not.toContain(secret);
				expect(execution.raw).not.toContain(secret);
			}
			messages.push(execution.error?.message ?? '');
			return execution.error?.message;
		}

		const proxyUrl = () => `http://127.0.0.1:${proxy.port}`;

		it.each(paths)(
			'is refused with Ignore SSL Issues, with and without Proxy: %s',
			async (path) => {
				for (const more of [{}, { proxy: proxyUrl() }]) {
					const options = { allowUnauthorizedCerts: true, ...more };
					expect(await refusal({ url: secure + path, options }, { baseUrl: secure })).toMatch(
						/^Nothing was sent\. .+ Turn off 'Ignore SSL Issues'/,
					);
				}
				expect(proxy.received()).toEqual([]);
			},
		);

		it.each(paths)('is refused with Proxy over plain HTTP: %s', async (path) => {
			const url = setup.emulator.url + path;
			const before = setup.emulator.received.length;
			expect(await refusal({ url, options: { proxy: proxyUrl() } })).toMatch(
				/^Nothing was sent\. .+ Remove the option 'Proxy'/,
			);
			expect(proxy.received()).toEqual([]);
			expect(setup.emulator.received).toHaveLength(before);
		});

		it('is refused with Proxy and a certificate authority', async () => {
			const ca = readFileSync(trusted, 'utf8');
			const type = 'httpSslAuth';
			const own = await setup.rest.createCredential({ name: 'SSL', type, data: { ca } });
			const options = { proxy: proxyUrl() };
			const parameters = { url: `${secure}${paths[0]}`, provideSslCertificates: true, options };
			const settings = { credentials: reference(own) };
			expect(await refusal(parameters, { baseUrl: secure }, settings)).toMatch(
				/^Nothing was sent\. .+ Remove the option 'Proxy'/,
			);
			expect(proxy.received()).toEqual([]);
		});

		it('is not sent through Proxy to a server without a trusted certificate', async () => {
			const options = { proxy: proxyUrl() };
			const message = await refusal({ url: `${secure}${paths[0]}`, options }, { baseUrl: secure });
			expect(message).not.toMatch(/^Nothing was sent/);
			expect(proxy.received()).toContain('CONNECT 127.0.0.1:9');
			expect(otherTlsServer.text()).toBe('');
		});

		it('is refused with a Host header', async () => {
			const header = { name: 'Host', value: 'elsewhere.example' };
			const headers = { sendHeaders: true, headerParameters: { parameters: [header] } };
			expect(await refusal({ url: `${setup.emulator.url}${paths[2]}`, ...headers })).toMatch(
				/^Nothing was sent\. The header 'Host'/,
			);
		});

		it.each([
			...['/api/v1/getAccessToken', '//api/v1//getAccessToken/', '/api/v1/%67etAccessToken?x=1'],
			...['/API/v1/GETACCESSTOKEN', '/x/..%2Fapi/v1/getAccessToken'],
		])('is refused for the token route, and fetches no token: %s', async (path) => {
			const request = { method: 'POST', url: setup.emulator.url + path };
			expect(await refusal(request)).toMatch(
				/^Nothing was sent\. This credential fetches and renews/,
			);
			expect(setup.emulator.received).toEqual([]);
		});

		it('sends no secret to the target of a redirect or of the next page', async () => {
			const elsewhere = await loopback((_, response) => response.end('{}'));
			const platform = await loopback((request, response) => {
				const isMoved = request.url === '/api/v1/moved';
				response.writeHead(isMoved ? 307 : 200, { location: elsewhere.url }).end('{}');
			});
			const data = { baseUrl: platform.url };
			const redirect = { redirect: { followRedirects: true, maxRedirects: 5 } };
			const follow = { redirect, sendCredentialsOnCrossOriginRedirect: true };
			await refusal({ url: `${platform.url}/api/v1/moved`, options: follow }, data);
			expect(elsewhere.received).toEqual([]);
			const pagination = {
				paginationMode: 'responseContainsNextURL',
				nextURL: `={{ $pageCount ? '${elsewhere.url}/x' : '${platform.url}/api/v1/first' }}`,
				paginationCompleteWhen: 'other',
				completeExpression: '={{ $pageCount > 1 }}',
			};
			const pages = { pagination: { pagination } };
			await refusal({ url: `${platform.url}/api/v1/first`, options: pages }, data);
			const first = platform.received.find(({ url }) => url === '/api/v1/first');
			expect(first?.headers.authorization).toBe(`Bearer ${token}`);
			expect(elsewhere.received).toHaveLength(1);
			expect(JSON.stringify(elsewhere.received[0]!.rawHeaders)).not.toMatch(/bearer/i);
			await elsewhere.stop();
			await platform.stop();
		});

		it('has no token in the item of a failed request', async () => {
			const platform = await loopback((_, response) => response.writeHead(500).end('{}'));
			const settings = { onError: 'continueRegularOutput' };
			for (const path of paths) {
				await refusal({ url: platform.url + path }, { baseUrl: platform.url }, settings);
			}
			const sent = platform.received.map(({ headers }) => headers.authorization);
			expect(sent).toContain(`Bearer ${token}`);
			await platform.stop();
		});
	});
});

describe('the data that n8n stores', () => {
	it('is searched for a secret in an execution', async () => {
		const planted = createHash('sha256').update(setup.n8n.url).digest('hex');
		const long = { clear: planted, packed: Buffer.from(`.${planted}`).toString('base64') };
		// Longer than a page of the database, so that the file stores it in several parts.
		const big = { filling: '-'.repeat(6_000), ...long };
		const { id } = await setup.rest.createWorkflow(given(row('planted', manual()), big));
		await setup.rest.run(id, 'Start');
		const { userFolder } = setup.n8n;
		const found = sweep({ planted }, { userFolder }).map(({ form, where }) => `${form} ${where}`);
		expect(found).toContainEqual(expect.stringMatching(/^clear .*execution_data\.data/));
		expect(found).toContainEqual(expect.stringMatching(/^base64 .*execution_data\.data/));
		expect(found).toContainEqual(expect.stringMatching(/^clear .*workflow_entity/));
	});

	it('contains neither the App Secret nor any token', async () => {
		expect(await setup.sweep({ messages: messages.join('\n') })).toEqual([]);
	});
});
