import { DateTime } from 'luxon';
import { retryOf, statesOf } from '../harness/ledgerOf';
import { itemsOf, jsonOf, textOf, textsOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { pass, stopClock } from '../harness/clock';
import { until } from '../harness/storage';
import { agents, fromAI, runAgent } from '../harness/agentRun';

/** Milliseconds until the publish time of the posts in these tests. */
const SOON_MS = 60_000;

const platform = usePlatform();
let workflowId: string;
let workflows = 0;
beforeEach(async () => {
	workflowId = `scheduled-retries-${workflows++}`;
	stopClock();
});
afterEach(() => void jest.useRealTimers());

const created = () => platform.received('createPost');
const at = (time: DateTime) => ({ publishTime: 'at', publishAt: time.toISO() });
const inAnHour = () => DateTime.now().plus({ hours: 1 });
const soon = () => DateTime.now().plus({ milliseconds: SOON_MS });

describe('A retry of Create after the publish time', () => {
	const text = '={{ $json.text }}';
	const oneByOne = { maxConcurrentRequests: 1 };

	test('outputs accepted posts, and refuses the others until their time is changed', async () => {
		const time = soon();
		const items = itemsOf(2);
		const scheduled = { text, ...at(time), options: oneByOne };
		platform.emulator.fault({ kind: 'refused', operation: 'createPost', bodyHas: textOf(1) });
		const first = await platform.run(scheduled, { items });
		expect(textsOf(created())).toStrictEqual([0, 1].map(textOf));
		pass(SOON_MS + 1);
		const second = await platform.run(scheduled, { items, ...retryOf(first) });
		expect(created()).toHaveLength(2);
		expect(second.error).toMatchObject({
			message: expect.stringMatching(/^Post 2 of 2, “post 01\.”: 'Publish At' is in the past/),
			description: expect.stringMatching(
				/^Nothing was sent for this item\. .*\nPosts: 1 accepted earlier and not sent again, 1 not accepted\./s,
			),
			context: { data: { item_index: 1, outcome: 'invalid' } },
		});
		const later = { ...scheduled, ...at(inAnHour()) };
		const third = await platform.run(later, { items, ...retryOf(second) });
		expect(third.error).toBeUndefined();
		expect(textsOf(created())).toStrictEqual([0, 1, 1].map(textOf));
	});

	test('keeps an unknown outcome', async () => {
		const time = soon();
		platform.emulator.fault({ kind: 'server-error-after', operation: 'createPost' });
		const first = await platform.run(at(time));
		pass(SOON_MS + 1);
		for (const options of [{}, { resendUnknown: true }]) {
			const again = await platform.run({ ...at(time), options }, retryOf(first));
			expect(again.error).toMatchObject({
				message: expect.stringMatching(/^It is not known whether/),
				context: { data: { outcome: 'unknown' } },
			});
			expect(again.error!.description).not.toMatch(/Nothing was sent|safe/);
			expect(statesOf(again)).toStrictEqual({ '0:0': 'unknown' });
		}
		expect(created()).toHaveLength(1);
	});

	test('outputs the accepted post even if an option is now invalid', async () => {
		const first = await platform.run();
		const again = await platform.run({ options: { timeout: -1 } }, retryOf(first));
		expect(again.error).toBeUndefined();
		expect(jsonOf(again)).toStrictEqual(jsonOf(first));
		expect(created()).toHaveLength(1);
	});
});

test('Create skips a posted key even if the publish time has passed', async () => {
	const time = soon();
	const keyed = { ...at(time), options: { oncePerKey: 'article' } };
	await platform.run(keyed, { workflowId });
	pass(SOON_MS + 1);
	const again = await platform.run(keyed, { workflowId });
	expect(again.error).toBeUndefined();
	expect(jsonOf(again)).toMatchObject([{ skipped: true }]);
	expect(created()).toHaveLength(1);
});

test('Create does not take the key of an invalid item', async () => {
	const past = { ...at(DateTime.now().minus({ hours: 1 })), options: { oncePerKey: 'article' } };
	const refused = await platform.run(past, { workflowId });
	expect(refused.error).toMatchObject({ context: { data: { outcome: 'invalid' } } });
	const corrected = await platform.run({ ...past, ...at(inAnHour()) }, { workflowId });
	expect(corrected.error).toBeUndefined();
	expect(jsonOf(corrected)[0]).not.toHaveProperty('skipped');
	expect(created()).toHaveLength(1);
});

test('Create stops after an invalid item with a key', async () => {
	const items = [{ text: 'one' }, { text: 'two' }, { text: 'three' }, { text: 'four' }];
	const { error } = await platform.run(
		{
			...{
				text: '={{ $json.text }}',
				contentType: "={{ $json.text === 'two' ? 'x'.repeat(65) : 'POST' }}",
			},
			options: { oncePerKey: '={{ $json.text }}', maxConcurrentRequests: 1 },
		},
		{ items, workflowId },
	);
	expect(error).toMatchObject({ context: { data: { item_index: 1, outcome: 'invalid' } } });
	expect(textsOf(created())).toStrictEqual(['one']);
});

test('Create does not resend a post whose publish time passes during a rate limit', async () => {
	const time = soon();
	platform.emulator.fault({ kind: 'rate-limited-429', operation: 'createPost', retryAfter: 0.2 });
	const running = platform.start(at(time));
	await until(() => created()[0]?.status === 429);
	pass(SOON_MS + 1);
	const { error, contextData } = await running.done;
	expect(error).toMatchObject({
		message: expect.stringMatching(/^'Publish At' is in the past/),
		context: { data: { outcome: 'invalid' } },
	});
	expect(error!.description).not.toContain('Nothing was sent');
	expect(created()).toHaveLength(1);
	expect(statesOf({ contextData })).toStrictEqual({});
});

test.each(agents)(
	'Create recognizes a call that $name repeats after the publish time',
	async ({ type: agent }) => {
		const time = soon();
		const call = { text: 'Hello', at: time.toISO() };
		platform.emulator.fault({ kind: 'slow', operation: 'createPost', delayMs: 300 });
		const running = runAgent({
			...{ platform, agent, turns: [[call], [call]] },
			parameters: {
				...{
					socialAccountId: 'acc_1',
					text: fromAI('text'),
					mediaUrls: ['https://a.example/a.jpg'],
				},
				...{ publishTime: 'at', publishAt: fromAI('at') },
			},
		});
		await until(() => created().length === 1);
		pass(SOON_MS + 1);
		const told = await running;
		expect(told[1]).toMatchObject({ repeated: true, action_sn: told[0]!.action_sn });
		expect(created()).toHaveLength(1);
	},
);
