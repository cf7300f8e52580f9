import { eachText, itemsOf, jsonOf, spanOf, textOf, textsOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { soon, until } from '../harness/storage';

const platform = usePlatform();

const created = () => platform.received('createPost');
const slow = (index: number, delayMs: number) =>
	platform.emulator.fault({
		kind: 'slow',
		operation: 'createPost',
		bodyHas: textOf(index),
		delayMs,
	});
const refuse = (index: number) =>
	platform.emulator.fault({ kind: 'refused', operation: 'createPost', bodyHas: textOf(index) });

describe('Create with concurrent requests', () => {
	test('outputs posts in the order of the items, not of the responses', async () => {
		[100, 60, 0, 40, 0, 80].forEach((delayMs, index) => slow(index, delayMs));
		const result = await platform.run(eachText(), { items: itemsOf(12) });
		const { posts } = platform.emulator;
		expect(textsOf(posts).sort()).toStrictEqual(textsOf(itemsBodies(12)));
		const ids = new Map(posts.map((post) => [textsOf([post])[0], post.action_sn]));
		expect(jsonOf(result).map(({ action_sn }) => action_sn)).toStrictEqual(
			itemsOf(12).map(({ text }) => ids.get(text as string)),
		);
		expect(result.outputs[0]!.map(({ pairedItem }) => pairedItem)).toStrictEqual(
			itemsOf(12).map((_, item) => ({ item })),
		);
	});

	test('outputs posts and refusals in order when the node continues on errors', async () => {
		slow(0, 60);
		refuse(1);
		refuse(4);
		const more = { items: itemsOf(6), onError: 'continueRegularOutput' as const };
		const result = await platform.run(eachText(), more);
		expect(jsonOf(result).map(({ error }) => typeof error)).toStrictEqual([
			...['undefined', 'string', 'undefined'],
			...['undefined', 'string', 'undefined'],
		]);
		const [task] = result.run.data.resultData.runData.Post!;
		expect(task!.hints).toMatchObject([{ location: 'outputPane' }]);
		expect(result.hints).toStrictEqual([
			'Posts: 4 accepted, 2 not accepted. An accepted post may not be published yet.<br>To send the posts that were not accepted, start a new execution with only their items.',
		]);
	});

	test('advises to check the platform first if an outcome is unknown and the node continues', async () => {
		platform.emulator.fault({
			kind: 'server-error-after',
			operation: 'createPost',
			bodyHas: textOf(1),
		});
		const more = { items: itemsOf(2), onError: 'continueRegularOutput' as const };
		expect((await platform.run(eachText(), more)).hints).toStrictEqual([
			'Posts: 1 accepted, 1 unknown. An accepted post may not be published yet.<br>Check on the platform whether it has the posts whose outcome is unknown, before you send them again.',
		]);
	});

	test.each([
		[5, 'is not set', undefined],
		[1, 'is 1', 1],
		[3, 'is 3', 3],
		[12, 'is 12', 12],
	] as const)(
		'sends at most %i posts at the same time when Max Concurrent Requests %s',
		async (width, _, maxConcurrentRequests) => {
			const never = { kind: 'slow', delayMs: 600_000, times: Infinity } as const;
			platform.emulator.fault({ ...never, operation: 'createPost' });
			const options = maxConcurrentRequests === undefined ? {} : { maxConcurrentRequests };
			const running = platform.start(eachText(options), { items: itemsOf(width + 2) });
			await until(() => created().length >= width);
			await soon();
			running.cancel();
			await running.done;
			expect(created()).toHaveLength(width);
		},
	);

	test('starts requests in the order of the items', async () => {
		platform.emulator.adjust({ latencyMs: 5 });
		const options = { maxConcurrentRequests: 1 };
		await platform.run(eachText(options), { items: itemsOf(8) });
		expect(textsOf(created())).toStrictEqual(textsOf(itemsBodies(8)));
	});
});

describe('Minimum Interval', () => {
	test('separates the starts of requests even when several may run at a time', async () => {
		await platform.run();
		const options = { minimumInterval: 0.1, maxConcurrentRequests: 3 };
		const begun = Date.now();
		await platform.run(eachText(options), { items: itemsOf(6) });
		const posts = created().slice(-6);
		expect(textsOf(posts)).toStrictEqual(textsOf(itemsBodies(6)));
		// On a busy machine single intervals vary, so their sum is checked.
		expect(Date.parse(posts.at(-1)!.at) - begun).toBeGreaterThanOrEqual(5 * 100 - 5);
	});

	test('does not delay requests when it is 0', async () => {
		await platform.run(eachText(), { items: itemsOf(10) });
		expect(spanOf(created())).toBeLessThan(8_000);
	});
});

describe('Options of Create', () => {
	test.each([
		['Max Concurrent Requests', { maxConcurrentRequests: 0 }, 'must be at least 1'],
		['Max Concurrent Requests', { maxConcurrentRequests: 101 }, 'must be at most 100'],
		['Max Concurrent Requests', { maxConcurrentRequests: 2.5 }, 'is not a whole number'],
		['Max Concurrent Requests', { maxConcurrentRequests: 'many' }, 'is not a number of requests'],
		['Minimum Interval (Seconds)', { minimumInterval: -1 }, 'must be at least 0'],
		['Minimum Interval (Seconds)', { minimumInterval: 3601 }, 'must be at most 3600'],
		['Wait for Rate Limits (Seconds)', { rateLimitWait: -1 }, 'must be at least 0'],
		['Wait for Rate Limits (Seconds)', { rateLimitWait: 86_401 }, 'must be at most 86400'],
		['Resend If Outcome Unknown', { resendUnknown: 'no' }, 'must be true or false'],
	])('are refused with their label if they are invalid: %s %p', async (label, options, message) => {
		const { error } = await platform.run({ options });
		expect(error).toMatchObject({
			message: `'${label}' ${message}`,
			context: { data: { item_index: 0, outcome: 'invalid' } },
		});
		expect(platform.emulator.received).toStrictEqual([]);
	});

	test('are refused only for the item for which they are invalid', async () => {
		const timeout = '={{ $json.text.includes("01") ? 0 : 9 }}';
		const more = { items: itemsOf(3), onError: 'continueRegularOutput' as const };
		const result = await platform.run(eachText({ timeout }), more);
		expect(jsonOf(result).map(({ error }) => error)).toStrictEqual([
			undefined,
			"Post 2 of 3, “post 01.”: 'Timeout (Seconds)' must be at least 0.1",
			undefined,
		]);
	});
});

function itemsBodies(count: number) {
	return itemsOf(count).map((body) => ({ body }));
}
