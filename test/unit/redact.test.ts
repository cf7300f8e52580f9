import fc from 'fast-check';
import { formUrlEncode } from '../../nodes/SocialOpenPlatform/protocol/signature';
import { redact } from '../../nodes/SocialOpenPlatform/protocol/redact';

describe('redact', () => {
	const secret = 's3cret+value/中文==';

	test('redacts a secret in texts, lists, objects and keys', () => {
		const dirty = { message: `x ${secret} y`, list: [secret, { [`k${secret}`]: secret }], n: 1 };
		const clean = JSON.stringify(redact(dirty, [secret]));
		expect(clean).not.toContain(secret);
		expect(clean).toContain('x [redacted] y');
	});

	test('redacts a secret in base64 and in percent encoding', () => {
		const forms = [Buffer.from(secret).toString('base64'), encodeURIComponent(secret)];
		expect(redact(forms, [secret])).toEqual(['[redacted]', '[redacted]']);
	});

	test('redacts a form-encoded secret with upper-case or lower-case digits', () => {
		const signed = formUrlEncode({ app_secret: secret });
		expect(redact([signed, signed.toLowerCase()], [secret])).toEqual([
			'app_secret=[redacted]',
			'app_secret=[redacted]',
		]);
	});

	test('replaces values that are nested too deeply', () => {
		let deep: unknown = secret;
		for (let level = 0; level < 20_000; level++) deep = [deep];
		expect(JSON.stringify(redact(deep, [secret]))).toContain('[redacted]');
	});

	test('keeps values without a secret', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				expect(redact(value, ['never-in-there-0123456789'])).toEqual(value);
			}),
		);
	});

	test('ignores secrets that are too short', () => {
		expect(redact('a post', ['', 'a', 'post'])).toBe('a post');
	});

	describe('with a link to a file of n8n', () => {
		const link =
			'https://n8n.example.com/rest/binary-data/signed?token=eyJhb.eyJpZ-_.c2ln&file=a.jpg';
		const hidden = link.replace('eyJhb.eyJpZ-_.c2ln', '[redacted]');

		test('redacts the token, although it is not among the secrets', () => {
			const value = { message: `Cannot download ${link}.`, media_urls: [link] };
			expect(redact(value, [])).toEqual({
				message: `Cannot download ${hidden}.`,
				media_urls: [hidden],
			});
		});

		test.each([
			['JSON', JSON.stringify({ link }).replaceAll('/', '\\/').replaceAll('&', '\\u0026')],
			['a URL', `https://example.com/?next=${encodeURIComponent(link)}`],
			['HTML', link.replaceAll('/', '&#47;').replaceAll('&f', '&amp;f')],
		])('redacts the token in %s', (_, text) => {
			const clean = redact(text, []);
			expect(clean).not.toMatch(/eyJ|c2ln/);
			expect(clean).toContain('[redacted]');
			expect(clean).toContain('a.jpg');
		});
	});
});
