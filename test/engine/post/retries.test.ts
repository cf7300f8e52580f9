import type { NodeRun } from '../harness/engine';
import { ledgerOf, retryOf, retryOnFail, statesOf } from '../harness/ledgerOf';
import { eachText, itemsOf, jsonOf, textOf, textsOf } from '../harness/manyPosts';
import { until } from '../harness/storage';
import { usePosts } from './postSetup';

const { platform, created, posts, fault } = usePosts();

const oneByOne = eachText({ maxConcurrentRequests: 1 });

describe('Create with Retry on Fail', () => {
	test('resends a post that was certainly not accepted, and outputs the others unchanged', async () => {
		fault('refused', { bodyHas: textOf(3), times: 2 });
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

	test('does not resend a post of unknown outcome', async () => {
		fault('server-error-after');
		const result = await platform.run({}, { settings: retryOnFail, mode: 'trigger' });
		expect(created()).toHaveLength(1);
		expect(result.error).toMatchObject({
			message: expect.stringMatching(
				/^It is not known whether the platform accepted the post: (?!no response had arrived)/,
			),
			description: expect.stringMatching(
				/^It was sent on \d+ \w+ \d{4}, .*account acc_1 has a post that begins “Hello”.*'Resend If Outcome Unknown'/s,
			),
			context: { data: { item_index: 0, outcome: 'unknown', social_account_id: 'acc_1' } },
		});
		expect(statesOf(result)).toStrictEqual({ '0:0': 'unknown' });
	});
});

describe('Create in an execution that a user retries', () => {
	const items = itemsOf(6);

	test('sends the posts that were not accepted, and no others', async () => {
		fault('refused', { bodyHas: textOf(2) });
		const first = await platform.run(eachText(), { items });
		expect(posts().length).toBeGreaterThan(0);
		const second = await platform.run(eachText(), { items, ...retryOf(first) });
		expect(second.error).toBeUndefined();
		expect(textsOf(posts()).sort()).toStrictEqual([0, 1, 2, 3, 4, 5].map(textOf));
		const third = await platform.run(eachText(), { items, ...retryOf(second) });
		expect(posts()).toHaveLength(6);
		expect(jsonOf(third)).toStrictEqual(jsonOf(second));
		expect(third.hints[0]).toBe('Posts: 6 accepted earlier and not sent again.');
	});

	test('counts accepted posts as accepted even if a retry stops before them', async () => {
		fault('refused', { bodyHas: textOf(2), times: 2 });
		const first = await platform.run(oneByOne, { items, onError: 'continueRegularOutput' });
		expect(posts()).toHaveLength(5);
		const second = await platform.run(oneByOne, { items, ...retryOf(first) });
		expect(second.error!.description).toContain(
			'Posts: 5 accepted earlier and not sent again, 1 not accepted.',
		);
	});

	test('does not resend a post that was in progress when n8n stopped', async () => {
		fault('slow', { delayMs: 600_000 });
		const running = platform.start();
		await until(() => created().length > 0);
		expect(ledgerOf(running.contextData)['0:0']).toMatchObject({
			state: 'unknown',
			clues: { sent_at: expect.stringMatching(/^20\d\d-/), social_account_id: 'acc_1' },
		});
		const { error } = await platform.run({}, retryOf(running));
		expect(error!.message).toContain('no response had arrived when the execution ended');
		expect(error!.description).toContain(
			"If the platform has it, set 'On Error' of this node to Continue and retry.",
		);
		running.cancel();
		await running.done;
		expect(created()).toHaveLength(1);
	});
});

describe('Several retries of Create from the same failed execution', () => {
	let workflowId: string;
	let workflows = 0;
	beforeEach(() => {
		workflowId = `retries-${workflows++}`;
	});
	const run = async (more: Partial<NodeRun>, options = {}) =>
		await platform.run(eachText({ maxConcurrentRequests: 1, ...options }), {
			...{ items: itemsOf(4), workflowId, ...more },
		});
	const refuse = (index: number, times = 1) => fault('refused', { bodyHas: textOf(index), times });

	test('do not resend a post that another retry has sent, and report it', async () => {
		refuse(2, 2);
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
				note: 'Not posted, because another retry of this execution posted it.',
			});
			expect(again.hints[0]).toBe('Posts: 4 accepted earlier and not sent again.');
		}
		expect(posts()).toHaveLength(4);
	});

	test('send each post once when they run at the same time', async () => {
		refuse(0);
		const a = await run({ executionId: 'a' });
		const many = await Promise.all([1, 2, 3].map(async () => await run(retryOf(a))));
		expect(many.map(({ error }) => error)).toStrictEqual(Array(3).fill(undefined));
		expect(textsOf(posts()).sort()).toStrictEqual([0, 1, 2, 3].map(textOf));
	});

	test('do not resend a post whose outcome is unknown after another retry', async () => {
		refuse(2);
		const a = await run({ executionId: 'a' });
		fault('server-error-after', { bodyHas: textOf(2) });
		await run(retryOf(a));
		const again = await run(retryOf(a));
		expect(again.error).toMatchObject({
			message:
				'It is not known whether the platform accepted post 3 of 4, “post 02.”: it, or another post with the same key, was sent before or is still being sent, and no usable response arrived',
			context: { data: { item_index: 2, outcome: 'unknown', text_beginning: textOf(2) } },
		});
		const sent = () => textsOf(posts()).filter((text) => text === textOf(2)).length;
		expect(sent()).toBe(1);
		expect((await run(retryOf(a), { resendUnknown: true })).error).toBeUndefined();
		expect(sent()).toBe(2);
	});

	test('do not resend each other’s posts when the credential stopped the first execution', async () => {
		const { baseUrl } = platform.credential;
		platform.credential.baseUrl = 'nowhere';
		const a = await run({ executionId: 'a' });
		platform.credential.baseUrl = baseUrl;
		for (let retries = 0; retries < 2; retries++) await run(retryOf(a));
		expect(posts()).toHaveLength(4);
	});
});
