import { KeyStage, keyed } from '../harness/keyStage';
import { retryOf, retryOnFail } from '../harness/ledgerOf';
import { itemsOf, jsonOf, textOf, textsOf } from '../harness/manyPosts';

const stage = KeyStage.aroundTests();

describe('Deduplication Key with a posted key', () => {
	const skipped = (key: string, post: { action_sn: string; social_post_id: string }) => ({
		skipped: true,
		note: `Not posted, because the key '${key}' was posted before.`,
		key,
		first: {
			outcome: 'accepted',
			action_sn: post.action_sn,
			social_post_id: post.social_post_id,
			request_id: expect.any(String),
			posted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
		},
	});

	test('skips the key in the same run, and outputs the first post', async () => {
		const result = await stage.run(keyed('a', 'b', 'a', 'a'));
		expect(stage.posts).toHaveLength(2);
		const [a, b] = [0, 1].map((index) =>
			stage.posts.find((post) => textsOf([post])[0] === textOf(index)),
		);
		expect(jsonOf(result)).toStrictEqual([
			expect.objectContaining({ action_sn: a!.action_sn }),
			expect.objectContaining({ action_sn: b!.action_sn }),
			...[skipped('a', a!), skipped('a', a!)],
		]);
		expect(result.hints[0]).toMatch(
			/^Posts: 2 accepted, 2 skipped because their key was posted before\./,
		);
	});

	test('skips the key in a later execution, whatever the text', async () => {
		await stage.run(keyed('a'));
		const result = await stage.run([{ key: 'a', text: 'something else' }]);
		expect(stage.posts).toHaveLength(1);
		expect(jsonOf(result)).toStrictEqual([skipped('a', stage.posts[0]!)]);
	});

	test('posts the key once in executions that run at the same time', async () => {
		stage.platform.emulator.adjust({ latencyMs: 100 });
		const runs = Array.from({ length: 5 }, async () => await stage.run(keyed('a', 'b')));
		const results = await Promise.all(runs);
		expect(results.filter(({ error }) => error)).toStrictEqual([]);
		expect(stage.posts).toHaveLength(2);
		const told = results.flatMap(jsonOf);
		expect(told.filter(({ skipped: isSkipped }) => isSkipped)).toHaveLength(8);
	});

	test('treats a number and its text as the same key', async () => {
		await stage.run(keyed(7, '8'));
		await stage.run(keyed('7', 8));
		expect(stage.posts).toHaveLength(2);
	});

	test('posts other keys, which may differ only in blanks or letter case', async () => {
		await stage.run(keyed('a', 'A', 'a b', 'ab'));
		expect(stage.posts).toHaveLength(4);
	});

	test('reports the key as accepted in another process, without further facts', async () => {
		await stage.run(keyed('other'));
		const [list] = [...stage.seen.lists.values()];
		stage.workflowId = `${stage.workflowId}-restarted`;
		stage.seen.lists.set(`${stage.workflowId} n:Post`, [...list!]);
		const result = await stage.run(keyed('other'));
		expect(stage.posts).toHaveLength(1);
		expect(jsonOf(result)).toStrictEqual([
			expect.objectContaining({ skipped: true, key: 'other', first: { outcome: 'accepted' } }),
		]);
	});

	test('uses no key without the option', async () => {
		await stage.platform.run();
		expect(stage.seen.calls).toBe(0);
	});
});

describe('Deduplication Key frees the key', () => {
	test.each(['refused', 'rate-limited-429', 'success-false-code-200'] as const)(
		'when its post was refused (%s)',
		async (kind) => {
			stage.platform.emulator.fault({ kind, operation: 'createPost' });
			const { error } = await stage.run(keyed('a'), { rateLimitWait: 0 });
			expect(error).toBeDefined();
			const result = await stage.run(keyed('a'));
			expect(jsonOf(result)[0]).toMatchObject({ action_sn: stage.posts[0]!.action_sn });
			expect(stage.posts).toHaveLength(1);
		},
	);

	test('when its post was not sent', async () => {
		stage.platform.emulator.fault({ kind: 'html', operation: 'getAccessToken' });
		expect((await stage.run(keyed('a'))).error).toBeDefined();
		expect((await stage.run(keyed('a'))).error).toBeUndefined();
		expect(stage.posts).toHaveLength(1);
	});

	test('when the run stopped before its post was sent', async () => {
		stage.platform.emulator.fault({ kind: 'refused', operation: 'createPost', bodyHas: textOf(0) });
		const items = itemsOf(12).map((item) => ({ ...item, key: item.text }));
		await stage.run(items, { maxConcurrentRequests: 1 });
		expect(stage.posts).toStrictEqual([]);
		await stage.run(items);
		expect(textsOf(stage.posts).sort()).toStrictEqual(items.map(({ key }) => key));
	});

	test('for the retries of Retry on Fail, which output accepted posts as accepted', async () => {
		stage.platform.emulator.fault({ kind: 'refused', operation: 'createPost', bodyHas: textOf(1) });
		const result = await stage.run(keyed('a', 'b', 'c'), {}, { settings: retryOnFail });
		expect(stage.posts).toHaveLength(3);
		expect(jsonOf(result).map(({ action_sn }) => typeof action_sn)).toStrictEqual(
			Array(3).fill('string'),
		);
		const again = await stage.run(keyed('a', 'b', 'c'), {}, retryOf(result));
		expect(jsonOf(again)).toStrictEqual(jsonOf(result));
		expect(stage.created).toHaveLength(4);
	});
});
