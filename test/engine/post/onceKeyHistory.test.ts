import { setTimeout as sleep } from 'node:timers/promises';
import { KeyStage, keyed } from '../harness/keyStage';
import { itemsOf, jsonOf, textsOf } from '../harness/manyPosts';
import { hashOf } from '../harness/seenStore';

const stage = KeyStage.aroundTests();

/** Milliseconds after which a key is not recorded again, so that it can be evicted. */
const NOTED_ONCE_MORE_MS = 1_500;

describe('The history of Deduplication Key', () => {
	test('evicts the oldest key first, and keeps as many as History Size says', async () => {
		await stage.run(keyed('old'));
		await sleep(NOTED_ONCE_MORE_MS);
		const more = (count: number) => {
			const list = stage.listOf('n:Post')!;
			for (let index = 0; index < count; index++) list.push(`entry ${list.length}`);
		};
		more(12_000);
		await stage.run(keyed('new'), { keyHistory: 6_000 });
		await stage.run(keyed('old'), { keyHistory: 6_000 });
		expect(stage.posts).toHaveLength(2);
		more(9_000);
		await stage.run(keyed('newer'), { keyHistory: 1 });
		expect(stage.listOf('n:Post')!.length).toBeLessThan(12_000);
		await stage.run(keyed('new', 'newer'), { keyHistory: 1 });
		expect(stage.posts).toHaveLength(3);
		await stage.run(keyed('old'), { keyHistory: 1 });
		expect(stage.posts).toHaveLength(4);
	});

	test('keeps two entries for each accepted key', async () => {
		await stage.run(keyed(...'abcdefghij'));
		await stage.run(keyed(...'abcdefghij'));
		expect(stage.listOf('n:Post')).toHaveLength(20);
	});

	test('looks up the keys of many posts together', async () => {
		stage.platform.emulator.adjust({ latencyMs: 20 });
		const items = itemsOf(50).map((item) => ({ ...item, key: item.text }));
		const { error } = await stage.run(items, { maxConcurrentRequests: 5 });
		expect(error).toBeUndefined();
		expect(stage.posts).toHaveLength(50);
		expect(stage.seen.calls).toBeLessThan(250);
	});

	/** As many keys, none of them posted. */
	const fresh = (prefix: string, count: number) =>
		itemsOf(count).map(({ text }) => {
			const key = `${prefix} ${text as string}`;
			return { key, text: key };
		});

	test.each([
		['150 executions of one item', 150, 1, 50],
		['5 executions of 100 items', 5, 100, 100],
	])(
		'evicts no key in use with a small History Size in %s',
		async (_, executions, items, keyHistory) => {
			const runs = Array.from({ length: executions }, async (__, index) => {
				return await stage.run(fresh(String(index), items), {
					keyHistory,
					maxConcurrentRequests: 100,
					timeout: 60,
				});
			});
			const results = await Promise.all(runs);
			expect(results.filter(({ error }) => error)).toStrictEqual([]);
			expect(results.flatMap(jsonOf).filter(({ skipped }) => skipped)).toStrictEqual([]);
			expect(new Set(textsOf(stage.posts)).size).toBe(executions * items);
			expect(stage.posts).toHaveLength(executions * items);
		},
	);

	test('is separate for each node, even when two nodes run at the same time', async () => {
		const other = { settings: { id: 'other' } };
		const together = [stage.run(keyed('a', 'b')), stage.run(keyed('c'), {}, other)];
		await Promise.all([...together, stage.run(keyed('d'), { keyScope: 'workflow' })]);
		const sizes = ['n:Post', 'n:other', ''].map((name) => stage.listOf(name)?.length);
		expect(sizes).toStrictEqual([4, 2, 2]);
		await stage.run(keyed('a'), {}, other);
		await stage.run(keyed('a'), {}, other);
		expect(stage.posts).toHaveLength(5);
	});

	test('belongs to the node, or to the workflow with that scope', async () => {
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

describe('Deduplication Key with an unusable key', () => {
	const empty =
		'is empty for this item, so it is not possible to check whether it was posted before';
	const noKey = 'must be text or a number';
	const lost = 'is a number that has lost some of its digits; give it as text';

	test.each([
		['empty', '', empty],
		['blank', ' \t\n', empty],
		['missing', undefined, empty],
		['null', null, empty],
		['an object', { id: 1 }, noKey],
		['a list', ['a'], noKey],
		['a truth', true, noKey],
		['a number beyond 2^53', 9007199254740993, lost],
		['a negative number beyond 2^53', -(2 ** 53), lost],
		['a number with an exponent', 1e21, lost],
		['not finite', 1e400, lost],
	])('refuses a key that is %s with its label, and sends nothing', async (_, key, why) => {
		const onError = 'continueRegularOutput';
		const result = await stage.run(keyed('good', key, 'fine'), {}, { onError });
		expect(jsonOf(result).map(({ error }) => error)).toStrictEqual([
			undefined,
			`'Deduplication Key' ${why}`,
			undefined,
		]);
		expect(stage.posts).toHaveLength(2);
	});

	test('refuses to send when the workflow was never saved', async () => {
		const { error } = await stage.run(keyed('a'), {}, { workflowId: null });
		expect(error).toMatchObject({
			message: 'Nothing was sent: this workflow was never saved',
			description: expect.stringContaining("'Deduplication Key'"),
			context: { itemIndex: 0 },
		});
		expect(stage.platform.emulator.received).toStrictEqual([]);
	});
});

describe('Deduplication Key with the list of an earlier version', () => {
	const unknown = { skipped: true, first: { outcome: 'unknown' } };
	const entries = (...words: string[]) =>
		words.map((word) => hashOf(`social-open-platform ${word}`));

	test('reads accepted keys and keys of unknown outcome', async () => {
		const list = [...entries('post a', 'post b', 'open b'), hashOf('of another node')];
		stage.seen.lists.set(`${stage.workflowId} n:Post`, list);
		const results = jsonOf(await stage.run(keyed('a', 'b')));
		expect(results).toMatchObject([{ skipped: true, first: { outcome: 'accepted' } }, unknown]);
		expect(jsonOf(await stage.run(keyed('a', 'b')))).toMatchObject(results);
		expect(stage.created).toStrictEqual([]);
	});

	test('does not report a key as accepted when its oldest entry was evicted', async () => {
		stage.seen.lists.set(`${stage.workflowId} n:Post`, entries('open a', 'sent a'));
		expect(jsonOf(await stage.run(keyed('a')))).toMatchObject([unknown]);
		expect(jsonOf(await stage.run(keyed('a')))).toMatchObject([unknown]);
		expect(stage.created).toStrictEqual([]);
	});
});
