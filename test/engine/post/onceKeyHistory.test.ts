import { KeySetup, keyed } from '../harness/keySetup';
import { jsonOf } from '../harness/manyPosts';
import { hashOf } from '../harness/deduplicationStore';

const setup = KeySetup.forEachTest();

describe('The history of Deduplication Key', () => {
	test('keeps as many entries as History Size allows', async () => {
		const entries = Array.from({ length: 12_000 }, (_, index) => `entry ${index}`);
		setup.deduplication.lists.set(`${setup.workflowId} n:Post`, entries);
		await setup.run(keyed('a'), { keyHistory: 6_000 });
		expect(setup.listOf('n:Post')!.length).toBeGreaterThan(12_000);
		await setup.run(keyed('b'), { keyHistory: 1 });
		expect(setup.listOf('n:Post')!.length).toBeLessThan(12_000);
		expect(jsonOf(await setup.run(keyed('a', 'b')))).toMatchObject([
			...[{ skipped: true }, { skipped: true }],
		]);
	});

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

	test('refuses such a key for its item only, and names the field', async () => {
		const refused: Array<[key: unknown, why: string]> = [
			...['', ' \t\n', undefined, null].map((key): [unknown, string] => [key, empty]),
			...[{ id: 1 }, ['a'], true].map((key): [unknown, string] => [key, noKey]),
			...[9007199254740993, -(2 ** 53), 1e21, 1e400].map((key): [unknown, string] => [key, lost]),
		];
		const items = keyed('good', ...refused.map(([key]) => key), 'fine');
		const result = await setup.run(items, {}, { onError: 'continueRegularOutput' });
		expect(jsonOf(result).map(({ error }) => error)).toStrictEqual([
			undefined,
			...refused.map(([, why]) => expect.stringMatching(`: 'Deduplication Key' ${why}$`)),
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
