import { randomUUID } from 'node:crypto';
import { readSettings } from '../../nodes/SocialOpenPlatform/protocol/settings';
import { getToken, hasNewerToken } from '../../nodes/SocialOpenPlatform/transport/tokenCache';

/** Creates an application whose token exchanges return 1, 2, 3 and so on. */
function application() {
	const baseUrl = 'https://api.example.com';
	const settings = readSettings({ baseUrl, appId: randomUUID(), appSecret: 'secret' });
	let exchanges = 0;
	return {
		settings,
		get: async (rejected?: string) =>
			await getToken(settings, rejected, async () => String(++exchanges)),
		hasNewer: (rejected: string) => hasNewerToken(settings, rejected),
	};
}

const fresh = (token: string) => ({ token, isToBeStored: true });
const shared = (token: string) => ({ token, isToBeStored: false });

describe('Token cache', () => {
	test('makes one exchange for parallel callers, and lets one of them store the token', async () => {
		const { get } = application();
		const tokens = await Promise.all([get(''), get(''), get('old')]);
		expect(tokens).toStrictEqual([fresh('1'), shared('1'), shared('1')]);
	});

	test('shares the token with callers that had none or a replaced one, while n8n stores it', async () => {
		const { get } = application();
		await get('old');
		expect([await get(''), await get('old')]).toStrictEqual([shared('1'), shared('1')]);
	});

	test('lets a caller replace a stored token of another process', async () => {
		const { get, hasNewer } = application();
		await get('');
		expect(hasNewer('foreign')).toBe(true);
		expect(await get('foreign')).toStrictEqual(fresh('1'));
	});

	test('does not share a rejected token', async () => {
		const { get, hasNewer } = application();
		await get('');
		expect(hasNewer('1')).toBe(false);
		expect(await get('1')).toStrictEqual(fresh('2'));
		expect([hasNewer('1'), hasNewer('2')]).toStrictEqual([true, false]);
	});

	test('makes an exchange each time a new token is requested', async () => {
		const { get } = application();
		expect([await get(), await get()]).toStrictEqual([fresh('1'), fresh('2')]);
	});

	test('reports a newer token during an exchange', async () => {
		const { get, hasNewer } = application();
		const pending = get('old');
		expect(hasNewer('old')).toBe(true);
		await pending;
	});

	test('keeps the token when the exchange for another one fails', async () => {
		const { get, settings } = application();
		await get('');
		const fail = async () => await Promise.reject<string>(new Error('no'));
		await expect(getToken(settings, undefined, fail)).rejects.toThrow('no');
		expect((await get('')).token).toBe('1');
	});
});
