import { setTimeout as sleep } from 'node:timers/promises';
import { eachText, itemsOf, jsonOf, textOf, textsOf } from '../harness/manyPosts';
import { usePlatform, useShortTokenWaits } from '../harness/platform';
import { boundToken, readSettings } from '../../../nodes/SocialOpenPlatform/platform/settings';
import { signTokenRequest } from '../../../nodes/SocialOpenPlatform/platform/signature';

const platform = usePlatform();
useShortTokenWaits();
let reads = 0;
beforeEach(async () => {
	const read = platform.store.getDecrypted.bind(platform.store);
	reads = 0;
	platform.store.getDecrypted = async (...args) => {
		reads++;
		return await read(...args);
	};
});

const exchanges = () => platform.received('getAccessToken').length;
const created = () => platform.received('createPost');
const usedTokens = () => created().map(({ headers }) => headers['x-legacy-token']);
const runMany = async () => await platform.run(eachText(), { items: itemsOf(20) });
const continuing = (count: number) => ({
	items: itemsOf(count),
	onError: 'continueRegularOutput' as const,
});

const rejection = { kind: 'token-rejected-200', operation: 'createPost', times: Infinity } as const;

describe('A run of 20 posts', () => {
	test('reads the credential twice, and fetches a token only if none is stored', async () => {
		const result = await runMany();
		expect(result.error).toBeUndefined();
		expect(jsonOf(result)).toHaveLength(20);
		expect([reads, exchanges(), created().length]).toStrictEqual([2, 1, 20]);
		await runMany();
		expect([reads, exchanges(), created().length]).toStrictEqual([4, 1, 40]);
	});

	test('fetches one token when the stored one was revoked, and only requests in progress are rejected', async () => {
		await runMany();
		platform.emulator.revokeTokens();
		expect((await runMany()).error).toBeUndefined();
		expect(platform.emulator.posts).toHaveLength(40);
		expect(exchanges()).toBe(2);
		// At most the five concurrent requests are sent with the old token.
		expect(created().length).toBeLessThanOrEqual(20 + 20 + 5);
		expect(new Set(textsOf(platform.emulator.posts.slice(20))).size).toBe(20);
		// Each run reads the credential twice, and again for a token that is rejected.
		expect(reads).toBeLessThanOrEqual(2 + 2 + 5);
	});

	test('fetches a token when its own is revoked, and a slow response does not bring the old one back', async () => {
		platform.emulator.fault({ kind: 'slow', operation: 'createPost', delayMs: 1_500 });
		const options = { maxConcurrentRequests: 2, minimumInterval: 0.1 };
		const running = platform.start(eachText(options), { items: itemsOf(20) });
		while (platform.emulator.posts.length < 6) await sleep(5);
		platform.emulator.revokeTokens();
		expect((await running.done).error).toBeUndefined();
		expect(platform.emulator.posts).toHaveLength(20);
		expect(exchanges()).toBe(2);
		const { token } = platform.emulator.tokens[1]!;
		const since = usedTokens().slice(usedTokens().indexOf(token));
		expect(new Set(since)).toStrictEqual(new Set([token]));
	});

	test('sends nothing without a token, and requests one only once', async () => {
		Object.assign(platform.credential, { appSecret: 'not-the-secret' });
		const { error, contextData } = await runMany();
		expect(error).toMatchObject({ context: { data: { outcome: 'not_sent' } } });
		expect([exchanges(), created().length]).toStrictEqual([1, 0]);
		expect(JSON.stringify(contextData)).not.toContain('unknown');
	});
});

test('A run sends no more posts after two new tokens in a row were rejected', async () => {
	platform.emulator.fault({ ...rejection, message: 'The application is locked' });
	const items = jsonOf(await platform.run(eachText(), continuing(100)));
	expect(items).toHaveLength(100);
	for (const { error } of items) expect(error).toContain('The application is locked');
	expect(items[99]).toMatchObject({
		error: expect.stringMatching(
			/^Nothing was sent for post 100 of 100, “post 99\.”\. The platform has rejected the access token: /,
		),
		details: { outcome: 'not_sent' },
	});
	expect(exchanges()).toBe(2);
	expect(created().length).toBeLessThanOrEqual(2 * 5);
});

test('A run uses a newer token that another process stores a second after its exchange', async () => {
	jest.mocked(Math.random).mockReturnValue(0);
	platform.emulator.fault({ ...rejection, times: 1 });
	const running = platform.start(eachText(), { items: itemsOf(1) });
	while (created().length === 0) await sleep(5);
	const { appId, appSecret, baseUrl } = platform.credential as Record<string, string>;
	const body = signTokenRequest({ appId: appId!, appSecret: appSecret!, timestamp: Date.now() });
	const headers = { 'content-type': 'application/json' };
	const request = { method: 'POST', headers, body: JSON.stringify(body) };
	await fetch(`${baseUrl}/api/v1/getAccessToken`, request);
	await sleep(1_200);
	const { token } = platform.emulator.tokens.at(-1)!;
	const accessToken = boundToken(token, readSettings(platform.credential));
	Object.assign(platform.store.stored.get('1')!, { accessToken });
	expect((await running.done).error).toBeUndefined();
	expect(usedTokens().at(-1)).toBe(token);
	expect(exchanges()).toBe(2);
});

test('A run gives up a post whose tokens are rejected while other posts are accepted', async () => {
	// Each wait is 100 milliseconds, so that other posts are accepted between two rejections.
	jest.mocked(Math.random).mockReturnValue(-0.4);
	platform.emulator.fault({ ...rejection, bodyHas: textOf(0) });
	const items = jsonOf(await platform.run(eachText({ minimumInterval: 0.05 }), continuing(30)));
	expect(items[0]).toMatchObject({ details: { outcome: 'refused' } });
	expect(platform.emulator.posts).toHaveLength(29);
	expect(exchanges()).toBeLessThanOrEqual(4);
});
