import fc from 'fast-check';
import { parseJson } from '../../nodes/SocialOpenPlatform/protocol/json';

describe('Lossless JSON', () => {
	test('reads any JSON value as JSON.parse does', () => {
		fc.assert(
			fc.property(fc.json(), (text) => {
				const plain: unknown = JSON.parse(text);
				const large = JSON.stringify(plain, (_, value: unknown) =>
					typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
						? null
						: value,
				);
				expect(parseJson(large)).toEqual(JSON.parse(large));
			}),
			{ numRuns: 2000 },
		);
	});

	test('keeps every digit of integers beyond 2^53, as text', () => {
		const large = fc
			.bigInt({ min: -(2n ** 70n), max: 2n ** 70n })
			.filter((n) => n > 2n ** 53n || n < -(2n ** 53n));
		fc.assert(
			fc.property(large, fc.string(), (n, text) => {
				const json = `{"id":${n},"list":[ ${n} ,${JSON.stringify(text)}],"text":"${n}"}`;
				expect(parseJson(json)).toEqual({ id: `${n}`, list: [`${n}`, text], text: `${n}` });
			}),
			{ numRuns: 2000 },
		);
	});

	test('leaves safe integers, fractions and exponents as numbers', () => {
		const text =
			'[9007199254740991,-9007199254740991,0.12345678901234567,1E30,12345678901234567e-3]';
		expect(parseJson(text)).toEqual(JSON.parse(text));
		expect(parseJson('[9007199254740993]')).toEqual(['9007199254740993']);
	});

	test('leaves digits in strings and keys alone, whatever is escaped around them', () => {
		const value = { '9007199254740993': '\\"9007199254740993', 'a"': '\\\\ 9007199254740993 "' };
		expect(parseJson(JSON.stringify(value))).toEqual(value);
	});

	test('refuses what is not JSON, even where quoting a number would make it JSON', () => {
		for (const text of ['', '{', '{9007199254740993:1}', '[09007199254740993]', "{'a':1}", 'NaN']) {
			expect(() => parseJson(text)).toThrow(SyntaxError);
		}
	});

	test('keeps __proto__ as a plain field', () => {
		const parsed = parseJson('{"__proto__":{"polluted":9007199254740993}}') as object;
		expect(Object.keys(parsed)).toEqual(['__proto__']);
		expect(({} as { polluted?: string }).polluted).toBeUndefined();
	});

	test('takes megabytes of escapes in its stride', () => {
		const text = `{"a":"${'\\n'.repeat(2_000_000)}","id":9007199254740993}`;
		expect((parseJson(text) as { id: string }).id).toBe('9007199254740993');
	});
});
