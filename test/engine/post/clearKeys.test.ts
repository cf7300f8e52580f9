import { KeySetup, keyed } from '../harness/keySetup';
import { jsonOf } from '../harness/manyPosts';

const setup = KeySetup.forEachTest();

describe('Clear Deduplication Keys', () => {
	const posted = { social_account_id: 'acc_1', content_type: 'POST' };

	test('clears the key of each item and no other key, and outputs whether it was there', async () => {
		await setup.run(keyed('a', 'b', '7'));
		const result = await setup.clear('={{ $json.key }}', keyed('a', 7, 'c'));
		expect(jsonOf(result)).toStrictEqual([
			{ key: 'a', cleared: true, found_for: [posted] },
			{ key: '7', cleared: true, found_for: [posted] },
			{ key: 'c', cleared: false, found_for: [] },
		]);
		await setup.run(keyed('a', 'b', '7'));
		expect(setup.posts).toHaveLength(5);
	});

	test('clears the keys of one account, or of all accounts that the credential lists', async () => {
		const account = [
			{ name: 'One', id: 'acc_1' },
			{ name: 'Two', id: 'acc_2' },
		];
		const { stored } = setup.platform.store;
		stored.set('1', { ...stored.get('1')!, accounts: { account } });
		const second = { socialAccountId: 'acc_2', contentType: 'STORY' };
		await setup.run(keyed('a'));
		await setup.run(keyed('a'), {}, {}, second);
		const [all] = jsonOf(await setup.clear('a', [{}], '*'));
		const found = [posted, { social_account_id: 'acc_2', content_type: 'STORY' }];
		expect(all).toStrictEqual({ key: 'a', cleared: true, found_for: found });
		await setup.run(keyed('a'));
		await setup.run(keyed('a'), {}, {}, second);
		expect(setup.posts).toHaveLength(4);
		await setup.clear('a', [{}], 'acc_2');
		await setup.run(keyed('a'));
		expect(setup.posts).toHaveLength(4);
	});

	test('clears a key of unknown outcome', async () => {
		setup.platform.emulator.fault({ kind: 'reset-before', operation: 'createPost' });
		await setup.run(keyed('a'));
		expect(jsonOf(await setup.clear('a'))).toMatchObject([{ cleared: true }]);
		expect(setup.list).toStrictEqual([]);
		expect((await setup.run(keyed('a'))).hints[0]).toContain('1 accepted');
	});

	test('refuses All Accounts if the credential lists none', async () => {
		const { error } = await setup.clear('a', [{}], '*');
		expect(error!.message).toMatch(/^'Account' is 'All Accounts', but the credential lists no/);
		expect(setup.deduplication.calls).toBe(0);
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
