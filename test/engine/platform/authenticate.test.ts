import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { HookContext } from 'n8n-core';
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
import { CREDENTIAL_TYPE, otherNodeContext, requestHelpers } from '../harness/otherNode';
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

const CHAT = '/v1/chat/completions';
const OTHER = '/api/v1/other';

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

/** Spellings of the URLs of the two servers. No other host is used, so no request leaves this machine. */
function anyUrl(): fc.Arbitrary<string> {
	const [own, others] = [platform, other].map(({ url }) => new URL(url));
	const { port } = others!;
	const piece = fc.constantFrom(
		...[own!.host, others!.host, `localhost:${port}`, `127.1:${port}`, `0x7f000001:${port}`],
		...[`[::ffff:7f00:1]:${port}`, 'http:', 'HTTP:', 'https:', 'javascript:', 'file:'],
		...['//', '/', '\\\\', '\\', '///', '@', ':', '?', '#', '\t', '\n', ' ', '\u00a0', '\ufeff'],
		...['.', '..', '。', '%2f', '%5c', '%40', 'u:p@', platform.url, other.url, CHAT, OTHER],
	);
	const any = fc.array(piece, { minLength: 1, maxLength: 6 }).map((all) => all.join(''));
	const starts = [platform.url, other.url, other.url.slice('http:'.length), '/', ' '];
	return fc.oneof(
		any,
		fc.tuple(fc.constantFrom(...starts), any).map((all) => all.join('/')),
	);
}

describe.each(Object.keys(requestHelpers))('A request of another node with %s', (helper) => {
	// n8n's older helper reads URLs with a deprecated function, which warns about some of them.
	beforeAll(() => (process.noDeprecation = true));
	afterAll(() => (process.noDeprecation = false));

	const send = async (url: string, options: object = {}) =>
		await requestHelpers[helper]!(context, url, options);

	const refuses = async (name: string, baseUrl: string, options: object, path = CHAT) => {
		use(baseUrl);
		const message = await refusal(send(baseUrl + path, options));
		expect(message).toMatch(/^Nothing was sent\. .+ Remove /);
		expect(message).toContain(name);
		expect([...proxy.received(), ...platform.received]).toEqual([]);
	};

	test.each([
		...[{ rejectUnauthorized: false }, { skipSslCertificateValidation: true }],
		...[{ allowUnauthorizedCerts: true }, { agentOptions: { rejectUnauthorized: false } }],
	])('is refused if it turns off the certificate check: %j', async (options) => {
		await refuses('Ignore SSL Issues', SECURE, options);
	});

	test.each(['host', 'socketPath', 'lookup', 'checkServerIdentity', 'servername'])(
		'is refused with the agent option %s',
		async (name) => {
			await refuses(name, platform.url, { agentOptions: { [name]: '127.0.0.1' } });
		},
	);

	test.each(['agent', 'httpAgent', 'httpsAgent', 'socketPath', 'lookup'])(
		'is refused with the option %s',
		async (name) => await refuses(name, platform.url, { [name]: { port: 9 } }),
	);

	test('is refused with a proxy option over plain HTTP, or with a certificate authority', async () => {
		const asObject = { protocol: 'http', host: '127.0.0.1', port: proxy.port };
		for (const own of [proxyUrl(), asObject]) await refuses('Proxy', platform.url, { proxy: own });
		const agentOptions = { ca: readFileSync(trusted, 'utf8') };
		await refuses('Proxy', SECURE, { proxy: proxyUrl(), agentOptions });
	});

	test.each(['Host', ' hOsT '])('is refused with the header %s', async (name) => {
		await refuses('Host', platform.url, { headers: { [name]: new URL(other.url).host } });
	});

	test('is refused with the method TRACE', async () => {
		await refuses('TRACE', platform.url, { method: 'trace' });
	});

	test.each(['//', '/\\', '/.//', '/a/..//'])('is refused with the path %s', async (start) => {
		await refuses('second slash', platform.url, {}, `${start}elsewhere.example${CHAT}`);
	});

	test('is sent through a proxy option only to a server with a trusted certificate', async () => {
		use(SECURE);
		await refusal(send(SECURE + CHAT, { proxy: proxyUrl() }));
		expect(new Set(proxy.received())).toEqual(new Set(['CONNECT 127.0.0.1:9']));
		expect(otherTlsServer.text()).toBe('');
	});

	test('does not follow redirects', async () => {
		use(platform.url);
		const follow = { followRedirect: true, followAllRedirects: true, maxRedirects: 5 };
		const options = { ...follow, sendCredentialsOnCrossOriginRedirect: true };
		await refusal(send(`${platform.url}/api/v1/moved`, options));
		expect(platform.received.length).toBeGreaterThan(0);
		expect(other.received).toEqual([]);
	});

	test.each([
		...['/api/v1/getAccessToken', '/api/v1/getAccessToken/', '//api//v1//getAccessToken'],
		...['/api/v1/getAccessToken?x=1', '/API/V1/GETACCESSTOKEN'],
		...['/api/v1/%67etAccessToken', '/api/v1/%2567etAccessToken', '/api/v1/get%41ccessToken%20'],
		...['/x/../api/v1/getAccessToken', '/api/%2e%2e/api/v1/getAccessToken'],
		...['/api/v1%2FgetAccessToken', '/api\\v1\\getAccessToken', '/api/v1/getAccessToken;a=1'],
		...['/index.php/api/v1/getAccessToken', '/other/api/v1/getAccessToken.json'],
	])('is refused for the token route: %s', async (path) => {
		for (const base of ['', '/base', '/base/api/v1']) {
			use(platform.url + base);
			for (const url of [platform.url + path, `${platform.url}/base${path}`]) {
				const message = await refusal(send(url, { method: 'POST', body: {}, json: true }));
				expect(message).toMatch(/^Nothing was sent\. This credential fetches .+ itself/);
			}
		}
		expect(platform.received).toEqual([]);
	});

	test('sends the secrets to the platform, and none to another server with any URL', async () => {
		use(platform.url);
		for (const path of [CHAT, OTHER]) await send(platform.url + path);
		const found = platform.received.map(({ headers }) => headers.authorization);
		expect(found).toEqual([`Bearer ${SECRET}`, `Bearer ${TOKEN}`]);
		const base = fc.constantFrom(undefined, platform.url, other.url);
		await fc.assert(
			fc.asyncProperty(anyUrl(), base, async (url, baseURL) => {
				await send(url, { baseURL, method: 'POST' }).catch(() => undefined);
				for (const word of [SECRET, TOKEN, 'Bearer', 'signature', 'legacy']) {
					expect(receivedElsewhere()).not.toContain(word);
				}
			}),
			{
				numRuns: 60,
				// n8n treats a URL that begins with a line break as relative, and appends it to the base.
				examples: [
					...[undefined, platform.url].map((own): [string, string | undefined] => [other.url, own]),
					[`\n${platform.url}`, other.url],
				],
			},
		);
		expect(other.received.length).toBeGreaterThan(1);
	});
});

test('The URL of each page of a paginated request is checked', async () => {
	use(platform.url);
	const url = `={{ $pageCount ? '${other.url}/x' : '${platform.url}${OTHER}' }}`;
	const pages = { request: { url }, continue: '={{ $pageCount < 2 }}', requestInterval: 0 };
	await context.helpers.requestWithAuthenticationPaginated.call(
		context,
		{ uri: platform.url + OTHER, headers: {} },
		0,
		pages,
		CREDENTIAL_TYPE,
	);
	expect(platform.received[0]!.headers.authorization).toBe(`Bearer ${TOKEN}`);
	expect(other.received).toHaveLength(1);
	expect(receivedElsewhere()).not.toContain(TOKEN);
});
