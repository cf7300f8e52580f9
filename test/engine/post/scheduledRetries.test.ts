import { DateTime } from 'luxon';
import { pass, stopClock } from '../harness/clock';
import { KeySetup, keyed } from '../harness/keySetup';
import { retryOf, statesOf } from '../harness/ledgerOf';
import { eachText, itemsOf, jsonOf, textOf, textsOf } from '../harness/manyPosts';
import { until } from '../harness/storage';
import { fromAI } from '../harness/agentRun';
import { postsOf } from './postSetup';

/** Milliseconds until the publish time of the posts in these tests. */
const SOON_MS = 60_000;

const setup = KeySetup.forEachTest();
const { platform, created, fault, callTool } = postsOf(setup.platform);
beforeEach(stopClock);
afterEach(() => void jest.useRealTimers());

const at = (publishAt: string | null) => ({ publishTime: 'at', publishAt });
const inAnHour = () => at(DateTime.now().plus({ hours: 1 }).toISO());
const soon = () => at(DateTime.now().plus(SOON_MS).toISO());
const later = () => pass(SOON_MS + 1);

describe('A retry of Create after the publish time', () => {
	test('outputs accepted posts, and refuses the others until their time is changed', async () => {
		const items = itemsOf(2);
		const each = eachText({ maxConcurrentRequests: 1 });
		const scheduled = { ...each, ...soon() };
		fault('refused', { bodyHas: textOf(1) });
		const first = await platform.run(scheduled, { items });
		later();
		const second = await platform.run(scheduled, { items, ...retryOf(first) });
		expect(created()).toHaveLength(2);
		expect(second.error).toMatchObject({
			message: expect.stringMatching(/^Post 2 of 2, “post 01\.”: 'Publish At' is in the past/),
			description: expect.stringMatching(
				/^Nothing was sent for this item\. .*\nPosts: 1 accepted earlier and not sent again, 1 not accepted\./s,
			),
			context: { data: { item_index: 1, outcome: 'invalid' } },
		});
		await platform.run({ ...each, ...inAnHour() }, { items, ...retryOf(second) });
		expect(textsOf(created())).toStrictEqual([0, 1, 1].map(textOf));
	});

	test('keeps an unknown outcome', async () => {
		const scheduled = soon();
		fault('server-error-after');
		const first = await platform.run(scheduled);
		later();
		for (const options of [{}, { resendUnknown: true }]) {
			const again = await platform.run({ ...scheduled, options }, retryOf(first));
			expect(again.error).toMatchObject({
				message: expect.stringMatching(/^It is not known whether/),
				description: expect.not.stringMatching(/Nothing was sent|safe/),
				context: { data: { outcome: 'unknown' } },
			});
			expect(statesOf(again)).toStrictEqual({ '0:0': 'unknown' });
		}
		expect(created()).toHaveLength(1);
	});
});

test('Create skips a posted key even if the publish time has passed', async () => {
	const scheduled = soon();
	await setup.run(keyed('article'), {}, {}, scheduled);
	later();
	const again = await setup.run(keyed('article'), {}, {}, scheduled);
	expect(jsonOf(again)).toMatchObject([{ skipped: true }]);
	expect(created()).toHaveLength(1);
});

test('Create does not take the key of an invalid item', async () => {
	const past = at(DateTime.now().minus({ hours: 1 }).toISO());
	const refused = await setup.run(keyed('article'), {}, {}, past);
	expect(refused.error).toMatchObject({ context: { data: { outcome: 'invalid' } } });
	const corrected = await setup.run(keyed('article'), {}, {}, inAnHour());
	expect(jsonOf(corrected)).toMatchObject([{ status: 'queued' }]);
});

test('Create does not resend a post whose publish time passes during a rate limit', async () => {
	fault('rate-limited-429', { retryAfter: 0.2 });
	const running = platform.start(soon());
	await until(() => created()[0]?.status === 429);
	later();
	const { error, contextData } = await running.done;
	expect(error).toMatchObject({
		message: expect.stringMatching(/^'Publish At' is in the past/),
		description: expect.not.stringContaining('Nothing was sent'),
		context: { data: { outcome: 'invalid' } },
	});
	expect(created()).toHaveLength(1);
	expect(statesOf({ contextData })).toStrictEqual({});
});

test('Create recognizes a call that an agent repeats after the publish time', async () => {
	const { publishAt } = soon();
	const call = { text: 'Hello', at: publishAt };
	fault('slow', { delayMs: 300 });
	const running = callTool(undefined, [[call], [call]], at(fromAI('at')));
	await until(() => created().length === 1);
	later();
	const told = await running;
	expect(told[1]).toMatchObject({ repeated: true, action_sn: told[0]!.action_sn });
	expect(created()).toHaveLength(1);
});
