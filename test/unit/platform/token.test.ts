import { findAccessToken } from '../../../nodes/SocialOpenPlatform/platform/token';

describe('findAccessToken', () => {
	test('finds the token by its name at any level of data', () => {
		expect(findAccessToken({ access_token: 'abc' })).toBe('abc');
		expect(findAccessToken({ list: [{ deeper: { access_token: 'abc' } }] })).toBe('abc');
		expect(findAccessToken({ inner: { access_token: 'in' }, access_token: 'out' })).toBe('out');
	});

	test.each([
		[{ accessToken: 'abc' }],
		[{ token: 'abc' }],
		[{ result: { token: 'abc' } }],
		['abc'],
		[{ token: 'other', deeper: { access_token: 'abc' } }],
		[{ token_type: 'Bearer', accessToken: 'abc' }],
	])('finds the token under other names and as text: %j', (data) => {
		expect(findAccessToken(data)).toBe('abc');
	});

	test.each([
		['that is empty', ''],
		['that is not text', 12345],
		['with a line break', 'a\r\nX-Evil: 1'],
		['with characters outside ASCII', 'tökén'],
		['with spaces', 'a b'],
	])('does not return a token %s', (_, access_token) => {
		expect(() => findAccessToken({ access_token })).toThrow(
			/text with only visible ASCII characters/,
		);
	});

	test('finds nothing in a deeply nested response without a token', () => {
		let deep: unknown = { access_token: 'abc' };
		for (let level = 0; level < 5000; level++) deep = { deep };
		for (const data of [undefined, null, 'an access token', [], {}, deep]) {
			expect(() => findAccessToken(data)).toThrow(/contains no access token/);
		}
	});
});

test('findAccessToken refuses a token that is too long for a header', () => {
	expect(findAccessToken({ access_token: 'x'.repeat(8_000) })).toHaveLength(8_000);
	expect(() => findAccessToken({ access_token: 'x'.repeat(8_001) })).toThrow(
		'its access token is longer than 8000 characters, which is too long for a header.',
	);
});
