import { KeySetup, keyed } from '../harness/keySetup';
import { jsonOf } from '../harness/manyPosts';
import { failToStore } from '../harness/storage';

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
		expect(result.hints).toStrictEqual([
			expect.stringMatching(
				/^Keys cleared: 2\.<br>Nothing was cleared for 'c': this workflow has no such key for this account\. /,
			),
		]);
		await setup.run(keyed('a', 'b', '7'));
		expect(setup.posts).toHaveLength(5);
	});

	test('clears the keys of one account, or of all accounts that the credential lists', async () => {
		const account = ['acc_1', 'acc_2'].map((id) => ({ name: `Name of ${id}`, id }));
		Object.assign(setup.platform.store.stored.get('1')!, { accounts: { account } });
		const second = { socialAccountId: 'acc_2', contentType: 'STORY' };
		const postBoth = async () => {
			await setup.run(keyed('a'));
			await setup.run(keyed('a'), {}, {}, second);
		};
		await postBoth();
		expect(jsonOf(await setup.clear('a', [{}], '*'))).toStrictEqual([{ key: 'a', cleared: true }]);
		await postBoth();
		expect(setup.posts).toHaveLength(4);
		await setup.clear('a', [{}], 'acc_2');
		await setup.run(keyed('a'));
		expect(setup.posts).toHaveLength(4);
	});

	test('clears a key of unknown outcome', async () => {
		const reel = { contentType: 'REEL', mediaUrls: ['https://cdn.example/a.mp4'] };
		const post = async () => await setup.run(keyed('a'), {}, {}, reel);
		setup.platform.emulator.fault({ kind: 'reset-before', operation: 'createPost' });
		await post();
		expect(jsonOf(await setup.clear('a'))).toMatchObject([{ cleared: true }]);
		expect(setup.list).toStrictEqual([]);
		expect((await post()).hints[0]).toContain('1 accepted');
	});

	test("fails if n8n's database is not available", async () => {
		setup.deduplication.before = failToStore;
		expect((await setup.clear('a')).error).toMatchObject({
			message: expect.stringContaining('n8n could not read or change its list of keys'),
			description: expect.stringContaining('The database is not available'),
		});
	});

	test.each([
		['', "'Key' is empty"],
		[{ id: 1 }, "'Key' is an object, not text; name the field in it that contains the text"],
		[2 ** 53, "'Key' is a number that has lost some of its digits; enter it as text"],
	])('refuses the key %p and names the field', async (key, message) => {
		const { error } = await setup.clear('={{ $json.key }}', [{ key }]);
		expect(error!.message).toContain(message);
		expect(setup.deduplication.calls).toBe(0);
	});

	test('refuses All Accounts if the credential lists none', async () => {
		const { error } = await setup.clear('a', [{}], '*');
		expect(error!.message).toMatch(/^'Account' is 'All Accounts', but the credential lists no/);
		expect(setup.deduplication.calls).toBe(0);
	});
});
