import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultKind } from '../../emulator';
import type { NodeRun } from '../harness/engine';
import { ledgerOf, retryOf, retryOnFail, statesOf } from '../harness/ledgerOf';
import { eachText, itemsOf, jsonOf, textOf, textsOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

const created = () => platform.received('createPost');
const posts = () => platform.emulator.posts;
const addFault = (kind: FaultKind, index: number, more = {}) =>
	platform.emulator.fault({ kind, operation: 'createPost', bodyHas: textOf(index), ...more });

describe('Create with Retry on Fail', () => {
	test('resends a post that was certainly not accepted', async () => {
		addFault('refused', 1);
		const more = { items: itemsOf(3), settings: retryOnFail };
		const result = await platform.run(eachText(), more);
		expect(result.error).toBeUndefined();
		expect(created()).toHaveLength(4);
		expect(textsOf(posts()).sort()).toStrictEqual([0, 1, 2].map(textOf));
		expect(jsonOf(result).map(({ action_sn }) => typeof action_sn)).toStrictEqual(
			Array(3).fill('string'),
		);
	});

	test('does not resend a post of unknown outcome', async () => {
		addFault('server-error-after', 0);
		const more = { items: itemsOf(1), settings: retryOnFail, mode: 'trigger' as const };
		const result = await platform.run(eachText(), more);
		expect(created()).toHaveLength(1);
		expect(result.error).toMatchObject({
			message: expect.stringMatching(
				/^It is not known whether the platform accepted the post: (?!no response had arrived)/,
			),
			description: expect.stringMatching(
				/^It was sent on \d+ \w+ \d{4}, .*account acc_1 has a post that begins “post 00\.”.*'Resend If Outcome Unknown'/s,
			),
			context: { data: { item_index: 0, outcome: 'unknown', social_account_id: 'acc_1' } },
		});
		expect(statesOf(result)).toStrictEqual({ '0:0': 'unknown' });
	});

	test('sends each post once when the first token request fails', async () => {
		platform.emulator.fault({ kind: 'html', operation: 'getAccessToken' });
		const { error } = await platform.run(eachText(), { items: itemsOf(3), settings: retryOnFail });
		expect(error).toBeUndefined();
		expect(posts()).toHaveLength(3);
	});

	test('outputs accepted posts unchanged, and counts them as accepted earlier', async () => {
		addFault('refused', 3, { times: 2 });
		const result = await platform.run(eachText(), { items: itemsOf(6), settings: retryOnFail });
		expect(textsOf(posts()).sort()).toStrictEqual([0, 1, 2, 3, 4, 5].map(textOf));
		const ids = new Map(posts().map((post) => [textsOf([post])[0], post.action_sn]));
		expect(jsonOf(result)).toStrictEqual(
			itemsOf(6).map(({ text }) => expect.objectContaining({ action_sn: ids.get(text as string) })),
		);
		expect(jsonOf(result)[0]).not.toHaveProperty('repeated');
		expect(result.hints[0]).toMatch(
			/^Posts: \d accepted, \d accepted earlier and not sent again\./,
		);
	});

	test('reports the error of the last attempt', async () => {
		addFault('refused', 0, { times: 2, message: 'first' });
		addFault('refused', 0, { message: 'last' });
		const { error } = await platform.run(eachText(), { items: itemsOf(1), settings: retryOnFail });
		expect(error!.message).toContain('last');
		expect(created()).toHaveLength(3);
	});

	test('is retried only for an error of the first item when it continues on errors', async () => {
		addFault('refused', 0);
		addFault('server-error-after', 1);
		const more = { items: itemsOf(4), settings: retryOnFail };
		const onError = 'continueRegularOutput' as const;
		const result = await platform.run(eachText(), { ...more, onError });
		expect(textsOf(posts()).sort()).toStrictEqual([0, 1, 2, 3].map(textOf));
		expect(created()).toHaveLength(5);
		expect(jsonOf(result).map(({ error }) => typeof error)).toStrictEqual([
			...['undefined', 'string', 'undefined', 'undefined'],
		]);
	});
});

describe('Create in an execution that a user retries', () => {
	const items = itemsOf(6);

	test('sends the posts that were not accepted, and no others', async () => {
		addFault('refused', 2);
		const first = await platform.run(eachText(), { items });
		const before = posts().length;
		const second = await platform.run(eachText(), { items, ...retryOf(first) });
		expect(second.error).toBeUndefined();
		expect(before).toBeGreaterThan(0);
		expect(textsOf(posts()).sort()).toStrictEqual([0, 1, 2, 3, 4, 5].map(textOf));
		const third = await platform.run(eachText(), { items, ...retryOf(second) });
		expect(posts()).toHaveLength(6);
		expect(jsonOf(third)).toStrictEqual(jsonOf(second));
		expect(third.hints[0]).toMatch(/^Posts: 6 accepted earlier and not sent again\.$/);
	});

	test('does not resend a post that was in progress when n8n stopped', async () => {
		platform.emulator.fault({ kind: 'slow', operation: 'createPost', delayMs: 600_000 });
		const running = platform.start();
		while (created().length === 0) await sleep(5);
		const entry = ledgerOf(running.contextData)['0:0'];
		expect(entry).toMatchObject({
			state: 'unknown',
			clues: { sent_at: expect.stringMatching(/^20\d\d-/), social_account_id: 'acc_1' },
		});
		const killed = retryOf(running);
		const { error } = await platform.run({}, killed);
		expect(error!.message).toContain('no response had arrived when the execution ended');
		running.cancel();
		await running.done;
		expect(created()).toHaveLength(1);
	});
});

test('A retry of Create with an unusable credential fails and sends nothing', async () => {
	addFault('refused', 1);
	const first = await platform.run(eachText(), { items: itemsOf(2) });
	const { stored } = platform.store;
	stored.set('1', { ...stored.get('1')!, baseUrl: 'no address' });
	const before = created().length;
	const again = await platform.run(eachText(), { items: itemsOf(2), ...retryOf(first) });
	expect(again.error!.message).toContain('Base URL');
	expect(created()).toHaveLength(before);
});

describe('Several retries of Create from the same failed execution', () => {
	const items = itemsOf(4);
	let workflowId: string;
	let workflows = 0;
	beforeEach(() => {
		workflowId = `retries-${workflows++}`;
	});
	const run = async (more: Partial<NodeRun>, options = {}) =>
		await platform.run(eachText({ maxConcurrentRequests: 1, ...options }), {
			...{ items, workflowId },
			...more,
		});

	test('do not resend a post that another retry has sent, and report it', async () => {
		addFault('refused', 2, { times: 2 });
		const a = await run({ executionId: 'a' });
		const b = await run(retryOf(a));
		const c = await run(retryOf(b));
		expect([a, b, c].map(({ error }) => error === undefined)).toStrictEqual([false, false, true]);
		expect(textsOf(posts())).toStrictEqual([0, 1, 2, 3].map(textOf));
		for (const earlier of [a, b]) {
			const again = await run(retryOf(earlier));
			expect(again.error).toBeUndefined();
			expect(jsonOf(again).slice(0, 2)).toStrictEqual(jsonOf(c).slice(0, 2));
			expect(jsonOf(again)[2]).toStrictEqual({
				skipped: true,
				note: 'Not posted, because another retry of this execution published it.',
			});
			expect(again.hints[0]).toBe('Posts: 4 accepted earlier and not sent again.');
		}
		expect(posts()).toHaveLength(4);
	});

	test('send each post once when they run at the same time', async () => {
		addFault('refused', 0);
		const a = await run({ executionId: 'a' });
		const many = await Promise.all([1, 2, 3].map(async () => await run(retryOf(a))));
		expect(many.map(({ error }) => error)).toStrictEqual(Array(3).fill(undefined));
		expect(textsOf(posts()).sort()).toStrictEqual([0, 1, 2, 3].map(textOf));
	});

	test('do not resend a post whose outcome is unknown after another retry', async () => {
		addFault('refused', 2);
		const a = await run({ executionId: 'a' });
		addFault('server-error-after', 2);
		await run(retryOf(a));
		const again = await run(retryOf(a));
		expect(again.error).toMatchObject({
			message:
				'It is not known whether the platform accepted post 3 of 4, “post 02.”: another retry of this execution sent it and got no usable response',
			context: { data: { item_index: 2, outcome: 'unknown', text_beginning: textOf(2) } },
		});
		expect(textsOf(posts()).filter((text) => text === textOf(2))).toHaveLength(1);
		const resent = await run(retryOf(a), { resendUnknown: true });
		expect(resent.error).toBeUndefined();
		expect(textsOf(posts()).filter((text) => text === textOf(2))).toHaveLength(2);
	});

	test('send a post that was refused in another retry', async () => {
		addFault('refused', 2, { times: 2 });
		const a = await run({ executionId: 'a' });
		await run(retryOf(a));
		const again = await run(retryOf(a));
		expect(again.error).toBeUndefined();
		expect(textsOf(posts())).toStrictEqual([0, 1, 2, 3].map(textOf));
	});

	test('send posts independently when the first execution did not reach the node', async () => {
		const none = { contextData: {} };
		await run(retryOf(none));
		await run(retryOf(none));
		expect(posts()).toHaveLength(8);
	});
});
