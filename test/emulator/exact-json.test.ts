import fc from 'fast-check';

import { readExactJson, writeJson } from './exact-json';

describe('Exact JSON', () => {
	it('writes a bigint as an integer literal', () => {
		expect(writeJson({ id: 9007199254740993n, list: [1n, undefined, 'a'] })).toBe(
			'{"id":9007199254740993,"list":[1,null,"a"]}',
		);
	});

	it('reads an integer beyond 2^53 as a bigint and does not change digits in texts', () => {
		const text =
			'{"id":9007199254740993,"text":"id 9007199254740993 \\" :9007199254740993","n":12}';
		expect(readExactJson(text)).toEqual({
			id: 9007199254740993n,
			text: 'id 9007199254740993 " :9007199254740993',
			n: 12,
		});
	});

	it('writes the same as JSON.stringify if there is no bigint', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				expect(writeJson(value)).toBe(JSON.stringify(value));
			}),
		);
	});

	it('reads every 64-bit integer that it has written', () => {
		fc.assert(
			fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }), fc.string(), (id, text) => {
				expect(readExactJson(writeJson({ [text]: [id] }))).toEqual({ [text]: [id] });
			}),
		);
	});
});
