import fc from 'fast-check';
import { authenticateRequest } from '../../../credentials/authenticate';
import { RequestRefused } from '../../../credentials/requestRefusal';
import { preparePost } from '../../../nodes/SocialOpenPlatform/post/read';
import { urlOf, type Operation } from '../../../nodes/SocialOpenPlatform/platform/endpoints';
import { defaultFieldNames } from '../../../nodes/SocialOpenPlatform/platform/fieldNames';
import {
	CredentialUnusable,
	isLoopback,
	readSettings,
} from '../../../nodes/SocialOpenPlatform/platform/settings';
import { resultOrRefusal, SECRET, withinTimeLimit, TOKEN } from '../hostileValues';
import { withToken } from '../../storedToken';

const data = { appId: 'a', appSecret: SECRET };
const settings = readSettings(withToken({ ...data, baseUrl: 'https://api.example.com' }, TOKEN));
const operations: Operation[] = ['getAccessToken', 'createPost', 'chatCompletions', 'responses'];

describe('The Base URL', () => {
	test.each([
		...['javascript:alert(1)', 'file:///etc/passwd', 'ftp://api.example.com', 'data:text/html,x'],
		...['ws://api.example.com', 'blob:https://api.example.com/1', '//api.example.com', '/api'],
		...['api.example.com', 'https://', 'https://?', 'https://:443', 'https://[::1', 'https://a b'],
		...['https://user@a.example', 'https://user:pass@a.example', 'https://:p@a.example'],
		...['https://a.example?x=1', 'https://a.example#x', 'https://a.example:99999'],
		...['https://a%2fb.example', 'https://a%00.example'],
		...['https://xn--/', 'https://999.1.1.1', 'https://[v1.x]'],
	])('is refused if it is not a URL: %s', (baseUrl) => {
		expect(() => readSettings({ ...data, baseUrl })).toThrow(/^'Base URL' /);
	});

	test.each([
		...['http://api.example.com', 'http://127.0.0.1.evil.example', 'http://localhost.evil.example'],
		...['http://localhost.', 'http://localhost.localdomain', 'http://127.0.0.1。evil.example'],
		...['http://[::ffff:127.0.0.1]', 'http://[::2]', 'http://0.0.0.0', 'http://128.0.0.1'],
		...['http://lοcalhost', 'http://10.0.0.1', 'HtTp://a.example', 'ht\ntp://a.example'],
	])('is refused without TLS: %s', (baseUrl) => {
		expect(() => readSettings({ ...data, baseUrl })).toThrow('starts with http://');
		expect(() => readSettings({ ...data, baseUrl, allowPlainHttp: true })).not.toThrow();
	});

	test.each([
		['https://api.example.com\\@evil.example', 'https://api.example.com'],
		['https://api.example.com\t.evil.example', 'https://api.example.com.evil.example'],
		['https://api.example.com.', 'https://api.example.com.'],
		['https://аррӏе.com', 'https://xn--80ak6aa92e.com'],
		['https://ａpi.example。com', 'https://api.example.com'],
		['https:api.example.com', 'https://api.example.com'],
		['https:\\\\api.example.com', 'https://api.example.com'],
		['https://api.example.com:0443', 'https://api.example.com'],
		['https://[2001:db8::1]:8443', 'https://[2001:db8::1]:8443'],
		['http://0x7f.1', 'http://127.0.0.1'],
		['http://2130706433', 'http://127.0.0.1'],
	])('has the origin that the URL parser reads: %s', (baseUrl, origin) => {
		const read = readSettings({ ...data, baseUrl });
		expect(read.baseUrl.origin).toBe(origin);
		for (const one of operations) expect(new URL(urlOf(one, read)).origin).toBe(origin);
	});
});

/** Parts of URLs that imitate another server. */
const piece = fc.constantFrom(
	...['https:', 'http:', 'HTTPS:', 'javascript:', 'file:', 'data:', 'ftp:', 'blob:https:', ''],
	...['//', '/', '\\\\', '\\', '///', ':', '@', '?', '#', '.', '..', '%2f', '%5c', '%40', '%00'],
	...['api.example.com', 'evil.example', 'user:pass@', 'api.example.com@', 'API.EXAMPLE.COM', '。'],
	...[':443', ':8443', ':0', '.evil.example', 'аpi.example.com', '[::1]', '127.0.0.1', 'xn--'],
	...['\t', '\n', '\r', ' ', '\u0000', '\u00a0', '\u200b', '\ufeff', '\u2028', '\u3000', '\u00ad'],
	...['/api/v1/getAccessToken', '/v1/responses', '/api/v1/socialPostCreatePhoto', ';', '&', '='],
);
const hostileUrl = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));

const base = settings.baseUrl.origin;

/** Returns the origin to which n8n's HTTP client sends a request with this URL. */
function destinationsOf(url: string, baseURL = `${base}/`): string[] {
	const joined = `${baseURL.replace(/\/+$/, '')}/${url.replace(/^\/+/, '')}`;
	return [url, joined]
		.filter((text) => URL.canParse(text))
		.slice(0, 1)
		.map((text) => new URL(text).origin);
}

const carriesSecret = ({ headers }: { headers?: object }) =>
	/s3cret|tok-that/.test(JSON.stringify(headers ?? {}));

/** Returns the authenticated options, or an empty object if the request is refused. */
const authenticated = (options: object) =>
	resultOrRefusal(() => authenticateRequest(options as never, settings), RequestRefused).value ??
	{};

describe('authenticateRequest with hostile URLs', () => {
	test('adds a secret only to requests to the Base URL', () => {
		let carried = 0;
		const option = fc.constantFrom('url', 'uri');
		fc.assert(
			fc.property(hostileUrl, option, fc.boolean(), (url, key, isLeftOut) => {
				const options = { [key]: url, ...(isLeftOut ? {} : { baseURL: base }) };
				const result = authenticated(options);
				if (!carriesSecret(result)) return;
				carried++;
				expect(destinationsOf(url)).toEqual([base]);
				expect(result).toMatchObject({ disableFollowRedirect: true });
			}),
			{ numRuns: 500 },
		);
		expect(carried).toBeGreaterThan(20);
	});

	test('is quick with any URL', () => {
		for (const character of ['/', '\\', '@', ':', '%', '.', '\t', ' ', '[', '中']) {
			for (const start of ['', 'https://', base, `${base}/`]) {
				const url = start + character.repeat(40_000);
				authenticated({ url });
			}
		}
	});
});

describe('A media URL', () => {
	const prepare = (url: string) =>
		preparePost(
			{
				...{
					socialAccountId: 'a',
					contentType: 'POST',
					text: '',
					publishTime: 'now',
					publishAt: '',
				},
				...{ mediaUrls: [[url]], postOptions: { videoCoverImageUrl: url } },
			},
			{ now: new Date(0), timezone: 'UTC', fieldNames: defaultFieldNames, raw: {} },
		);

	test('is sent unchanged or refused', () => {
		fc.assert(
			fc.property(hostileUrl, (url) => {
				const { body, problems } = withinTimeLimit(() => prepare(url));
				if (problems.length > 0) return;
				const media = (body.media_urls ?? []) as string[];
				for (const one of media) {
					expect(one).toBe(url.trim());
					expect(['http:', 'https:']).toContain(new URL(one).protocol);
					expect(one).not.toMatch(/\s/);
				}
			}),
			{ numRuns: 300 },
		);
	});

	test.each([
		...['javascript:alert(1)', 'file:///etc/passwd', 'data:image/png;base64,AA', 'ftp://a/b.jpg'],
		...['//cdn.example/a.jpg', 'cdn.example/a.jpg', 'https://', 'http://[::1', 'https://a b/c.jpg'],
		...['ht\ttps://cdn.example/a.jpg', 'https://cdn.example/a\u2028b.jpg', 'blob:https://a/b'],
	])('is refused if it is not a URL: %s', (url) => {
		expect(prepare(url).problems.map(({ field }) => field)).toContain('Media');
	});
});

test('isLoopback accepts only names of this machine', () => {
	fc.assert(
		fc.property(hostileUrl, (url) => {
			const { value } = resultOrRefusal(
				() => readSettings({ ...data, baseUrl: url }).baseUrl,
				CredentialUnusable,
			);
			if (value?.protocol !== 'http:') return;
			expect(isLoopback(value)).toBe(true);
			expect(value.hostname).toMatch(/^(127\.\d+\.\d+\.\d+|\[::1\]|localhost|.*\.localhost)$/);
		}),
		{ numRuns: 300 },
	);
});
