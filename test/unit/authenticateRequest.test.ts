import type { IHttpRequestOptions } from 'n8n-workflow';
import { authenticateRequest } from '../../credentials/authenticateRequest';
import { RequestRefused } from '../../credentials/requestRefusal';
import { sendingOf, strangers } from '../../nodes/SocialOpenPlatform/protocol/connection';
import { readSettings } from '../../nodes/SocialOpenPlatform/protocol/settings';

const data = {
	baseUrl: 'https://api.example.com',
	appId: 'id',
	appSecret: 'the-secret',
	accessToken: 'the-token',
};
const settings = readSettings(data);
const authenticate = (options: object, read = settings) =>
	authenticateRequest(options as IHttpRequestOptions, read);

describe('Authenticating a request', () => {
	test.each(['/api/v1/getAccessToken', '//API/v1/%67etAccessToken/'])(
		'refuses a token request, which the credential makes itself: %s',
		(path) => {
			const request = { url: `https://api.example.com${path}`, method: 'POST' };
			expect(() => authenticate(request)).toThrow(RequestRefused);
			expect(() => authenticate(request)).toThrow(
				'Nothing was sent. This credential gets and renews the access token itself',
			);
		},
	);

	test('lets a token request elsewhere go without a secret', () => {
		const request = { url: 'https://elsewhere.example/api/v1/getAccessToken' };
		expect(authenticate(request)).toBe(request);
	});

	test('gives create-post the token in X-Legacy-Token alone', () => {
		const options = authenticate({ url: 'https://api.example.com/api/v1/socialPostCreatePhoto' });
		expect(options.headers).toEqual({ 'X-Legacy-Token': 'the-token' });
	});

	test('gives the chat operations the secret, in the header the credential names', () => {
		const url = 'https://api.example.com/v1/chat/completions';
		expect(authenticate({ url }).headers).toEqual({ Authorization: 'Bearer the-secret' });
		const bare = readSettings({ ...data, chatAuthHeader: 'X-Key', chatAuthPrefix: '' });
		expect(authenticate({ url }, bare).headers).toEqual({ 'X-Key': 'the-secret' });
	});

	test('refuses a secret that no header can carry, without showing it', () => {
		const url = 'https://api.example.com/v1/responses';
		const chinese = readSettings({ ...data, appSecret: '中文-secret' });
		expect(() => authenticate({ url }, chinese)).toThrow('App Secret holds characters');
		expect(() => authenticate({ url }, chinese)).not.toThrow('中文');
	});

	test('gives every other operation the token as bearer, beside the headers it has', () => {
		const options = authenticate({ url: '/api/v1/other', headers: { Accept: 'text/plain' } });
		expect(options.headers).toEqual({ Accept: 'text/plain', Authorization: 'Bearer the-token' });
	});

	test("serves n8n's HTTP Request node, which passes uri", () => {
		const options = authenticate({ url: undefined, uri: 'https://api.example.com/api/v1/other' });
		expect(options.headers).toEqual({ Authorization: 'Bearer the-token' });
		expect(options).toMatchObject({ followRedirect: false });
	});

	test("lets n8n's older helper send once only what may not happen twice", () => {
		const create = { uri: 'https://api.example.com/api/v1/socialPostCreatePhoto', method: 'POST' };
		const first = authenticate(create);
		expect(() => authenticate(first)).toThrow('not sent a second time');
		expect(() => authenticate(create)).not.toThrow();
		const read = authenticate({ uri: 'https://api.example.com/api/v1/list', method: 'GET' });
		expect(() => authenticate(read)).not.toThrow();
	});

	test('lets a request that was refused with 401 be sent again', () => {
		const first = authenticate({ url: '/api/v1/socialPostCreatePhoto', method: 'POST' });
		expect(authenticate(first).headers).toEqual({ 'X-Legacy-Token': 'the-token' });
	});

	test('follows no redirect with a secret on board', () => {
		expect(authenticate({ url: '/api/v1/other' }).disableFollowRedirect).toBe(true);
	});

	describe('gives up', () => {
		const url = 'https://api.example.com/v1/chat/completions';

		test.each(['own', 'given'] as const)("by the request's signal and by n8n's: %s", (which) => {
			const [own, given] = [new AbortController(), new AbortController()];
			const sending = { signal: own.signal, handOver: () => {} };
			const signals = { [sendingOf]: sending, abortSignal: given.signal };
			const { abortSignal } = authenticate({ url, ...signals });
			expect(abortSignal!.aborted).toBe(false);
			({ own, given })[which].abort();
			expect(abortSignal!.aborted).toBe(true);
		});

		test('by the only one that there is', () => {
			const { signal } = new AbortController();
			const sending = { signal, handOver: () => {} };
			expect(authenticate({ url, [sendingOf]: sending }).abortSignal).toBe(signal);
			expect(authenticate({ url, abortSignal: signal }).abortSignal).toBe(signal);
			expect(authenticate({ url })).not.toHaveProperty('abortSignal');
		});

		test.each(['own', 'given'])('before anything is handed over: %s', (which) => {
			const [ended, other] = [AbortSignal.abort(), new AbortController().signal];
			const isOwn = which === 'own';
			let calls = 0;
			const handOver = () => void calls++;
			const sending = { signal: isOwn ? ended : other, handOver };
			const options = { url, [sendingOf]: sending, abortSignal: isOwn ? other : ended };
			expect(() => authenticate(options)).toThrow('The execution was cancelled');
			expect(calls).toBe(0);
		});
	});

	test('marks what it hands over', () => {
		let calls = 0;
		const handOver = () => void calls++;
		const sending = { signal: new AbortController().signal, handOver };
		const before = strangers.handedOver;
		authenticate({ url: '/api/v1/other', [sendingOf]: sending });
		expect(calls).toBe(1);
		expect(strangers.handedOver).toBe(before);
		authenticate({ url: '/api/v1/other' });
		expect(strangers.handedOver).toBe(before + 1);
	});

	test.each([
		{ url: 'https://evil.example/api/v1/socialPostCreatePhoto' },
		{ url: '//evil.example/x' },
		{ url: '\\\\evil.example/x' },
		{ url: 'https://api.example.com@evil.example/x' },
		{ url: 'http://api.example.com/x' },
		{ url: 'https://api.example.com:8443/x' },
		{ url: 'javascript:alert(1)//https://api.example.com' },
		{ url: '/x', baseURL: 'https://evil.example' },
		{ uri: 'https://evil.example/x', url: undefined },
		{ url: 'http://[::ffff:7f00:1]/x' },
		{ url: 'https://' },
		{ url: ' http://evil.example/x' },
		{ url: '\thttps://evil.example/x' },
		{ url: 'ht\ntps://evil.example/x' },
		{ url: ' //evil.example/x' },
		{ uri: '\n\\\\evil.example/x' },
	])('attaches nothing to %j', (options) => {
		expect(authenticate(options)).toEqual(options);
	});

	describe.each([
		['the secret', 'https://api.example.com/v1/responses'],
		['the token', 'https://api.example.com/api/v1/other'],
	])('with %s', (_, url) => {
		test.each([
			['rejectUnauthorized: false', { rejectUnauthorized: false }, "Turn off 'Ignore SSL Issues'"],
			['an agent option', { agentOptions: { host: 'x' } }, "'agentOptions.host'"],
			['an agent', { httpsAgent: {} }, "'httpsAgent'"],
			['a Host header', { headers: { ' hOsT': 'x' } }, "The header 'Host'"],
			['TRACE', { method: 'Trace' }, 'TRACE'],
			['a proxy and an authority', { proxy: 'x', agentOptions: { ca: 'x' } }, "option 'Proxy'"],
		])('refuses a request with %s', (_name, options, says) => {
			expect(() => authenticate({ url, ...options })).toThrow(RequestRefused);
			expect(() => authenticate({ url, ...options })).toThrow(says);
			const elsewhere = { url: 'https://elsewhere.example/x', ...options };
			expect(authenticate(elsewhere)).toBe(elsewhere);
		});

		test.each([
			{ rejectUnauthorized: true, skipSslCertificateValidation: false },
			{ agentOptions: { ca: 'x', cert: 'x', key: 'x', passphrase: 'x' } },
			{ proxy: 'http://proxy.example', agentOptions: { cert: 'x', key: 'x' } },
			{ proxy: { protocol: 'http', host: 'proxy.example', port: 3128 } },
		])('accepts a request with %j', (options) => {
			expect(authenticate({ url, ...options })).toMatchObject(options);
		});
	});

	test.each([{ proxy: 'http://proxy.example' }, { proxy: { host: 'proxy.example' } }])(
		'refuses %j over plain HTTP',
		(options) => {
			const plain = { ...data, baseUrl: 'http://api.example.com', allowPlainHttp: true };
			const request = { url: 'http://api.example.com/api/v1/other', ...options };
			expect(() => authenticate(request, readSettings(plain))).toThrow("the option 'Proxy'");
		},
	);

	test('attaches nothing to an address that is no text', () => {
		const url = { toString: () => 'https://api.example.com/x' };
		expect(authenticate({ url })).toStrictEqual({ url });
		expect(authenticate({ url: '/x', baseURL: url })).toStrictEqual({ url: '/x', baseURL: url });
	});
});
