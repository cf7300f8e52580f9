import { KeySetup, keyed } from '../harness/keySetup';
import { jsonOf } from '../harness/manyPosts';

const setup = KeySetup.forEachTest();

describe('Clear Deduplication Keys', () => {
	test('clears the key of each item and no other key', async () => {
		await setup.run(keyed('a', 'b', '7'));
		const result = await setup.forget({ forget: 'one', key: '={{ $json.key }}' }, keyed('a', 7));
		expect(jsonOf(result)).toStrictEqual([
			{ forgotten: 'a', scope: 'node' },
			{ forgotten: '7', scope: 'node' },
		]);
		await setup.run(keyed('a', 'b', '7'));
		expect(setup.posts).toHaveLength(5);
	});

	test('clears all keys of one scope and none of the other scope', async () => {
		await setup.run(keyed('a', 'b'));
		await setup.run(keyed('a', 'b'), { keyScope: 'workflow' });
		const result = await setup.forget({ forget: 'all', keyScope: 'workflow' });
		expect(jsonOf(result)).toStrictEqual([{ forgotten: 'all keys', scope: 'workflow' }]);
		await setup.run(keyed('a', 'b'));
		expect(setup.posts).toHaveLength(4);
		await setup.run(keyed('a', 'b'), { keyScope: 'workflow' });
		expect(setup.posts).toHaveLength(6);
	});

	test('clears a key of unknown outcome', async () => {
		setup.platform.emulator.fault({ kind: 'reset-before', operation: 'createPost' });
		await setup.run(keyed('a'));
		await setup.forget({ key: 'a' });
		expect(setup.listOf('n:Post')).toStrictEqual([]);
		expect((await setup.run(keyed('a'))).hints[0]).toContain('1 accepted');
	});

	const lost = 'is a number that has lost some of its digits; enter it as text';

	test.each([
		['', 'is empty for this item'],
		[{ id: 1 }, 'must be text or a number'],
		[2 ** 53, lost],
	])('refuses the key %p and names the field', async (key, why) => {
		const { error } = await setup.forget({ key: '={{ $json.key }}' }, [{ key }]);
		expect(error!.message).toBe(`'Key' ${why}`);
		expect(setup.deduplication.calls).toBe(0);
	});

	test('refuses an unknown scope and names the fields', async () => {
		const parameters = { keyScope: '={{ $json.scope }}', key: '={{ $json.key }}' };
		const { error } = await setup.forget(parameters, [{ scope: 'Workflow' }]);
		expect(error!.message).toBe(
			"'Scope' must be 'node' or 'workflow'; 'Key' is empty for this item",
		);
		expect(setup.deduplication.calls).toBe(0);
	});

	test('stops at the first item without a key', async () => {
		await setup.run(keyed('a', 'b'));
		const { error } = await setup.forget({ key: '={{ $json.key }}' }, keyed('a', '', 'b'));
		expect(error).toMatchObject({ context: { data: { item_index: 1 } } });
		await setup.run(keyed('a', 'b'));
		expect(setup.posts).toHaveLength(3);
	});
});
