import { randomUUID } from 'node:crypto';
import { readSettings } from '../../nodes/SocialOpenPlatform/protocol/settings';
import { getToken, hasNewerToken } from '../../nodes/SocialOpenPlatform/protocol/tokenMemory';

/** An application of its own, whose tokens are called 1, 2, 3 … */
function application() {
	const baseUrl = 'https://api.example.com';
	const settings = readSettings({ baseUrl, appId: randomUUID(), appSecret: 'secret' });
	let exchanges = 0;
	return {
		get: async (refused?: string) =>
			await getToken(settings, refused, async () => String(++exchanges)),
		hasNewer: (refused: string) => hasNewerToken(settings, refused),
	};
}

const fresh = (token: string) => ({ token, isToBeStored: true });

describe('A token', () => {
	test('is exchanged once for all who ask together, and stored once', async () => {
		const { get } = application();
		const handed = await Promise.all([get(''), get(''), get('old')]);
		const joined = { token: '1', isToBeStored: false };
		expect(handed).toStrictEqual([fresh('1'), joined, joined]);
	});

	test('is handed to who had none or a replaced one, while n8n stores it', async () => {
		const { get } = application();
		await get('old');
		const handed = { token: '1', isToBeStored: false };
		expect([await get(''), await get('old')]).toStrictEqual([handed, handed]);
	});

	test('is handed to who had one that somebody else stored, to be stored in its place', async () => {
		const { get, hasNewer } = application();
		await get('');
		expect(hasNewer('foreign')).toBe(true);
		expect(await get('foreign')).toStrictEqual(fresh('1'));
	});

	test('that was refused is handed to nobody', async () => {
		const { get, hasNewer } = application();
		await get('');
		expect(hasNewer('1')).toBe(false);
		expect(await get('1')).toStrictEqual(fresh('2'));
		expect([hasNewer('1'), hasNewer('2')]).toStrictEqual([true, false]);
	});

	test('is exchanged afresh where that is asked for', async () => {
		const { get } = application();
		expect([await get(), await get()]).toStrictEqual([fresh('1'), fresh('2')]);
	});

	test('is on its way while it is exchanged', async () => {
		const { get, hasNewer } = application();
		const asked = get('old');
		expect(hasNewer('old')).toBe(true);
		await asked;
	});

	test('stays good where the exchange for another one fails', async () => {
		const settings = readSettings({
			...{ baseUrl: 'https://api.example.com', appId: randomUUID(), appSecret: 'secret' },
		});
		await getToken(settings, '', async () => 'good');
		const failing = getToken(
			settings,
			undefined,
			async () => await Promise.reject(new Error('no')),
		);
		await expect(failing).rejects.toThrow('no');
		const handed = await getToken(settings, '', async () => 'another');
		expect(handed.token).toBe('good');
	});
});
