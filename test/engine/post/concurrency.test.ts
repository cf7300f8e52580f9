import { eachText, itemsOf, jsonOf, textOf, textsOf } from '../harness/manyPosts';
import { soon, until } from '../harness/storage';
import { usePosts } from './postSetup';

const { platform, created, posts, fault } = usePosts();

const onError = 'continueRegularOutput';
const textsOfItems = (count: number) => itemsOf(count).map(({ text }) => text);

describe('Create with concurrent requests', () => {
	test('outputs posts in the order of the items, not of the responses', async () => {
		for (const index of [0, 1, 3])
			fault('slow', { bodyHas: textOf(index), delayMs: 100 - 20 * index });
		const result = await platform.run(eachText(), { items: itemsOf(12) });
		expect(textsOf(posts()).sort()).toStrictEqual(textsOfItems(12));
		const ids = new Map(posts().map((post) => [textsOf([post])[0], post.action_sn]));
		expect(jsonOf(result).map(({ action_sn }) => action_sn)).toStrictEqual(
			textsOfItems(12).map((text) => ids.get(text as string)),
		);
		expect(result.outputs[0]!.map(({ pairedItem }) => pairedItem)).toStrictEqual(
			itemsOf(12).map((_, item) => ({ item })),
		);
	});

	test('outputs posts and refusals in order when the node continues on errors', async () => {
		fault('slow', { bodyHas: textOf(0), delayMs: 60 });
		for (const index of [1, 4]) fault('refused', { bodyHas: textOf(index) });
		const result = await platform.run(eachText(), { items: itemsOf(6), onError });
		expect(jsonOf(result).map(({ error }) => typeof error)).toStrictEqual([
			...['undefined', 'string', 'undefined'],
			...['undefined', 'string', 'undefined'],
		]);
		const [task] = result.run.data.resultData.runData.Post!;
		expect(task!.hints).toMatchObject([{ location: 'outputPane' }]);
		expect(result.hints).toStrictEqual([
			'Posts: 4 accepted, 2 not accepted. An accepted post may not be published yet.<br>To send the other posts, start a new execution with only their items. First check on the platform whether it has those whose outcome is unknown.',
		]);
	});

	test.each([
		[5, {}],
		[1, { maxConcurrentRequests: 1 }],
		[12, { maxConcurrentRequests: 12 }],
		// Another option of the first item is invalid.
		[2, { maxConcurrentRequests: 2, timeout: "={{ $json.text.includes('00') ? 0 : 9 }}" }],
	])('sends at most %i posts at the same time with the options %j', async (width, options) => {
		fault('slow', { delayMs: 600_000, times: Infinity });
		const running = platform.start(eachText(options), { items: itemsOf(width + 2), onError });
		await until(() => created().length >= width);
		await soon();
		running.cancel();
		await running.done;
		expect(created()).toHaveLength(width);
	});
});

test('Minimum Interval separates the starts of requests even when several may run at a time', async () => {
	await platform.run();
	const options = { minimumInterval: 0.1, maxConcurrentRequests: 3 };
	const begun = Date.now();
	await platform.run(eachText(options), { items: itemsOf(6) });
	const sent = created().slice(-6);
	expect(textsOf(sent)).toStrictEqual(textsOfItems(6));
	// On a busy machine single intervals vary, so their sum is checked.
	expect(Date.parse(sent.at(-1)!.at) - begun).toBeGreaterThanOrEqual(5 * 100 - 5);
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
		['File Link Validity (Days)', { fileLinkValidity: 15 }, 'must be at most 14'],
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
});
