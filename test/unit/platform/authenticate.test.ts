import type { IHttpRequestOptions } from 'n8n-workflow';
import { authenticateRequest, settingsOf, TokenNeeded } from '../../../credentials/authenticate';
import { readSettings } from '../../../nodes/SocialOpenPlatform/platform/settings';
import { withToken } from '../../storedToken';

const data = {
	baseUrl: 'https://api.example.com',
	appId: 'id',
	appSecret: 'the-secret',
	accessToken: '',
};
withToken(data, 'the-token');
const settings = readSettings(data);
const authenticate = (options: object, read = settings) =>
	authenticateRequest(options as IHttpRequestOptions, read);

describe('settingsOf', () => {
	test('returns the same settings for the same object', () => {
		const own = { ...data };
		expect(settingsOf(own)).toBe(settingsOf(own));
		expect(settingsOf(own)).toMatchObject({ appId: 'id', accessToken: data.accessToken });
	});

	test('reads an object again after n8n has replaced its token', () => {
		const own = { ...data };
		settingsOf(own);
		own.accessToken = 'second';
		expect(settingsOf(own).accessToken).toBe('second');
	});
});

describe('authenticateRequest', () => {
	test('adds no secret to a token request to another server', () => {
		const request = { url: 'https://elsewhere.example/api/v1/getAccessToken' };
		expect(authenticate(request)).toBe(request);
	});

	test('adds the token to a create-post request only in X-Legacy-Token', () => {
		const options = authenticate({ url: 'https://api.example.com/api/v1/socialPostCreatePhoto' });
		expect(options.headers).toEqual({ 'X-Legacy-Token': 'the-token' });
	});

	test('adds the secret to a chat request in the header that the credential names', () => {
		const url = 'https://api.example.com/v1/chat/completions';
		expect(authenticate({ url }).headers).toEqual({ Authorization: 'Bearer the-secret' });
		const bare = readSettings({ ...data, chatAuthHeader: 'X-Key', chatAuthPrefix: ' ' });
		expect(authenticate({ url }, bare).headers).toEqual({ 'X-Key': 'the-secret' });
	});

	test('accepts a secret with spaces inside, but not around it', () => {
		const url = '/v1/chat/completions';
		const withSecret = (appSecret: string) => readSettings({ ...data, appSecret });
		const { headers } = authenticate({ url }, withSecret('an app secret'));
		expect(headers).toEqual({ Authorization: 'Bearer an app secret' });
		for (const secret of [' secret', 'secret ', ' ']) {
			expect(() => authenticate({ url }, withSecret(secret))).toThrow("'App Secret' contains");
		}
	});

	test('refuses a secret that is not allowed in a header, without showing it', () => {
		const url = 'https://api.example.com/v1/responses';
		const chinese = readSettings({ ...data, appSecret: '中文-secret' });
		expect(() => authenticate({ url }, chinese)).toThrow("'App Secret' contains characters");
		expect(() => authenticate({ url }, chinese)).not.toThrow('中文');
	});

	test('adds a bearer token to any other request and keeps its headers', () => {
		const options = authenticate({ url: '/api/v1/other', headers: { Accept: 'text/plain' } });
		expect(options.headers).toEqual({ Accept: 'text/plain', Authorization: 'Bearer the-token' });
	});

	test("reads the uri of n8n's HTTP Request node", () => {
		const options = authenticate({ url: undefined, uri: 'https://api.example.com/api/v1/other' });
		expect(options.headers).toEqual({ Authorization: 'Bearer the-token' });
		expect(options).toMatchObject({ followRedirect: false });
	});

	test("refuses a resend by n8n's older request helper, except for safe methods", () => {
		const create = { uri: 'https://api.example.com/api/v1/socialPostCreatePhoto', method: 'POST' };
		const first = authenticate(create);
		expect(() => authenticate(first)).toThrow('not sent again');
		expect(() => authenticate(create)).not.toThrow();
		for (const method of ['GET', undefined] as const) {
			const read = authenticate({ uri: 'https://api.example.com/api/v1/list', method });
			expect(() => authenticate(read)).not.toThrow();
		}
	});

	test('authenticates a request again after HTTP 401', () => {
		const first = authenticate({ url: '/api/v1/socialPostCreatePhoto', method: 'POST' });
		expect(authenticate(first).headers).toEqual({ 'X-Legacy-Token': 'the-token' });
	});

	test.each([
		['appId', 'other'],
		['appSecret', 'another-secret'],
		['baseUrl', 'https://other.example.com'],
	])('uses no token that was stored with another %s', (name, value) => {
		const other = readSettings({ ...data, [name]: value });
		expect(() => authenticate({ url: '/api/v1/other' }, other)).toThrow(TokenNeeded);
	});

	test.each([
		{ url: 'https://evil.example/api/v1/socialPostCreatePhoto' },
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
		{ url: 'ht\ntps://evil.example/x' },
		{ uri: '\n\\\\evil.example/x' },
		{ url: '\nhttps://api.example.com/v1/responses', baseURL: 'https://evil.example' },
		{ url: 'https:api.example.com/v1/responses', baseURL: 'https://evil.example' },
	])('adds no secret to %j', (options) => {
		expect(authenticate(options)).toEqual(options);
	});

	test.each([
		{ rejectUnauthorized: true, skipSslCertificateValidation: false },
		{ proxy: 'http://proxy.example', agentOptions: { cert: 'x', key: 'x' } },
	])('accepts a request with %j', (options) => {
		expect(authenticate({ url: '/api/v1/other', ...options })).toMatchObject(options);
	});

	test('accepts two slashes at the beginning of the path, because TLS hides it from proxies', () => {
		const { headers } = authenticate({ url: `https://api.example.com${'/'.repeat(100_000)}x` });
		expect(headers).toEqual({ Authorization: 'Bearer the-token' });
	});

	test('adds no secret to a request whose URL is not text', () => {
		const url = { toString: () => 'https://api.example.com/x' };
		expect(authenticate({ url })).toStrictEqual({ url });
		expect(authenticate({ url: '/x', baseURL: url })).toStrictEqual({ url: '/x', baseURL: url });
	});
});
