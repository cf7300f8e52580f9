import { KeySetup, keyed } from '../harness/keySetup';
import { retryOf, retryOnFail } from '../harness/ledgerOf';
import { itemsOf, jsonOf, textOf, textsOf } from '../harness/manyPosts';

const setup = KeySetup.forEachTest();

describe('Deduplication Key with a posted key', () => {
	const skipped = (key: string) => ({
		skipped: true,
		note: `Not posted, because the key '${key}' was posted before. If the platform has reported that this post failed, use 'Clear Deduplication Keys', then post it again.`,
		key,
	});

	test('skips an item with the key in the same run, and outputs that it was posted', async () => {
		const result = await setup.run(keyed('a', 'b', 'a', 'a'));
		expect(setup.posts).toHaveLength(2);
		const [a, b] = [0, 1].map((index) =>
			setup.posts.find((post) => textsOf([post])[0] === textOf(index)),
		);
		expect(jsonOf(result)).toStrictEqual([
			expect.objectContaining({ action_sn: a!.action_sn, key: 'a' }),
			expect.objectContaining({ action_sn: b!.action_sn, key: 'b' }),
			...[skipped('a'), skipped('a')],
		]);
		expect(result.hints[0]).toMatch(
			/^Posts: 2 accepted, 2 skipped because their key was used before\./,
		);
	});

	test('skips an item with the key in a later execution, even with another text', async () => {
		await setup.run(keyed('a'));
		const result = await setup.run([{ key: 'a', text: 'something else' }]);
		expect(setup.posts).toHaveLength(1);
		expect(jsonOf(result)).toStrictEqual([skipped('a')]);
	});

	test('treats a number and its text as the same key', async () => {
		await setup.run(keyed(7, '8'));
		await setup.run(keyed('7', 8));
		expect(setup.posts).toHaveLength(2);
	});

	test('treats keys that differ in invisible characters around them as the same', async () => {
		await setup.run(keyed('a', '\u200ba\ufeff'));
		expect(setup.posts).toHaveLength(1);
		expect((await setup.run(keyed('\u200b'))).error!.message).toContain('is empty for this item');
	});

	test('sends posts with other keys, even if they differ only in spaces or case', async () => {
		await setup.run(keyed('a', 'A', 'a b', 'ab'));
		expect(setup.posts).toHaveLength(4);
	});

	test('does not skip items without the option', async () => {
		await setup.platform.run();
		expect(setup.deduplication.calls).toBe(0);
	});
});

describe('Deduplication Key without an accepted post', () => {
	test('frees the key when its post is refused', async () => {
		setup.platform.emulator.fault({ kind: 'refused', operation: 'createPost' });
		expect((await setup.run(keyed('a'))).error).toBeDefined();
		const result = await setup.run(keyed('a'));
		expect(jsonOf(result)[0]).toMatchObject({ action_sn: setup.posts[0]!.action_sn });
		expect(setup.posts).toHaveLength(1);
	});

	test('frees the key when its post is not sent', async () => {
		setup.platform.emulator.fault({ kind: 'html', operation: 'getAccessToken' });
		expect((await setup.run(keyed('a'))).error).toBeDefined();
		expect((await setup.run(keyed('a'))).error).toBeUndefined();
		expect(setup.posts).toHaveLength(1);
	});

	test('frees the key when the run stops before its post is sent', async () => {
		setup.platform.emulator.fault({ kind: 'refused', operation: 'createPost', bodyHas: textOf(0) });
		const items = itemsOf(12).map((item) => ({ ...item, key: item.text }));
		await setup.run(items, { maxConcurrentRequests: 1 });
		expect(setup.posts).toStrictEqual([]);
		await setup.run(items);
		expect(textsOf(setup.posts).sort()).toStrictEqual(items.map(({ key }) => key));
	});

	test('frees the key for Retry on Fail, which keeps accepted posts', async () => {
		setup.platform.emulator.fault({ kind: 'refused', operation: 'createPost', bodyHas: textOf(1) });
		const result = await setup.run(keyed('a', 'b', 'c'), {}, { settings: retryOnFail });
		expect(setup.posts).toHaveLength(3);
		expect(jsonOf(result).map(({ action_sn }) => typeof action_sn)).toStrictEqual(
			Array(3).fill('string'),
		);
		const again = await setup.run(keyed('a', 'b', 'c'), {}, retryOf(result));
		expect(jsonOf(again)).toStrictEqual(jsonOf(result));
		expect(setup.created).toHaveLength(4);
	});
});
