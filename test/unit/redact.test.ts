import fc from 'fast-check';
import { formUrlEncode } from '../../nodes/SocialOpenPlatform/protocol/signature';
import { redact } from '../../nodes/SocialOpenPlatform/protocol/redact';

describe('Redaction', () => {
	const secret = 's3cret+value/中文==';

	test('takes a secret out of texts, lists, objects and keys', () => {
		const dirty = { message: `x ${secret} y`, list: [secret, { [`k${secret}`]: secret }], n: 1 };
		const clean = JSON.stringify(redact(dirty, [secret]));
		expect(clean).not.toContain(secret);
		expect(clean).toContain('x [redacted] y');
	});

	test('finds it in base64 and percent-encoded too', () => {
		const forms = [Buffer.from(secret).toString('base64'), encodeURIComponent(secret)];
		expect(redact(forms, [secret])).toEqual(['[redacted]', '[redacted]']);
	});

	test('finds it in the form in which it is signed, in either case of the digits', () => {
		const signed = formUrlEncode({ app_secret: secret });
		expect(redact([signed, signed.toLowerCase()], [secret])).toEqual([
			'app_secret=[redacted]',
			'app_secret=[redacted]',
		]);
	});

	test('cuts off what is nested beyond reason', () => {
		let deep: unknown = secret;
		for (let level = 0; level < 20_000; level++) deep = [deep];
		expect(JSON.stringify(redact(deep, [secret]))).toContain('[redacted]');
	});

	test('leaves values without a secret as they are', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				expect(redact(value, ['never-in-there-0123456789'])).toEqual(value);
			}),
		);
	});

	test('does not look for texts too short to be secrets', () => {
		expect(redact('a post', ['', 'a', 'post'])).toBe('a post');
	});
});
