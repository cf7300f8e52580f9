import fc from 'fast-check';
import { PiecewiseRedaction, redact } from '../../nodes/SocialOpenPlatform/protocol/redact';

const SECRET = 'Ab/d+f=h&j"k\'l<é>中😀%41\\z';
const PLAIN = 'AKx7Qe2mZr9Lw4TbN8sYc1Vd';
const secrets = [SECRET, PLAIN];

const unicode = (text: string) =>
	[...text].flatMap((c) =>
		c.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
	);
const percent = (text: string) =>
	[...text].map((c) =>
		[...Buffer.from(c)].map((b) => `%${b.toString(16).padStart(2, '0')}`).join(''),
	);
const php = (text: string) =>
	JSON.stringify(text)
		.slice(1, -1)
		.replaceAll('/', '\\/')
		.replace(/[^\0-~]/g, (c) => unicode(c).join(''));
const html = (text: string) =>
	text
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;')
		.replaceAll("'", '&#039;');
const entities = (text: string, radix: 10 | 16) =>
	[...text].map((c) => `&#${radix === 16 ? 'x' : ''}${c.codePointAt(0)!.toString(radix)};`);
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The encodings in which PHP, JavaScript and proxies may repeat a secret. */
const encodings: Record<string, (text: string) => string> = {
	"PHP's json_encode": php,
	'json_encode twice': (text) => php(php(text)),
	'JSON with the flags JSON_HEX_*': (text) =>
		text.replace(/[<>&'"/\\]/g, (c) => unicode(c).join('').toUpperCase().replace('\\U', '\\u')),
	'only Unicode escapes': (text) => unicode(text).join(''),
	'percent encoding': encodeURIComponent,
	'percent encoding in lower case': (text) => percent(text).join(''),
	'percent encoding twice': (text) => encodeURIComponent(encodeURIComponent(text)),
	'percent encoding of all characters, twice': (text) => encodeURIComponent(percent(text).join('')),
	htmlspecialchars: html,
	'htmlspecialchars twice': (text) => html(html(text)),
	'decimal HTML entities': (text) => entities(text, 10).join(''),
	'hexadecimal HTML entities': (text) => entities(text, 16).join('').toUpperCase(),
	'HTML entities without semicolons': (text) => entities(text, 10).join('').replaceAll(';', ''),
	'JSON in a URL': (text) => encodeURIComponent(php(text)),
	'a URL in HTML in JSON': (text) => php(html(encodeURIComponent(text))),
	'hexadecimal in lower case': (text) => Buffer.from(text).toString('hex'),
	'hexadecimal in upper case': (text) => Buffer.from(text).toString('hex').toUpperCase(),
	'JSON in hexadecimal': (text) => Buffer.from(php(text)).toString('hex'),
	'base64 in JSON': (text) => php(base64(text)),
	'base64 in a URL': (text) => encodeURIComponent(base64(text)),
};

/** Expects that neither a text nor its decoded form contains the secret. */
function expectHidden(shown: string, secret: string): void {
	expect(shown).toContain('[redacted]');
	for (const text of [shown, decodeURIComponentOr(shown)]) expect(text).not.toContain(secret);
}

function decodeURIComponentOr(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

describe.each([
	['of many characters', SECRET],
	['of letters and digits', PLAIN],
])('Redaction of a secret %s', (_, secret) => {
	test.each(Object.entries(encodings))('redacts it in %s', (__, encode) => {
		const coded = encode(secret);
		expect(redact(`key: ${coded} end`, secrets)).toBe('key: [redacted] end');
		const keys = Object.keys(redact({ [coded]: { list: [coded] } }, secrets));
		expect(keys).toStrictEqual(['[redacted]']);
	});

	test.each(Object.entries(encodings))(
		'redacts it in %s when the text arrives in pieces',
		(__, encode) => {
			const text = `key: ${encode(secret)} end`;
			for (const size of [1, 2, 3, 7, 50]) {
				const pieces = text.match(new RegExp(`.{1,${size}}`, 'gsu'))!;
				const redaction = new PiecewiseRedaction(secrets);
				const shown = [...pieces.map((piece) => redaction.add(piece)), redaction.end()].join('');
				expect(shown).toBe('key: [redacted] end');
			}
		},
	);

	test.each([0, 1, 2, 3, 4, 5, 30])(
		'redacts it in the base64 of a text that contains it at offset %i',
		(offset) => {
			for (const encode of [(text: string) => text, php]) {
				const inside = encode(secret);
				const bytes = Buffer.from(`${'p'.repeat(offset)}${inside}${'s'.repeat(7)}`);
				for (const form of ['base64', 'base64url'] as const) {
					const coded = bytes.toString(form);
					const shown = redact(`key: ${coded} end`, secrets);
					// The characters at both ends may contain bits of the surrounding text.
					expect(shown).toMatch(/^key: [\w+/=-]*\[redacted\][\w+/=-]* end$/);
					const left = shown.slice(5, -4).split('[redacted]');
					expect(left.map((part) => Buffer.from(part, form).length)).toStrictEqual([
						expect.any(Number),
						expect.any(Number),
					]);
					expect(Math.floor((left[0]!.length * 6) / 8)).toBeLessThanOrEqual(offset);
					const redaction = new PiecewiseRedaction(secrets);
					const pieces = [...coded].map((letter) => redaction.add(letter));
					expect([...pieces, redaction.end()].join('')).toBe(shown.slice(5, -4));
				}
			}
		},
	);

	test('redacts it when each character has another encoding', () => {
		const ways = [
			...[(c: string) => c, (c: string) => unicode(c).join(''), (c: string) => percent(c).join('')],
			...[(c: string) => entities(c, 10).join(''), (c: string) => entities(c, 16).join('')],
			(c: string) => percent(percent(c).join('')).join(''),
		];
		const letters = [...secret];
		const choice = fc.array(fc.constantFrom(...ways.keys()), {
			minLength: letters.length,
			maxLength: letters.length,
		});
		fc.assert(
			fc.property(choice, (chosen) => {
				// A character that begins an escape must be escaped itself.
				const coded = letters.map((c, n) => (/[\\%&]/.test(c) ? ways[1]! : ways[chosen[n]!]!)(c));
				expectHidden(redact(`key: ${coded.join('')} end`, secrets), secret);
			}),
		);
	});
});

describe('redact', () => {
	const texts = [
		'100 % \\o/ &amp; %41 \\u0041 &#65; \\\\ %zz &x; %e4%b8',
		...['\\'.repeat(1_001), '%25'.repeat(300)],
		...['a=1&b=%2F&c=\\/', 'AKx7Qe2mZr9Lw4TbN8sYc1V', '%', '&', '&#x110000;', '\\u', '%ff%fe'],
	].map((text) => [
		text.length > 60 ? `${text.slice(0, 6)}… (${text.length} characters)` : text,
		text,
	]);
	test.each(texts)('keeps a text without a secret: %s', (_, text) => {
		expect(redact(text, secrets)).toBe(text);
		const redaction = new PiecewiseRedaction(secrets);
		const pieces = [...text].map((letter) => redaction.add(letter));
		expect([...pieces, redaction.end()].join('')).toBe(text);
	});

	test('redacts only the secret in a text with other escapes', () => {
		const text = `{"a":"\\u4e2d\\/${php(PLAIN)}\\n","b":"${php(SECRET)}\\u4e2d"}`;
		expect(redact(text, secrets)).toBe('{"a":"\\u4e2d\\/[redacted]\\n","b":"[redacted]\\u4e2d"}');
	});

	test('finds overlapping and adjacent secrets', () => {
		expect(redact(`${PLAIN}${PLAIN}`, [PLAIN])).toBe('[redacted][redacted]');
		expect(redact('abcdefghij', ['abcdefg', 'defghij'])).toBe('[redacted]');
		const redaction = new PiecewiseRedaction(['abcdefg', 'abcdefghij']);
		const pieces = [...'xabcdefghijy'].map((letter) => redaction.add(letter));
		expect([...pieces, redaction.end()].join('')).toBe('x[redacted]y');
	});

	test('takes linear time', () => {
		const token = 'eyJ'.padEnd(1_200, PLAIN);
		const full = [
			'a',
			'\\',
			'\\u0041',
			'%25',
			'%',
			'&amp;',
			'&',
			'\\/',
			PLAIN,
			PLAIN.slice(0, -1),
			'中',
		];
		for (const piece of full) {
			const text = piece.repeat(200_000 / piece.length);
			const started = process.cpuUsage();
			redact(text, [SECRET, PLAIN, token]);
			new PiecewiseRedaction([SECRET, PLAIN, token]).add(text);
			expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
		}
	});
});
