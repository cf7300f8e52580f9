import { authenticationFor } from '../../../credentials/authenticate';
import { readSettings, urlOf } from '../../../nodes/SocialOpenPlatform/platform/settings';

const good = { baseUrl: 'https://api.example.com', appId: 'id', appSecret: 'secret' };

describe('readSettings', () => {
	test('uses the defaults of fields that are not set', () => {
		expect(readSettings(good)).toMatchObject({
			platformName: 'Photo',
			renewalCodes: new Set([1001, 10103, 10104]),
			chatAuthHeader: 'Authorization',
			chatAuthPrefix: 'Bearer',
		});
	});

	test.each([
		['an empty Base URL', { baseUrl: '' }, "'Base URL' is empty"],
		[
			'a Base URL with a user name',
			{ baseUrl: 'https://a:b@api.example.com' },
			"'Base URL' contains a user name",
		],
		[
			'a Base URL with a query',
			{ baseUrl: 'https://api.example.com?x=1' },
			"'Base URL' contains a user name, a password, or a ?",
		],
		[
			'a Base URL whose path begins with two slashes',
			{ baseUrl: 'http://127.0.0.1//v2' },
			"'Base URL' is not a valid URL",
		],
		['an empty App ID', { appId: '' }, "'App ID' is empty"],
		['a missing App Secret', { appSecret: undefined }, "'App Secret' is empty"],
		['an App ID that is a number', { appId: 1 }, "'App ID' is empty or not text"],
		[
			'half of a surrogate pair',
			{ appSecret: 'x\ud800' },
			"'App Secret' contains an incomplete character",
		],
		['a path as Platform Name', { platformName: '../x' }, "'Platform Name' may contain only"],
		['a word among the codes', { renewalCodes: '1001, expired' }, "'Expired-Token Codes' contains"],
	])('refuses %s and names the field', (_, data, message) => {
		expect(() => readSettings({ ...good, ...data })).toThrow(message);
	});

	test('reports all issues without showing the secret', () => {
		const read = () => readSettings({ baseUrl: 'x', appId: '', appSecret: 'hidden\ud800' });
		expect(read).toThrow(/Base URL.*App ID.*App Secret/);
		expect(read).not.toThrow('hidden');
	});

	test.each(['http://localhost:1', 'http://127.0.0.1', 'http://[::1]:8080', 'http://a.localhost'])(
		'accepts plain HTTP to this machine: %s',
		(baseUrl) => {
			expect(readSettings({ ...good, baseUrl }).baseUrl.protocol).toBe('http:');
		},
	);

	test('refuses Only Listed Accounts if its expression returns nothing', () => {
		const accounts = { account: [{ name: 'Harbour', id: 'acc_1' }] };
		expect(readSettings({ ...good, accounts }).onlyListedAccounts).toBe(false);
		expect(() => readSettings({ ...good, accounts, onlyListedAccounts: undefined })).toThrow(
			"'Only Listed Accounts' is neither on nor off.",
		);
	});

	test.each([
		['https://api.example.com/', 'https://api.example.com/api/v1/socialPostCreateVideo'],
		['https://a.example/open//', 'https://a.example/open/api/v1/socialPostCreateVideo'],
		['https://a.example/open/api/v1/', 'https://a.example/open/api/v1/socialPostCreateVideo'],
	])('builds the URL of an operation for the Base URL %s', (baseUrl, url) => {
		const settings = readSettings({ ...good, baseUrl, platformName: 'Video' });
		expect(urlOf('createPost', settings)).toBe(url);
	});
});

describe('The Base URL', () => {
	test.each([
		...['javascript:alert(1)', 'ftp://api.example.com', 'blob:https://api.example.com/1', '/api'],
		...['//api.example.com', 'api.example.com', 'https://', 'https://[::1', 'https://a b'],
		...['https://user@a.example', 'https://user:pass@a.example', 'https://:p@a.example'],
		...['https://a.example?x=1', 'https://a.example#x', 'https://a.example:99999'],
		'https://a%00.example',
	])('is refused if it is not a URL: %s', (baseUrl) => {
		expect(() => readSettings({ ...good, baseUrl })).toThrow(/^'Base URL' /);
	});

	test.each([
		...['http://api.example.com', 'http://127.0.0.1.evil.example', 'http://localhost.evil.example'],
		...['http://localhost.localdomain', 'http://127.0.0.1。evil.example', 'http://[::2]'],
		...['http://0.0.0.0', 'http://128.0.0.1', 'http://lοcalhost', 'ht\ntp://a.example'],
	])('is refused without TLS: %s', (baseUrl) => {
		expect(() => readSettings({ ...good, baseUrl })).toThrow('starts with http://');
		expect(() => readSettings({ ...good, baseUrl, allowPlainHttp: true })).not.toThrow();
	});

	test.each([
		['https://api.example.com\\@evil.example', 'https://api.example.com'],
		['https://api.example.com\t.evil.example', 'https://api.example.com.evil.example'],
		['https://аррӏе.com', 'https://xn--80ak6aa92e.com'],
		['https://ａpi.example。com', 'https://api.example.com'],
		['https:api.example.com', 'https://api.example.com'],
		['https://[2001:db8::1]:8443', 'https://[2001:db8::1]:8443'],
		['http://2130706433', 'http://127.0.0.1'],
	])('has the origin that the URL parser reads: %s', (baseUrl, origin) => {
		const read = readSettings({ ...good, baseUrl });
		expect(read.baseUrl.origin).toBe(origin);
	});
});

describe('authenticationFor', () => {
	const settings = readSettings({ ...good, baseUrl: 'https://api.example.com/open' });

	test.each([
		['/open/api/v1/getAccessToken', 'signature'],
		['/open/api/v1/socialPostCreatePhoto', 'legacyToken'],
		['/open/api/v1/socialPostCreatePhoto/', 'legacyToken'],
		['/open/v1/chat/completions', 'secret'],
		['/open/v1/responses?x=1', 'secret'],
		['/open/api/v1/anythingElse', 'bearer'],
		['/', 'bearer'],
	])('chooses the authentication for the path %s: %s', (path, way) => {
		expect(authenticationFor(new URL(`https://api.example.com${path}`), settings)).toBe(way);
	});
});
