import { randomUUID } from 'node:crypto';
import { readSettings } from '../../../nodes/SocialOpenPlatform/platform/settings';
import { NoAccessToken } from '../../../nodes/SocialOpenPlatform/platform/token';
import { exchangePause, getToken } from '../../../nodes/SocialOpenPlatform/platform/tokenCache';

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
	test('makes one exchange for callers that need a token at the same time', async () => {
		const { get } = application();
		expect(await Promise.all([get(''), get(''), get('old')])).toStrictEqual(['1', '1', '1']);
	});

	test('says which caller has fetched the token, so that only this one stores it', async () => {
		const { take } = application();
		const taken = await Promise.all([take(''), take(''), take('old')]);
		expect(taken.map(({ isNew }) => isNew)).toStrictEqual([true, false, false]);
	});

	test('shares a new token with later callers while n8n stores it', async () => {
		const { get } = application();
		await get('old');
		expect([await get('old'), await get('')]).toStrictEqual(['1', '1']);
	});

	test('makes another exchange when its token is rejected', async () => {
		const { get } = application();
		await get('');
		expect([await get('1'), await get('2')]).toStrictEqual(['2', '3']);
	});

	test('makes an exchange each time a newer token is requested', async () => {
		const { get } = application();
		expect([await get(), await get()]).toStrictEqual(['1', '2']);
	});

	test.each([
		['Base URL', { baseUrl: 'https://other.example.com' }],
		['App ID', { appId: 'other' }],
		['App Secret', { appSecret: 'other' }],
	])('shares no token with an application with another %s', async (_, change) => {
		const own = { appId: randomUUID() };
		await application(credential(own)).get('');
		const other = application(credential({ ...own, ...change }));
		await expect(other.fail(new Error('an exchange'))).rejects.toThrow('an exchange');
	});

	test('makes another exchange after one that failed', async () => {
		const { get, fail, settings } = application();
		await expect(fail(new Error('no'))).rejects.toThrow('no');
		expect(exchangePause(settings)).toBeUndefined();
		expect(await get('')).toBe('1');
	});

	test('makes no exchange as long as the platform asks to wait', async () => {
		const { get, fail, settings } = application();
		const rateLimit = { retryAfter: '60', requestedMs: 60_000 };
		await expect(fail(new NoAccessToken('later', rateLimit))).rejects.toThrow('later');
		await expect(get('')).rejects.toThrow('later');
		const { until, retryAfter } = exchangePause(settings)!;
		expect(retryAfter).toBe('60');
		expect(until - performance.now()).toBeGreaterThan(50_000);
		expect(until - performance.now()).toBeLessThanOrEqual(60_000);
	});
});
