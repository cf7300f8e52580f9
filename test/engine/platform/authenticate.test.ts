import { readFileSync } from 'node:fs';
import type { HookContext } from 'n8n-core';
import type {
	IDataObject,
	IHttpRequestOptions,
	IRequestOptions,
	PaginationOptions,
} from 'n8n-workflow';
import { loopback, type Loopback } from '../../loopback';
import {
	tls,
	trusted,
	tunnelling,
	type ProxyTestServer,
	type TlsTestServer,
} from '../../testServers';
import { SECRET, TOKEN } from '../../unit/hostileValues';
import { CredentialStore } from '../harness/credentialStore';
import { CREDENTIAL_TYPE as TYPE, otherNodeContext } from '../harness/otherNode';
import { withToken } from '../../storedToken';

let platform: Loopback;
let other: Loopback;
/** Responds for any host, with the test certificate for 127.0.0.1. */
let otherTlsServer: TlsTestServer;
let proxy: ProxyTestServer;
let store: CredentialStore;
let context: HookContext;

beforeEach(async () => {
	platform = await loopback((request, response) => {
		if (request.url === '/api/v1/moved') response.writeHead(307, { location: `${other.url}/x` });
		response.end('{}');
	});
	other = await loopback((_, response) => response.end('{}'));
	otherTlsServer = await tls('valid', {}, (socket) =>
		socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
	);
	proxy = await tunnelling(otherTlsServer.port);
	store = new CredentialStore();
	context = otherNodeContext(store);
});
afterEach(
	async () =>
		await Promise.all([platform, other, otherTlsServer, proxy].map(async (s) => await s.stop())),
);

const proxyUrl = () => `http://127.0.0.1:${proxy.port}`;

/** Nothing listens on this port, so only a request through the proxy reaches a server. */
const SECURE = 'https://127.0.0.1:9';

const paths = {
	'App Secret': '/v1/chat/completions',
	'access token': '/api/v1/socialPostCreatePhoto',
	'bearer token': '/api/v1/other',
};

const requestHelpers: Record<string, (url: string, options: object) => Promise<unknown>> = {
	'the older helper': async (uri, options) => {
		const request = { uri, timeout: 2_000, ...options } as IRequestOptions;
		return await context.helpers.requestWithAuthentication.call(context, TYPE, request);
	},
	'the newer helper': async (url, options) => {
		const request = { url, timeout: 2_000, ...options } as IHttpRequestOptions;
		return await context.helpers.httpRequestWithAuthentication.call(context, TYPE, request);
	},
};

function use(baseUrl: string): void {
	const data = { appId: 'a', appSecret: SECRET, allowPlainHttp: true };
	store.stored.set('1', withToken({ ...data, baseUrl }, TOKEN));
}

/** Returns everything that reached a server other than the platform. */
function receivedElsewhere(): string {
	const elsewhere = other.received.map(({ rawHeaders, url }) => ({ rawHeaders, url }));
	return JSON.stringify([elsewhere, otherTlsServer.text(), proxy.headers()]);
}

async function refusal(sending: Promise<unknown>): Promise<string> {
	const message = await sending.then(
		() => 'It was sent.',
		(error: Error) => error.message,
	);
	for (const secret of [SECRET, TOKEN]) {
		expect(receivedElsewhere()).not.toContain(secret);
		expect(message).not.toContain(secret);
	}
	return message;
}

const ca = readFileSync(trusted, 'utf8');

describe.each(Object.keys(requestHelpers))('A request of another node with %s', (helper) => {
	const send = async (url: string, options: object = {}) =>
		await requestHelpers[helper]!(url, options);

	describe.each(Object.entries(paths))('that needs the %s', (_, path) => {
		const unchecked: Array<[string, IDataObject]> = [
			['rejectUnauthorized', { rejectUnauthorized: false }],
			['skipSslCertificateValidation', { skipSslCertificateValidation: true }],
			['allowUnauthorizedCerts', { allowUnauthorizedCerts: true }],
			['agentOptions', { agentOptions: { rejectUnauthorized: false } }],
		];
		test.each(unchecked)(
			'is refused if %s turns off the certificate check',
			async (_name, options) => {
				use(SECURE);
				for (const more of [{}, { proxy: proxyUrl() }]) {
					const message = await refusal(send(SECURE + path, { ...options, ...more }));
					expect(message).toMatch(/^Nothing was sent\. .+ Remove /);
				}
				expect(proxy.received()).toEqual([]);
			},
		);

		test('is refused with a proxy option over plain HTTP', async () => {
			use(platform.url);
			const asObject = { protocol: 'http', host: '127.0.0.1', port: proxy.port };
			for (const own of [proxyUrl(), asObject]) {
				const message = await refusal(send(platform.url + path, { proxy: own }));
				expect(message).toMatch(/^Nothing was sent\. .+'Proxy'.+ Remove /);
			}
			expect(proxy.received()).toEqual([]);
			expect(platform.received).toEqual([]);
		});

		test('is refused with a proxy option and a certificate authority', async () => {
			use(SECURE);
			const options = { proxy: proxyUrl(), agentOptions: { ca } };
			const message = await refusal(send(SECURE + path, options));
			expect(message).toMatch(/^Nothing was sent\. .+ Remove /);
			expect(proxy.received()).toEqual([]);
		});

		test('is sent through a proxy option only to a server with a trusted certificate', async () => {
			use(SECURE);
			await refusal(send(SECURE + path, { proxy: proxyUrl() }));
			expect(new Set(proxy.received())).toEqual(new Set(['CONNECT 127.0.0.1:9']));
			expect(otherTlsServer.text()).toBe('');
		});

		test('is refused with connection options', async () => {
			use(platform.url);
			const port = Number(new URL(other.url).port);
			const chosen = [
				...[
					{ host: '127.0.0.1', port },
					{ socketPath: '/tmp/none' },
					{ localAddress: '127.0.0.1' },
				],
				...[{ lookup: () => {} }, { checkServerIdentity: () => undefined }, { servername: 'x' }],
			];
			for (const agentOptions of chosen) {
				const message = await refusal(send(platform.url + path, { agentOptions }));
				expect(message).toMatch(/^Nothing was sent\. .+ Remove /);
			}
			for (const name of ['agent', 'httpAgent', 'httpsAgent', 'socketPath', 'lookup']) {
				const agent = { port, options: { rejectUnauthorized: false } };
				const message = await refusal(send(platform.url + path, { [name]: agent }));
				expect(message).toMatch(/^Nothing was sent\. /);
			}
			expect(platform.received).toEqual([]);
		});

		test.each(['Host', 'host', ' hOsT '])('is refused with the header %s', async (name) => {
			use(platform.url);
			const headers = { [name]: new URL(other.url).host };
			const message = await refusal(send(platform.url + path, { headers }));
			expect(message).toMatch(/^Nothing was sent\. .+'Host'.+ Remove /);
			expect(platform.received).toEqual([]);
		});

		test('does not follow redirects', async () => {
			use(platform.url);
			const follow = { followRedirect: true, followAllRedirects: true, maxRedirects: 5 };
			const options = { ...follow, sendCredentialsOnCrossOriginRedirect: true };
			await refusal(send(`${platform.url}/api/v1/moved`, options));
			expect(platform.received.length).toBeGreaterThan(0);
			expect(other.received).toEqual([]);
		});

		describe("with a proxy in n8n's environment", () => {
			beforeEach(() => Object.assign(process.env, { HTTP_PROXY: proxyUrl() }));
			afterEach(() => ['HTTP_PROXY', 'NO_PROXY'].forEach((name) => delete process.env[name]));

			test('is sent through the proxy', async () => {
				use(platform.url);
				await send(platform.url + path);
				expect(proxy.received()).toEqual([`GET ${platform.url}${path}`]);
				expect(JSON.stringify(proxy.headers())).toContain(
					path === paths['App Secret'] ? SECRET : TOKEN,
				);
			});

			test('is sent directly if NO_PROXY excludes the server', async () => {
				process.env.NO_PROXY = '127.0.0.1';
				use(platform.url);
				await send(platform.url + path);
				expect(proxy.received()).toEqual([]);
				expect(platform.received).toHaveLength(1);
			});

			test('cannot reach another server with its path', async () => {
				use(platform.url);
				for (const start of ['//', '/\\', '/.//', '/a/..//']) {
					const url = `${platform.url}${start}elsewhere.example${path}`;
					expect(await refusal(send(url))).toMatch(
						/^Nothing was sent\. .+ second slash .+ Remove /,
					);
				}
				expect(proxy.received()).toEqual([]);
			});

			test('cannot reach another server with a header', async () => {
				use(platform.url);
				const headers = { host: 'elsewhere.example' };
				expect(await refusal(send(platform.url + path, { headers }))).toMatch(/^Nothing was sent/);
				expect(proxy.received()).toEqual([]);
			});
		});

		test('is refused with the method TRACE', async () => {
			use(platform.url);
			const message = await refusal(send(platform.url + path, { method: 'trace' }));
			expect(message).toMatch(/^Nothing was sent\. .+TRACE/);
			expect(platform.received).toEqual([]);
		});
	});

	test.each([
		...['/api/v1/getAccessToken', '/api/v1/getAccessToken/', '//api//v1//getAccessToken'],
		...['/api/v1/getAccessToken?x=1', '/api/v1/getAccessToken#x', '/API/V1/GETACCESSTOKEN'],
		...['/api/v1/%67etAccessToken', '/api/v1/%2567etAccessToken', '/api/v1/get%41ccessToken%20'],
		...[
			'/x/../api/v1/getAccessToken',
			'/api/%2e%2e/api/v1/getAccessToken',
			'/api/./v1/getAccessToken',
		],
		...['/api/v1%2FgetAccessToken', '/api\\v1\\getAccessToken', '/api/v1/getAccessToken;a=1'],
		...['/index.php/api/v1/getAccessToken', '/other/api/v1/getAccessToken.json'],
	])('is refused for the token route: %s', async (path) => {
		for (const base of ['', '/base', '/base/api/v1']) {
			use(platform.url + base);
			for (const url of [platform.url + path, `${platform.url}/base${path}`]) {
				const body = { app_id: 'a' };
				const message = await refusal(send(url, { method: 'POST', body, json: true }));
				expect(message).toMatch(/^Nothing was sent\. This credential fetches .+ itself/);
			}
		}
		expect(platform.received).toEqual([]);
	});

	test('contains no secret if its URL is not text', async () => {
		use(platform.url);
		let times = 0;
		const toString = () => (++times > 3 ? other.url : platform.url) + paths['bearer token'];
		await refusal(send({ toString } as unknown as string));
		await refusal(send([other.url + paths['bearer token']] as unknown as string));
	});
});

test('The URL of each page of a paginated request is checked', async () => {
	use(platform.url);
	const pages = {
		request: {
			url: `={{ $pageCount ? '${other.url}/x' : '${platform.url}${paths['bearer token']}' }}`,
		},
		continue: '={{ $pageCount < 2 }}',
		requestInterval: 0,
	} as unknown as PaginationOptions;
	const request = { uri: platform.url + paths['bearer token'], headers: {} };
	await context.helpers.requestWithAuthenticationPaginated.call(context, request, 0, pages, TYPE);
	expect(platform.received[0]!.headers.authorization).toBe(`Bearer ${TOKEN}`);
	expect(other.received).toHaveLength(1);
	expect(receivedElsewhere()).not.toContain(TOKEN);
});

test('A refused request of the older helper fetches no token', async () => {
	use(platform.url);
	const url = `${platform.url}/api/v1/getAccessToken`;
	for (let i = 0; i < 3; i++) await refusal(requestHelpers['the older helper']!(url, {}));
	expect(platform.received).toEqual([]);
	expect(store.updates).toBe(0);
});
