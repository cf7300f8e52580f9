import fc from 'fast-check';
import { preparePost } from '../../../nodes/SocialOpenPlatform/post/post';
import { withinTimeLimit } from '../hostileValues';

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
			{ now: 0, timezone: 'UTC', findAccount: (id) => ({ id }), raw: {} },
		);

	test('is sent unchanged or refused', () => {
		fc.assert(
			fc.property(hostileUrl, (url) => {
				const { body, issues } = withinTimeLimit(() => prepare(url));
				if (issues.length > 0) return;
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
		expect(prepare(url).issues.map(({ field }) => field)).toContain('Media');
	});
});
