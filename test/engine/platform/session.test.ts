import { setTimeout as sleep } from 'node:timers/promises';
import { eachText, itemsOf, jsonOf, textOf, textsOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { withToken } from '../../storedToken';

const platform = usePlatform();
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
const runMany = async () => await platform.run(eachText(), { items: itemsOf(20) });

describe('A run of 20 posts', () => {
	test('reads the credential twice and fetches one token if none is stored', async () => {
		const result = await runMany();
		expect(result.error).toBeUndefined();
		expect(jsonOf(result)).toHaveLength(20);
		expect(platform.emulator.posts).toHaveLength(20);
		expect([reads, exchanges(), created().length]).toStrictEqual([2, 1, 20]);
	});

	test('reads the credential twice and fetches no token if the stored one is valid', async () => {
		await runMany();
		await runMany();
		expect([reads, exchanges(), created().length]).toStrictEqual([4, 1, 40]);
	});

	test.each([
		['has expired', () => platform.emulator.expireTokens()],
		['was revoked', () => platform.emulator.revokeTokens()],
	])(
		'fetches one token when the stored one %s, and only requests in progress are rejected',
		async (_, invalidate) => {
			await runMany();
			invalidate();
			const result = await runMany();
			expect(result.error).toBeUndefined();
			expect(platform.emulator.posts).toHaveLength(40);
			expect(exchanges()).toBe(2);
			// At most the five concurrent requests are sent with the old token.
			expect(created().length).toBeLessThanOrEqual(20 + 20 + 5);
			expect(new Set(textsOf(platform.emulator.posts.slice(20))).size).toBe(20);
			// The run reads the credential at most three times, and twice for each token that is rejected.
			expect(reads).toBeLessThanOrEqual(3 + 2 * 5);
		},
	);

	test('fetches a token and continues when its token is revoked during the run', async () => {
		await runMany();
		platform.emulator.adjust({ latencyMs: 20 });
		const running = platform.start(eachText(), { items: itemsOf(20) });
		while (created().length < 30) await sleep(5);
		platform.emulator.revokeTokens();
		const result = await running.done;
		expect(result.error).toBeUndefined();
		expect(jsonOf(result)).toHaveLength(20);
		expect(platform.emulator.posts).toHaveLength(40);
		expect(exchanges()).toBe(2);
	});

	test('fetches its own token if another process stored one that is rejected', async () => {
		const { accessToken: old } = withToken(platform.credential, 'old');
		const read = platform.store.getDecrypted.bind(platform.store);
		platform.store.getDecrypted = async (...args) => {
			const data = await read(...args);
			return data.accessToken === old && reads > 1 ? withToken(data, 'newer') : data;
		};
		const { error } = await platform.run();
		expect(error).toBeUndefined();
		expect(exchanges()).toBe(1);
		expect(created().map(({ headers }) => headers['x-legacy-token'])).toStrictEqual([
			...['old', 'newer', platform.emulator.tokens[0]!.token],
		]);
	});

	test('sends nothing without a token, and requests one only once', async () => {
		Object.assign(platform.credential, { appSecret: 'not-the-secret' });
		const { error, contextData } = await runMany();
		expect(error).toMatchObject({ context: { data: { outcome: 'not_sent' } } });
		expect(created()).toStrictEqual([]);
		expect(exchanges()).toBe(1);
		expect(JSON.stringify(contextData)).not.toContain('unknown');
	});

	test('sends no more posts after two new tokens in a row were rejected', async () => {
		const fault = { kind: 'token-rejected-200', operation: 'createPost', times: Infinity } as const;
		platform.emulator.fault({ ...fault, message: 'The application is locked' });
		const from = performance.now();
		const more = { items: itemsOf(100), onError: 'continueRegularOutput' as const };
		const items = jsonOf(await platform.run(eachText(), more));
		expect(items).toHaveLength(100);
		for (const { error } of items) expect(error).toContain('The application is locked');
		expect(items[99]).toMatchObject({
			error: expect.stringMatching(
				/^Nothing was sent for post 100 of 100, “post 99\.”\. The platform has rejected new access tokens: /,
			),
			details: { outcome: 'not_sent' },
		});
		expect(exchanges()).toBe(2);
		expect(created().length).toBeLessThanOrEqual(2 * 5);
		expect(performance.now() - from).toBeLessThan(10_000);
	});

	test('gives up a post whose tokens are rejected while other posts are accepted', async () => {
		const { emulator } = platform;
		emulator.fault({
			...{ kind: 'token-rejected-200', operation: 'createPost', times: Infinity },
			bodyHas: textOf(0),
		});
		const options = { minimumInterval: 0.5 };
		const more = { items: itemsOf(30), onError: 'continueRegularOutput' as const };
		const items = jsonOf(await platform.run(eachText(options), more));
		expect(items[0]).toMatchObject({ details: { outcome: 'refused' } });
		expect(emulator.posts).toHaveLength(29);
		expect(exchanges()).toBeLessThanOrEqual(4);
	});

	test('reports an invalid credential for every item when it continues on errors', async () => {
		Object.assign(platform.credential, { baseUrl: '' });
		const more = { items: itemsOf(3), onError: 'continueRegularOutput' as const };
		const result = await platform.run(eachText(), more);
		expect(jsonOf(result)).toStrictEqual(
			[0, 1, 2].map((item_index) => ({
				error: expect.stringMatching(/^Nothing was sent for the post\. 'Base URL' is empty\./),
				details: expect.objectContaining({ outcome: 'not_sent', item_index }),
			})),
		);
	});
});

test('A slow response does not bring an older token back', async () => {
	platform.emulator.fault({ kind: 'slow', operation: 'createPost', delayMs: 2_000 });
	const options = { maxConcurrentRequests: 2, minimumInterval: 0.1 };
	const running = platform.start(eachText(options), { items: itemsOf(20) });
	while (platform.emulator.posts.length < 6) await sleep(5);
	platform.emulator.revokeTokens();
	expect((await running.done).error).toBeUndefined();
	expect(platform.emulator.posts).toHaveLength(20);
	const [, newer] = platform.emulator.tokens;
	const used = created().map(({ headers }) => headers['x-legacy-token']);
	const since = used.slice(used.indexOf(newer!.token));
	expect(new Set(since)).toStrictEqual(new Set([newer!.token]));
});
