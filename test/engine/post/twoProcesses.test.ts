import { KeyStage, keyed } from '../harness/keyStage';
import { itemsOf, textsOf } from '../harness/manyPosts';
import { OtherProcess, type RunElsewhere } from '../harness/otherProcess';

const stage = KeyStage.aroundTests();
let other: OtherProcess;
beforeAll(async () => (other = await OtherProcess.start(stage)));
afterAll(async () => await other?.stop());

const exchanges = () => stage.platform.received('getAccessToken').length;
const different = () => new Set(textsOf(stage.posts)).size;
const errorsOf = (results: RunElsewhere[]) => results.flatMap(({ error }) => error ?? []);

/** Runs each item by itself: items with even numbers in this process, the others in the other one. */
async function runs(items: object[], options: object = {}): Promise<RunElsewhere[]> {
	const parameters = { text: '={{ $json.text }}', options } as never;
	const { platform, workflowId } = stage;
	const run = async (item: object, index: number): Promise<RunElsewhere> => {
		const more = { items: [item as never], workflowId };
		if (index % 2) return await other.run(parameters, more);
		const { error, outputs } = await platform.run(parameters, more);
		return { error: error?.message, json: (outputs[0] ?? []).map(({ json }) => json) };
	};
	return await Promise.all(items.map(run));
}

describe('Two processes with one credential, where a new token ends the earlier ones', () => {
	const starts: Record<string, () => Promise<unknown>> = {
		'none is stored': async () => {},
		'the stored one is good': async () => await stage.platform.run(),
		'the stored one has expired': async () => {
			await other.run();
			stage.platform.emulator.expireTokens();
		},
	};

	test.each(Object.keys(starts))('post everything once when %s', async (start) => {
		await starts[start]!();
		stage.platform.emulator.adjust({ latencyMs: 30 });
		const before = stage.posts.length;
		for (let round = 0; round < 3; round++) {
			expect(errorsOf(await runs(itemsOf(20)))).toStrictEqual([]);
		}
		expect(stage.posts).toHaveLength(before + 60);
		expect(exchanges()).toBeLessThanOrEqual(3 + before);
	});

	test('succeed with 200 executions whose token has expired, with few exchanges', async () => {
		await other.run();
		const { emulator } = stage.platform;
		emulator.adjust({ latencyMs: 50 });
		emulator.expireTokens();
		const before = exchanges();
		expect(errorsOf(await runs(itemsOf(200)))).toStrictEqual([]);
		expect(exchanges() - before).toBeLessThanOrEqual(6);
	});
});

describe('Two processes with one list of keys', () => {
	const oncePerKey = '={{ $json.key }}';
	const keys = (count: number) => itemsOf(count).map((item) => ({ ...item, key: item.text }));

	test('lose none of 40 keys that are posted at the same moment', async () => {
		expect(errorsOf(await runs(keys(40), { oncePerKey }))).toStrictEqual([]);
		expect(stage.posts).toHaveLength(40);
		const again = await runs(keys(40).reverse(), { oncePerKey });
		expect(again.map(({ json }) => json[0]!.skipped)).toStrictEqual(Array(40).fill(true));
		expect(different()).toBe(40);
		expect(stage.posts).toHaveLength(40);
	});

	test('lose none of 300 fresh keys with a small History Size', async () => {
		const results = await runs(keys(300), { oncePerKey, keyHistory: 50, timeout: 60 });
		expect(errorsOf(results)).toStrictEqual([]);
		expect(results.flatMap(({ json }) => json).filter(({ skipped }) => skipped)).toStrictEqual([]);
		expect([stage.posts.length, different()]).toStrictEqual([300, 300]);
	});

	test('post a key once that is used 30 times at the same moment', async () => {
		stage.platform.emulator.adjust({ latencyMs: 30 });
		const same = keyed(...Array<string>(30).fill('a'));
		expect(errorsOf(await runs(same, { oncePerKey }))).toStrictEqual([]);
		expect(stage.posts).toHaveLength(1);
	});

	test('post each of 20 keys once when both processes use them at the same moment', async () => {
		const twice = keys(20).flatMap((item) => [item, item]);
		expect(errorsOf(await runs(twice, { oncePerKey }))).toStrictEqual([]);
		expect([stage.posts.length, different()]).toStrictEqual([20, 20]);
	});
});
