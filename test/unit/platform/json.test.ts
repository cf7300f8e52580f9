import fc from 'fast-check';
import {
	isTooComplex,
	parseJson,
	toJsonValue,
} from '../../../nodes/SocialOpenPlatform/platform/json';
import { withinTimeLimit } from '../hostileValues';

describe('parseJson', () => {
	test('parses any JSON value like JSON.parse', () => {
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
			{ numRuns: 300 },
		);
	});

	test.each(['1e400', '-1E400', '9007199254740993', '-123456789012345678901'])(
		'returns %s as text because JavaScript cannot represent it',
		(digits) => {
			expect(parseJson(`{"a":[${digits}],"b":"${digits}"}`)).toEqual({ a: [digits], b: digits });
		},
	);

	test.each([
		...[
			'1e308',
			'-1E+22',
			'5e-324',
			'0e999',
			'9007199254740991',
			'9007199254740992.0',
			'12345678901234567e3',
		],
		...['0.30000000000000004', '1.5e300', '-0', '1234567890123456.5e-20'],
	])('returns %s as a number', (digits) => {
		expect(parseJson(`[${digits}]`)).toEqual([Number(digits)]);
	});

	test('keeps digits in strings and keys, with any escapes around them', () => {
		const value = { '9007199254740993': '\\"9007199254740993', 'a"': '\\\\ 9007199254740993 "' };
		expect(parseJson(JSON.stringify(value))).toEqual(value);
	});

	test('refuses invalid JSON, even if a quoted number would make it valid', () => {
		for (const text of ['', '{', '{9007199254740993:1}', '[09007199254740993]', "{'a':1}", 'NaN']) {
			expect(() => parseJson(text)).toThrow(SyntaxError);
		}
	});

	test('keeps __proto__ as a plain field', () => {
		expect(Object.keys(parseJson('{"__proto__":{"a":9007199254740993}}') as object)).toEqual([
			'__proto__',
		]);
	});

	test.each([
		['escapes', '\\n'],
		['numbers in a string', '1.'],
		['numbers next to other characters', '1*'],
	])('parses megabytes of %s quickly', (_, piece) => {
		const text = `{"a":"${piece.repeat(2_000_000)}","id":9007199254740993}`;
		// An idle machine takes a fifth of a second.
		expect(withinTimeLimit(() => parseJson(text), 2_000)).toHaveProperty('a.length', 4_000_000);
	});
});

test('isTooComplex counts only levels that are open at the same time', () => {
	expect(isTooComplex(`[${'[],{},'.repeat(100)}0]`)).toBe(false);
	expect(isTooComplex('['.repeat(65))).toBe(true);
});

describe('toJsonValue', () => {
	const holder: Record<string, unknown> = { a: [] };
	(holder.a as unknown[]).push({ back: holder });
	const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));

	test.each<[string, unknown, unknown]>([
		['plain data', { a: [1, 'x', null, { b: -0.5 }] }, { a: [1, 'x', null, { b: -0.5 }] }],
		['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
		['entries without a value', { a: undefined, b: { c: undefined } }, { b: {} }],
	])('converts %s', (_, given, value) => {
		expect(toJsonValue(given)).toEqual({ value });
	});

	test.each([NaN, 2 ** 60])('reports an issue for the number %s', (number) => {
		expect(toJsonValue({ id: [number] })).toEqual({
			issue: "contains '0', a number that JSON cannot represent exactly; enter it as text",
		});
	});

	test.each<[string, unknown]>([
		['undefined', undefined],
		['a circular object', holder],
		['deep nesting', deep],
	])('reports an issue for %s', (_, given) => {
		expect(toJsonValue(given)).toEqual({ issue: 'is not plain data that JSON can represent' });
	});
});
