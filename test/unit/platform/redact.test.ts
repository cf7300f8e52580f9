import fc from 'fast-check';
import { redact, secretsIn } from '../../../nodes/SocialOpenPlatform/platform/json';
import { withinTimeLimit } from '../hostileValues';

const SECRET = 'Ab/d+f=h&j"k\'l<é>中😀%41\\z ~*';
const PLAIN = 'AKx7Qe2mZr9Lw4TbN8sYc1Vd';

const inLowerCase = (text: string) => text.replace(/%../g, (hex) => hex.toLowerCase());
const json = (text: string) => JSON.stringify(text).slice(1, -1);

/** How JavaScript, PHP and servers repeat a secret. */
const spellings: Record<string, (text: string) => string> = {
	'plain text': (text) => text,
	JSON: json,
	'JSON with a backslash before each slash': (text) => json(text).replaceAll('/', '\\/'),
	'percent encoding': encodeURIComponent,
	'percent encoding in lower case': (text) => inLowerCase(encodeURIComponent(text)),
	base64: (text) => Buffer.from(text).toString('base64'),
	'base64 without padding': (text) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
	'base64 in a URL': (text) => encodeURIComponent(Buffer.from(text).toString('base64')),
};

describe.each([
	['with special characters', SECRET],
	['of letters and digits', PLAIN],
])('redact, for a secret %s', (_, secret) => {
	test.each(Object.entries(spellings))('redacts it as %s, in texts and keys', (__, spell) => {
		const text = `key: ${spell(secret)} end`;
		const hidden = 'key: [redacted] end';
		expect(redact({ [text]: { list: [text, 1, null] } }, secretsIn(PLAIN, SECRET))).toStrictEqual({
			[hidden]: { list: [hidden, 1, null] },
		});
	});
});

describe('redact', () => {
	test('redacts a stored token without its digest, and a secret that ends like a digest', () => {
		const stored = `a-token ${'0123456789abcdef'.repeat(4)}`;
		const redacted = redact(`${stored} a-token`, secretsIn(stored));
		expect(redacted).toBe('[redacted] [redacted]');
	});

	test('redacts a secret that consists of digits as a number', () => {
		expect(redact([123456789, 12345678], secretsIn('123456789'))).toStrictEqual([
			'[redacted]',
			12345678,
		]);
	});

	test('keeps values without a secret', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				expect(redact(value, secretsIn('never-in-there-0123456789'))).toEqual(value);
			}),
		);
	});

	test('ignores secrets of less than six characters', () => {
		expect(redact('a post, posts, posted', secretsIn('', 'a', 'posts', 'posted'))).toBe(
			'a post, posts, [redacted]',
		);
	});

	test('searches for a lone surrogate and for a very long secret', () => {
		const long = '中"'.repeat(20_000);
		expect(redact(`a ${long} b`, secretsIn('secret-\ud83d', long))).toBe('a [redacted] b');
	});

	describe('with a link to a file of n8n', () => {
		const link =
			'https://n8n.example.com/rest/binary-data/signed?token=eyJhb.eyJpZ-_.c2ln&file=a.jpg';

		test.each([
			['plain text', (text: string) => text],
			['JSON', (text: string) => json(text).replaceAll('/', '\\/')],
			['a URL', encodeURIComponent],
			['a URL in lower case', (text: string) => inLowerCase(encodeURIComponent(text))],
		])('redacts the token in %s, although it is not among the secrets', (_, spell) => {
			const text = `Cannot download ${spell(link)}.`;
			expect(redact(text, [])).toBe(text.replace('eyJhb.eyJpZ-_.c2ln', '[redacted]'));
		});
	});

	const short = 's3cr/t';
	test.each([
		...Object.entries(spellings).map(([name, spell]) => [name, spell(SECRET)]),
		['a short secret in a URL', encodeURIComponent(short)],
		['almost a secret', PLAIN.slice(0, -1)],
		['backslashes', '\\'],
		['percent signs', '%25'],
		['file links', '/binary-data/signed?token=a.b'],
	] as Array<[string, string]>)('takes little time for 4 MB of: %s', (_, piece) => {
		const text = Buffer.alloc(4 * 2 ** 20, piece).toString();
		// Alone, it takes less than 0.1 seconds.
		withinTimeLimit(() => redact({ message: text }, secretsIn(SECRET, PLAIN, short)));
	});
});
