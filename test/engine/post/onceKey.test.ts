import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { giveToken, startCustomPlatform } from '../harness/customPlatform';
import { hashOf } from '../harness/deduplicationStore';
import { KeySetup, keyed } from '../harness/keySetup';
import { itemsOf, jsonOf, textOf, textsOf } from '../harness/manyPosts';
import { startPlatform } from '../harness/platform';
import { soon, until } from '../harness/storage';
import { postsOf } from './postSetup';

const setup = KeySetup.forEachTest();
const { platform, posts, fault } = postsOf(setup.platform);

describe('Deduplication Key with a posted key', () => {
	const skipped = (key: string) => ({
		skipped: true,
		note: `Not posted, because the key '${key}' was posted before. If the platform has reported that this post failed, use 'Clear Deduplication Keys', then post it again.`,
		key,
	});

	test('skips an item with the key in the same run, and outputs that it was posted', async () => {
		const result = await setup.run(keyed('a', 'b', 'a', 'a'));
		expect(posts()).toHaveLength(2);
		const actionOf = (index: number) =>
			posts().find((post) => textsOf([post])[0] === textOf(index))!.action_sn;
		expect(jsonOf(result)).toStrictEqual([
			expect.objectContaining({ action_sn: actionOf(0), key: 'a' }),
			expect.objectContaining({ action_sn: actionOf(1), key: 'b' }),
			...[skipped('a'), skipped('a')],
		]);
		expect(result.hints[0]).toMatch(
			/^Posts: 2 accepted, 2 skipped because their key was used before\./,
		);
	});

	test('skips an item with the key in a later execution, even with another text', async () => {
		await setup.run(keyed('a'));
		const result = await setup.run([{ key: 'a', text: 'something else' }]);
		expect(posts()).toHaveLength(1);
		expect(jsonOf(result)).toStrictEqual([skipped('a')]);
	});

	test('is stored under a name that later versions must find', async () => {
		await setup.run(keyed('a'));
		const sha256 = createHash('sha256').update(JSON.stringify(platform.credential.appId));
		const app = sha256.digest('base64url').slice(0, 16);
		const name = JSON.stringify(['social-open-platform', 'post', app, 'acc_1', 'POST', 'a']);
		expect(setup.list).toContain(hashOf(`${name} taken`));
	});

	test('treats keys that look the same as one key, and no others', async () => {
		await setup.run(keyed(7, '8', 'Café', 'A', 'a b'));
		await setup.run(keyed('\u200b7\ufeff', 8, ' Cafe\u0301 ', 'a', 'ab'));
		expect(posts()).toHaveLength(7);
		expect((await setup.run(keyed('\u200b'))).error!.message).toContain('is empty for this item');
	});

	test('applies to all nodes of the workflow, and not to a copy of the workflow', async () => {
		const other = { settings: { id: 'other', name: 'Other' } };
		await Promise.all([setup.run(keyed('a')), setup.run(keyed('a'), {}, other)]);
		expect(posts()).toHaveLength(1);
		setup.workflowId = `${setup.workflowId}-copy`;
		await setup.run(keyed('a'));
		expect(posts()).toHaveLength(2);
	});

	test('applies to an account, a content type and an application', async () => {
		for (const contentType of ['POST', 'STORY']) {
			for (const socialAccountId of ['acc_1', 'acc_2', 'acc_1']) {
				await setup.run(keyed('a'), {}, {}, { contentType, socialAccountId });
			}
		}
		expect(posts()).toHaveLength(4);
		const other = await startPlatform();
		await setup.run(keyed('a'), {}, { store: other.store });
		expect(other.emulator.posts).toHaveLength(1);
		await other.stop();
	});
});

describe('Deduplication Key without an accepted post', () => {
	test.each([
		['refused', 'createPost'],
		['html', 'getAccessToken'],
	] as const)('frees the key after the fault %s of %s', async (kind, operation) => {
		platform.emulator.fault({ kind, operation });
		expect((await setup.run(keyed('a'))).error).toBeDefined();
		expect((await setup.run(keyed('a'))).error).toBeUndefined();
		expect(posts()).toHaveLength(1);
	});

	test('frees the key when the run stops before its post is sent', async () => {
		fault('refused', { bodyHas: textOf(0) });
		const items = itemsOf(12).map((item) => ({ ...item, key: item.text }));
		await setup.run(items, { maxConcurrentRequests: 1 });
		expect(posts()).toStrictEqual([]);
		await setup.run(items);
		expect(textsOf(posts()).sort()).toStrictEqual(items.map(({ key }) => key));
	});

	test('frees the key when the execution is canceled during the token request', async () => {
		const custom = await startCustomPlatform(platform);
		let held: ServerResponse;
		custom.exchange = (response) => (held = response);
		const options = { oncePerKey: 'a' };
		const running = platform.start({ options }, { workflowId: setup.workflowId });
		await until(() => custom.exchanges().length === 1);
		await soon();
		running.cancel();
		custom.exchange = giveToken;
		giveToken(held!);
		await running.done;
		await soon();
		expect(custom.posts()).toHaveLength(0);
		expect((await setup.run(keyed('a'))).error).toBeUndefined();
		expect(custom.posts()).toHaveLength(1);
		await custom.stop();
	});
});

describe('Deduplication Key with an unusable key', () => {
	const empty =
		'is empty for this item, so it is not possible to check whether it was posted before';
	const lost = 'is a number that has lost some of its digits; enter it as text';

	test('refuses such a key for its item only, and names the field', async () => {
		const refused: Array<[key: unknown, why: string]> = [
			...['', ' \t\n', undefined, null].map((key): [unknown, string] => [key, empty]),
			[{ id: 1 }, 'is an object, not text; name the field in it .+'],
			[['a'], 'is a list, not text; join it, .+'],
			[true, 'is not text'],
			...[9007199254740993, -(2 ** 53), 1e21].map((key): [unknown, string] => [key, lost]),
			[1e400, 'is not a finite number'],
			['a'.repeat(1001), 'is longer than 1000 characters'],
			['Party \ud83c', 'contains an incomplete character .*'],
		];
		const items = keyed('good', ...refused.map(([key]) => key), 'fine');
		const result = await setup.run(items, {}, { onError: 'continueRegularOutput' });
		expect(jsonOf(result).map(({ error }) => error)).toStrictEqual([
			undefined,
			...refused.map(([, why]) => expect.stringMatching(`: 'Deduplication Key' ${why}$`)),
			undefined,
		]);
		expect(posts()).toHaveLength(2);
	});

	test('refuses to send when the workflow was never saved', async () => {
		const { error } = await setup.run(keyed('a'), {}, { workflowId: null });
		expect(error).toMatchObject({
			message: 'Nothing was sent: this workflow was never saved',
			description: expect.stringContaining("'Deduplication Key'"),
			context: { data: { item_index: 0 } },
		});
		expect(platform.emulator.received).toStrictEqual([]);
	});
});
