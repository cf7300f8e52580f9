import { KeySetup, keyed } from '../harness/keySetup';
import { jsonOf } from '../harness/manyPosts';

const setup = KeySetup.forEachTest();

describe('Clear Deduplication Keys', () => {
	test('clears the key of each item and no other key, and outputs whether it was there', async () => {
		await setup.run(keyed('a', 'b', '7'));
		const result = await setup.clear('={{ $json.key }}', keyed('a', 7, 'c'));
		expect(jsonOf(result)).toStrictEqual([
			{ key: 'a', cleared: true },
			{ key: '7', cleared: true },
			{ key: 'c', cleared: false },
		]);
		await setup.run(keyed('a', 'b', '7'));
		expect(setup.posts).toHaveLength(5);
	});

	test('clears the key of its account for all content types', async () => {
		const second = { socialAccountId: 'acc_2', contentType: 'STORY' };
		await setup.run(keyed('a'));
		await setup.run(keyed('a'), {}, {}, second);
		expect(jsonOf(await setup.clear('a', [{}], 'acc_2'))).toStrictEqual([
			{ key: 'a', cleared: true },
		]);
		await setup.run(keyed('a'));
		expect(setup.posts).toHaveLength(2);
		await setup.run(keyed('a'), {}, {}, second);
		expect(setup.posts).toHaveLength(3);
	});

	test('clears a key of unknown outcome', async () => {
		setup.platform.emulator.fault({ kind: 'reset-before', operation: 'createPost' });
		await setup.run(keyed('a'));
		expect(jsonOf(await setup.clear('a'))).toMatchObject([{ cleared: true }]);
		expect(setup.list).toStrictEqual([]);
		expect((await setup.run(keyed('a'))).hints[0]).toContain('1 accepted');
	});

	const lost = 'is a number that has lost some of its digits; enter it as text';

	test.each([
		['', 'is empty'],
		[{ id: 1 }, 'is an object, not text; name the field in it that contains the text'],
		[2 ** 53, lost],
	])('refuses the key %p and names the field', async (key, why) => {
		const { error } = await setup.clear('={{ $json.key }}', [{ key }]);
		expect(error!.message).toBe(`'Key' ${why}`);
		expect(setup.deduplication.calls).toBe(0);
	});
});
