import { randomUUID } from 'node:crypto';
import { readSettings } from '../../../nodes/SocialOpenPlatform/platform/settings';
import {
	exchangeFailure,
	findAccessToken,
	getToken,
	NoAccessToken,
} from '../../../nodes/SocialOpenPlatform/platform/token';

const credential = (change = {}) =>
	readSettings({
		baseUrl: 'https://api.example.com',
		appId: randomUUID(),
		appSecret: 'secret',
		...change,
	});

/** Creates an application whose token exchanges return 1, 2, 3 and so on. */
function application(settings = credential()) {
	let exchanges = 0;
	const take = async (rejected?: string) =>
		await getToken(settings, rejected, async () => String(++exchanges));
	return {
		settings,
		take,
		get: async (rejected?: string) => (await take(rejected)).token,
		fail: async (error: Error) =>
			await getToken(settings, '', async () => await Promise.reject<string>(error)),
	};
}

describe('getToken', () => {
	test('says which caller has fetched the token, so that only this one stores it', async () => {
		const { take } = application();
		const taken = await Promise.all([take(''), take(''), take('old')]);
		expect(taken.map(({ isNew }) => isNew)).toStrictEqual([true, false, false]);
	});

	test('makes an exchange each time a newer token is requested', async () => {
		const { get } = application();
		expect([await get(), await get()]).toStrictEqual(['1', '2']);
	});

	test('makes no exchange as long as the platform asks to wait', async () => {
		const { get, fail, settings } = application();
		const cause = { cause: 'rate-limited', retryAfterMs: 60_000 } as const;
		const error = new NoAccessToken('later', { facts: { retry_after: '60' }, cause });
		await expect(fail(new Error('broken'))).rejects.toThrow('broken');
		await expect(fail(error)).rejects.toThrow('later');
		await expect(get('')).rejects.toThrow('later');
		expect(exchangeFailure(settings, 'later')).toBe(error.failure);
		expect(exchangeFailure(settings, 'another message')).toBeUndefined();
	});
});

describe('findAccessToken', () => {
	test('finds the token by its name at any level of data', () => {
		expect(findAccessToken({ list: [{ deeper: { access_token: 'abc' } }] })).toBe('abc');
		expect(findAccessToken({ inner: { access_token: 'in' }, access_token: 'out' })).toBe('out');
	});

	test.each([
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
	])('does not return a token %s', (_, access_token) => {
		expect(() => findAccessToken({ access_token })).toThrow(
			/text of up to 8000 visible ASCII characters\.$/,
		);
	});

	test('finds nothing in a response without a token', () => {
		for (const data of [undefined, null, 'an access token', [], {}, { deep: [{}] }]) {
			expect(() => findAccessToken(data)).toThrow(/contains no access token/);
		}
	});

	test('refuses a token that is too long for a header', () => {
		expect(findAccessToken({ access_token: 'x'.repeat(8_000) })).toHaveLength(8_000);
		expect(() => findAccessToken({ access_token: 'x'.repeat(8_001) })).toThrow(
			'no access token that can be used',
		);
	});
});
