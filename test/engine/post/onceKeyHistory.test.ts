import { KeySetup, keyed } from '../harness/keySetup';
import { jsonOf } from '../harness/manyPosts';
import { startPlatform } from '../harness/platform';

const setup = KeySetup.forEachTest();

describe('The keys of Deduplication Key', () => {
	test('are shared by all nodes of the workflow, and not by a copy of the workflow', async () => {
		const other = { settings: { id: 'other', name: 'Other' } };
		await Promise.all([setup.run(keyed('a')), setup.run(keyed('a'), {}, other)]);
		expect(setup.posts).toHaveLength(1);
		setup.workflowId = `${setup.workflowId}-copy`;
		await setup.run(keyed('a'));
		expect(setup.posts).toHaveLength(2);
	});

	test('belong to an account, a content type and an application', async () => {
		for (const contentType of ['POST', 'STORY']) {
			for (const socialAccountId of ['acc_1', 'acc_2']) {
				for (let runs = 0; runs < 2; runs++) {
					await setup.run(keyed('a'), {}, {}, { contentType, socialAccountId });
				}
			}
		}
		expect(setup.posts).toHaveLength(4);
		const { stored } = setup.platform.store;
		const other = await startPlatform();
		stored.set('1', { ...other.store.stored.get('1')! });
		await setup.run(keyed('a'));
		expect(other.emulator.posts).toHaveLength(1);
		await other.stop();
	});
});

describe('Deduplication Key with an unusable key', () => {
	const empty =
		'is empty for this item, so it is not possible to check whether it was posted before';
	const lost = 'is a number that has lost some of its digits; enter it as text';

	test('refuses such a key for its item only, and names the field', async () => {
		const refused: Array<[key: unknown, why: string]> = [
			...['', ' \t\n', undefined, null].map((key): [unknown, string] => [key, empty]),
			[{ id: 1 }, 'is an object, not text; name the field in it that contains the text'],
			[['a'], 'is a list, not text; join it, .+'],
			[true, 'is not text'],
			...[9007199254740993, -(2 ** 53), 1e21].map((key): [unknown, string] => [key, lost]),
			[1e400, 'is not a finite number'],
			['a'.repeat(1001), 'is longer than 1000 characters'],
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

	test('refuses a key that ends with half an emoji', async () => {
		const titles = ['Party 🎉 in Rome', 'Party 😀 in Oslo'];
		const items = titles.map((title) => ({ title, text: title }));
		const oncePerKey = '={{ $json.title.slice(0, 7) }}';
		const { outputs } = await setup.run(
			items,
			{ oncePerKey },
			{ onError: 'continueRegularOutput' },
		);
		expect(outputs[0]!.map(({ json }) => json.error)).toStrictEqual(
			[1, 2].map((post) =>
				expect.stringMatching(
					`^Post ${post} of 2.*: 'Deduplication Key' contains an incomplete character \\(a lone surrogate\\)$`,
				),
			),
		);
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
