import { setTimeout as sleep } from 'node:timers/promises';
import { KeySetup, keyed } from '../harness/keySetup';
import { itemsOf, jsonOf, textsOf } from '../harness/manyPosts';
import { hashOf } from '../harness/deduplicationStore';

const setup = KeySetup.forEachTest();

/** Milliseconds after which a key is no longer recorded again, so that it can be evicted. */
const RECORDED_AGAIN_MS = 4_000;

describe('The history of Deduplication Key', () => {
	test('keeps as many keys as History Size allows, and evicts the oldest first', async () => {
		await setup.run(keyed('old'));
		await sleep(RECORDED_AGAIN_MS);
		const more = (count: number) => {
			const list = setup.listOf('n:Post')!;
			for (let index = 0; index < count; index++) list.push(`entry ${list.length}`);
		};
		more(12_000);
		await setup.run(keyed('new'), { keyHistory: 6_000 });
		await setup.run(keyed('old'), { keyHistory: 6_000 });
		expect(setup.posts).toHaveLength(2);
		more(9_000);
		await setup.run(keyed('newer'), { keyHistory: 1 });
		expect(setup.listOf('n:Post')!.length).toBeLessThan(12_000);
		await setup.run(keyed('new', 'newer'), { keyHistory: 1 });
		expect(setup.posts).toHaveLength(3);
		await setup.run(keyed('old'), { keyHistory: 1 });
		expect(setup.posts).toHaveLength(4);
	});

	test('keeps two entries for each accepted key', async () => {
		await setup.run(keyed(...'abcdefghij'));
		await setup.run(keyed(...'abcdefghij'));
		expect(setup.listOf('n:Post')).toHaveLength(20);
	});

	test('looks up the keys of many posts together', async () => {
		setup.platform.emulator.adjust({ latencyMs: 20 });
		const items = itemsOf(50).map((item) => ({ ...item, key: item.text }));
		const { error } = await setup.run(items, { maxConcurrentRequests: 5 });
		expect(error).toBeUndefined();
		expect(setup.posts).toHaveLength(50);
		expect(setup.deduplication.calls).toBeLessThan(250);
	});

	/** Returns items with new keys. */
	const fresh = (prefix: string, count: number) =>
		itemsOf(count).map(({ text }) => {
			const key = `${prefix} ${text as string}`;
			return { key, text: key };
		});

	test.each([
		['150 executions of one item', 150, 1, 50],
		['5 executions of 100 items', 5, 100, 100],
	])(
		'evicts no key that is in use with a small History Size: %s',
		async (_, executions, items, keyHistory) => {
			const runs = Array.from({ length: executions }, async (__, index) => {
				return await setup.run(fresh(String(index), items), {
					keyHistory,
					maxConcurrentRequests: 100,
					timeout: 60,
				});
			});
			const results = await Promise.all(runs);
			expect(results.filter(({ error }) => error)).toStrictEqual([]);
			expect(results.flatMap(jsonOf).filter(({ skipped }) => skipped)).toStrictEqual([]);
			expect(new Set(textsOf(setup.posts)).size).toBe(executions * items);
			expect(setup.posts).toHaveLength(executions * items);
		},
	);

	test('is separate for each node, even when two nodes run at the same time', async () => {
		const other = { settings: { id: 'other' } };
		const together = [setup.run(keyed('a', 'b')), setup.run(keyed('c'), {}, other)];
		await Promise.all([...together, setup.run(keyed('d'), { keyScope: 'workflow' })]);
		const sizes = ['n:Post', 'n:other', ''].map((name) => setup.listOf(name)?.length);
		expect(sizes).toStrictEqual([4, 2, 2]);
		await setup.run(keyed('a'), {}, other);
		await setup.run(keyed('a'), {}, other);
		expect(setup.posts).toHaveLength(5);
	});

	test('belongs to the node or, with that scope, to the workflow', async () => {
		const other = { settings: { id: 'other-node' } };
		await setup.run(keyed('a'));
		await setup.run(keyed('a'), {}, other);
		expect(setup.posts).toHaveLength(2);
		await setup.run(keyed('a'), { keyScope: 'workflow' });
		expect(setup.posts).toHaveLength(3);
		await setup.run(keyed('a'), { keyScope: 'workflow' }, other);
		expect(setup.posts).toHaveLength(3);
		setup.workflowId = `${setup.workflowId}-copy`;
		await setup.run(keyed('a'), { keyScope: 'workflow' });
		expect(setup.posts).toHaveLength(4);
	});
});

describe('Deduplication Key with an unusable key', () => {
	const empty =
		'is empty for this item, so it is not possible to check whether it was posted before';
	const noKey = 'must be text or a number';
	const lost = 'is a number that has lost some of its digits; enter it as text';

	test.each([
		['empty', '', empty],
		['blank', ' \t\n', empty],
		['missing', undefined, empty],
		['null', null, empty],
		['an object', { id: 1 }, noKey],
		['a list', ['a'], noKey],
		['a Boolean', true, noKey],
		['a number beyond 2^53', 9007199254740993, lost],
		['a negative number beyond 2^53', -(2 ** 53), lost],
		['a number with an exponent', 1e21, lost],
		['not finite', 1e400, lost],
	])('refuses a key that is %s, names the field, and sends nothing', async (_, key, why) => {
		const onError = 'continueRegularOutput';
		const result = await setup.run(keyed('good', key, 'fine'), {}, { onError });
		expect(jsonOf(result).map(({ error }) => error)).toStrictEqual([
			undefined,
			`Post 2 of 3, “post 01.”: 'Deduplication Key' ${why}`,
			undefined,
		]);
		expect(setup.posts).toHaveLength(2);
	});

	test('refuses to send when the workflow was never saved', async () => {
		const { error } = await setup.run(keyed('a'), {}, { workflowId: null });
		expect(error).toMatchObject({
			message: 'Nothing was sent: this workflow was never saved',
			description: expect.stringContaining("'Deduplication Key'"),
			context: { data: { item_index: 0 } },
		});
		expect(setup.platform.emulator.received).toStrictEqual([]);
	});
});

describe('Deduplication Key with the list of an earlier package version', () => {
	const unknown = { skipped: true, first: { outcome: 'unknown' } };
	const entries = (...words: string[]) =>
		words.map((word) => hashOf(`social-open-platform ${word}`));

	test('reads accepted keys and keys of unknown outcome', async () => {
		const list = [...entries('post a', 'post b', 'open b'), hashOf('of another node')];
		setup.deduplication.lists.set(`${setup.workflowId} n:Post`, list);
		const results = jsonOf(await setup.run(keyed('a', 'b')));
		expect(results).toMatchObject([{ skipped: true, first: { outcome: 'accepted' } }, unknown]);
		expect(jsonOf(await setup.run(keyed('a', 'b')))).toMatchObject(results);
		expect(setup.created).toStrictEqual([]);
	});

	test('does not report a key as accepted when its oldest entry was evicted', async () => {
		setup.deduplication.lists.set(`${setup.workflowId} n:Post`, entries('open a', 'sent a'));
		expect(jsonOf(await setup.run(keyed('a')))).toMatchObject([unknown]);
		expect(jsonOf(await setup.run(keyed('a')))).toMatchObject([unknown]);
		expect(setup.created).toStrictEqual([]);
	});
});
