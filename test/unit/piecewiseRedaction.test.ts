import fc from 'fast-check';
import { PiecewiseRedaction } from '../../nodes/SocialOpenPlatform/protocol/redact';

const SECRET = 's3cret+value/中文==';
const forms = [SECRET, Buffer.from(SECRET).toString('base64'), encodeURIComponent(SECRET)];

/** Returns the output for each piece, and the rest at the end. */
function shown(pieces: string[], secrets = [SECRET]): string[] {
	const redaction = new PiecewiseRedaction(secrets);
	return [...pieces.map((piece) => redaction.add(piece)), redaction.end()];
}

const cutAnywhere = (text: string) =>
	fc.array(fc.nat({ max: text.length }), { maxLength: 12 }).map((cuts) => {
		const at = [0, ...cuts.sort((a, b) => a - b), text.length];
		return at.slice(1).map((to, n) => text.slice(at[n], to));
	});

describe('PiecewiseRedaction', () => {
	test.each(forms)('redacts a secret wherever it is split: %s', (form) => {
		const text = `before ${form} after ${form}${form}`;
		fc.assert(
			fc.property(cutAnywhere(text), (pieces) => {
				const all = shown(pieces).join('');
				expect(all.replace(/=/g, '')).toBe('before [redacted] after [redacted][redacted]');
			}),
		);
	});

	test('keeps text without a complete secret', () => {
		const text = fc.array(fc.oneof(fc.string(), fc.constantFrom('s3', 's3cret', 's3cret+valu')));
		fc.assert(
			fc.property(text, (pieces) => {
				fc.pre(!pieces.join('').includes(SECRET));
				expect(shown(pieces).join('')).toBe(pieces.join(''));
			}),
		);
	});

	test('holds back only text that may be the beginning of a secret', () => {
		expect(shown(['Hello', ' world', ' s3', 'cre', 'am'])).toStrictEqual([
			...['Hello', ' world', ' ', '', 's3cream', ''],
		]);
		expect(shown(['any', ' thing'], [])).toStrictEqual(['any', ' thing', '']);
	});
});
