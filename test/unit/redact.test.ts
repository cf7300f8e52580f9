import fc from 'fast-check';
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
