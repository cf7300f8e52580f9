import { KeyStage, keyed } from '../harness/keyStage';
import { jsonOf } from '../harness/manyPosts';

const stage = KeyStage.aroundTests();

describe('Clear Deduplication Keys', () => {
	test('frees the key of each item and no other key', async () => {
		await stage.run(keyed('a', 'b', '7'));
		const result = await stage.forget({ forget: 'one', key: '={{ $json.key }}' }, keyed('a', 7));
		expect(jsonOf(result)).toStrictEqual([
			{ forgotten: 'a', scope: 'node' },
			{ forgotten: '7', scope: 'node' },
		]);
		await stage.run(keyed('a', 'b', '7'));
		expect(stage.posts).toHaveLength(5);
	});

	test('frees all keys of the scope and none of the other scope', async () => {
		await stage.run(keyed('a', 'b'));
		await stage.run(keyed('a', 'b'), { keyScope: 'workflow' });
		const result = await stage.forget({ forget: 'all', keyScope: 'workflow' });
		expect(jsonOf(result)).toStrictEqual([{ forgotten: 'all keys', scope: 'workflow' }]);
		await stage.run(keyed('a', 'b'));
		expect(stage.posts).toHaveLength(4);
		await stage.run(keyed('a', 'b'), { keyScope: 'workflow' });
		expect(stage.posts).toHaveLength(6);
	});

	test('frees a key of unknown outcome', async () => {
		stage.platform.emulator.fault({ kind: 'reset-before', operation: 'createPost' });
		await stage.run(keyed('a'));
		await stage.forget({ key: 'a' });
		expect(stage.listOf('n:Post')).toStrictEqual([]);
		expect((await stage.run(keyed('a'))).hints[0]).toContain('1 accepted');
	});

	const lost = 'is a number that has lost some of its digits; give it as text';

	test.each([
		['', 'is empty for this item'],
		[' ', 'is empty for this item'],
		[null, 'is empty for this item'],
		[{ id: 1 }, 'must be text or a number'],
		[2 ** 53, lost],
		[Infinity, lost],
	])('refuses the key %p with its label', async (key, why) => {
		const { error } = await stage.forget({ key: '={{ $json.key }}' }, [{ key }]);
		expect(error!.message).toBe(`'Key' ${why}`);
		expect(stage.seen.calls).toBe(0);
	});

	test('stops at the first item without a key', async () => {
		await stage.run(keyed('a', 'b'));
		const { error } = await stage.forget({ key: '={{ $json.key }}' }, keyed('a', '', 'b'));
		expect(error).toMatchObject({ context: { itemIndex: 1 } });
		await stage.run(keyed('a', 'b'));
		expect(stage.posts).toHaveLength(3);
	});
});
