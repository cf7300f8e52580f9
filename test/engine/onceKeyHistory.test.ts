import { KeyStage, keyed } from './keyStage';
import { itemsOf, jsonOf } from './manyPosts';

const stage = KeyStage.aroundTests();

/** After that, a key is noted no more, so that it can be forgotten. */
const NOTED_ONCE_MORE_MS = 1_500;

describe('The history of keys', () => {
	test('forgets the oldest first, and keeps as many as it is told', async () => {
		await stage.run(keyed('old'));
		await new Promise((resolve) => setTimeout(resolve, NOTED_ONCE_MORE_MS));
		const list = stage.listOf('n:Post')!;
		for (let index = 0; index < 400; index++) list.push(`entry ${index}`);
		await stage.run(keyed('new'), { keyHistory: 10_000 });
		await stage.run(keyed('old'), { keyHistory: 10_000 });
		expect(stage.posts).toHaveLength(2);
		await stage.run(keyed('newer'), { keyHistory: 100 });
		expect(stage.listOf('n:Post')!.length).toBeLessThanOrEqual(400);
		await stage.run(keyed('new', 'newer'), { keyHistory: 100 });
		expect(stage.posts).toHaveLength(3);
		await stage.run(keyed('old'), { keyHistory: 100 });
		expect(stage.posts).toHaveLength(4);
	});

	test('holds one entry for each key when its posts are done', async () => {
		await stage.run(keyed(...'abcdefghij'));
		await stage.run(keyed(...'abcdefghij'));
		expect(stage.listOf('n:Post')).toHaveLength(10);
	});

	test('is asked for many posts at once', async () => {
		stage.platform.emulator.adjust({ latencyMs: 20 });
		const items = itemsOf(50).map((item) => ({ ...item, key: item.text }));
		const { error } = await stage.run(items, { maxConcurrentRequests: 5 });
		expect(error).toBeUndefined();
		expect(stage.posts).toHaveLength(50);
		expect(stage.seen.calls).toBeLessThan(150);
	});

	test('is its own for each node, also where two ask at the same time', async () => {
		const other = { settings: { id: 'other' } };
		const together = [stage.run(keyed('a', 'b')), stage.run(keyed('c'), {}, other)];
		await Promise.all([...together, stage.run(keyed('d'), { keyScope: 'workflow' })]);
		const sizes = ['n:Post', 'n:other', ''].map((name) => stage.listOf(name)?.length);
		expect(sizes).toStrictEqual([2, 1, 1]);
		await stage.run(keyed('a'), {}, other);
		await stage.run(keyed('a'), {}, other);
		expect(stage.posts).toHaveLength(5);
	});

	test('is that of a node, unless it is wanted for the workflow', async () => {
		const other = { settings: { id: 'other-node' } };
		await stage.run(keyed('a'));
		await stage.run(keyed('a'), {}, other);
		expect(stage.posts).toHaveLength(2);
		await stage.run(keyed('a'), { keyScope: 'workflow' });
		expect(stage.posts).toHaveLength(3);
		await stage.run(keyed('a'), { keyScope: 'workflow' }, other);
		expect(stage.posts).toHaveLength(3);
		stage.workflowId = `${stage.workflowId}-copy`;
		await stage.run(keyed('a'), { keyScope: 'workflow' });
		expect(stage.posts).toHaveLength(4);
	});
});

describe('A key that cannot be used', () => {
	const empty = 'is empty for this item, so nothing can tell whether it was posted before';
	const noKey = 'is neither text nor a number';

	test.each([
		['empty', '', empty],
		['blank', ' \t\n', empty],
		['missing', undefined, empty],
		['null', null, empty],
		['an object', { id: 1 }, noKey],
		['a list', ['a'], noKey],
		['a truth', true, noKey],
	])('because it is %s is refused by its label, and nothing is sent', async (_, key, why) => {
		const onError = 'continueRegularOutput';
		const result = await stage.run(keyed('good', key, 'fine'), {}, { onError });
		expect(jsonOf(result).map(({ error }) => error)).toStrictEqual([
			undefined,
			`'Once Per Key' ${why}`,
			undefined,
		]);
		expect(stage.posts).toHaveLength(2);
	});

	test('because the workflow was never saved is refused, and nothing is sent', async () => {
		const { error } = await stage.run(keyed('a'), {}, { workflowId: null });
		expect(error).toMatchObject({
			message: 'Nothing was sent: this workflow was never saved',
			description: expect.stringContaining("'Once Per Key'"),
			context: { itemIndex: 0 },
		});
		expect(stage.platform.emulator.received).toStrictEqual([]);
	});
});
