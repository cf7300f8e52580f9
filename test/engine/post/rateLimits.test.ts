import type { FaultSpec } from '../../emulator';
import { eachText, itemsOf, jsonOf, spanOf, textOf, textsOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

const created = () => platform.received('createPost');
const limit = (more: Partial<FaultSpec> = {}) =>
	platform.emulator.fault({ kind: 'rate-limited-429', operation: 'createPost', ...more });

/** Returns the milliseconds between the last two requests. */
const lastGap = () => spanOf(created().slice(-2));

describe('Create after a rate limit', () => {
	test('resends the post after the time in Retry-After', async () => {
		limit({ retryAfter: 1.6 });
		const result = await platform.run();
		expect(jsonOf(result)).toStrictEqual([expect.objectContaining({ status: 'processing' })]);
		expect(created()).toHaveLength(2);
		expect(lastGap()).toBeGreaterThanOrEqual(1_590);
		expect(platform.emulator.posts).toHaveLength(1);
	});

	test('resends the post at the date in Retry-After', async () => {
		const date = new Date(Date.now() + 2_500).toUTCString();
		limit({ retryAfter: date });
		const { error } = await platform.run();
		expect(error).toBeUndefined();
		expect(Date.parse(created()[1]!.at)).toBeGreaterThanOrEqual(Date.parse(date) - 10);
	});

	test('resends the post after at least a second without Retry-After', async () => {
		limit();
		const { error } = await platform.run();
		expect(error).toBeUndefined();
		expect(created()).toHaveLength(2);
		expect(lastGap()).toBeGreaterThanOrEqual(990);
	});

	test("resends the post after one of the credential's Rate-Limit Codes", async () => {
		Object.assign(platform.credential, { rateLimitCodes: '4711, 4712' });
		const busy = { kind: 'refused', operation: 'createPost', message: '系统繁忙' } as const;
		platform.emulator.fault({ ...busy, code: 4712 });
		expect((await platform.run()).hints[0]).toContain('1 accepted');
		platform.emulator.fault({ ...busy, code: 4713 });
		expect((await platform.run()).error).toMatchObject({ context: { data: { code: 4713 } } });
		expect(created()).toHaveLength(3);
	});

	test('reports refused at once when Wait for Rate Limits is 0', async () => {
		limit({ retryAfter: 30 });
		const { error } = await platform.run({ options: { rateLimitWait: 0 } });
		expect(error).toMatchObject({
			message: expect.stringContaining('too many requests'),
			context: { data: { outcome: 'refused', http_status: 429 } },
			failure: { cause: 'rate-limited', retryAfterMs: 30_000 },
		});
		expect(created()).toHaveLength(1);
	});

	test.each([
		['429', 429, 'rate limit reached'],
		['429, 5017', 5017, '系统繁忙'],
		['1002', 1002, '系统繁忙'],
	])('explains the Rate-Limit Codes %s in HTTP 200', async (rateLimitCodes, code, message) => {
		Object.assign(platform.credential, { rateLimitCodes });
		platform.emulator.fault({ kind: 'refused', operation: 'createPost', code, message });
		const { error } = await platform.run({ options: { rateLimitWait: 0 } });
		expect(error).toMatchObject({
			message: `The platform refused the post: too many requests (code ${code}: “${message}”)`,
			description: expect.stringMatching(
				/^The request had no effect\. Wait a moment, then retry\.(\nRequest ID: .+)?$/,
			),
			failure: { cause: 'rate-limited' },
		});
	});

	test('reports refused at once when the platform asks for a longer wait than allowed', async () => {
		limit({ retryAfter: 3 });
		const { error, hints } = await platform.run({ options: { rateLimitWait: 2.9 } });
		expect(error).toMatchObject({
			description: expect.stringContaining('The platform asks you to wait: Retry-After 3.'),
			context: { data: { outcome: 'refused', http_status: 429, retry_after: '3' } },
		});
		expect(created()).toHaveLength(1);
		expect(hints).toStrictEqual([]);
	});

	test('waits no longer in total than allowed', async () => {
		limit({ retryAfter: 0.1, times: Infinity });
		const { error } = await platform.run({ options: { rateLimitWait: 3.5 } });
		expect(error).toMatchObject({ context: { data: { outcome: 'refused', retry_after: '0.1' } } });
		expect(created()).toHaveLength(3);
	});
});

describe('A run with rate limits', () => {
	test('pauses the other items, and sends all posts in the end', async () => {
		platform.emulator.adjust({ latencyMs: 50 });
		await platform.run();
		limit({ retryAfter: 1, bodyHas: textOf(3) });
		const result = await platform.run(eachText(), { items: itemsOf(20) });
		expect(jsonOf(result)).toHaveLength(20);
		const { posts } = platform.emulator;
		expect(new Set(textsOf(posts.slice(1)))).toStrictEqual(
			new Set(itemsOf(20).map(({ text }) => text)),
		);
		const since = created().findIndex(({ status }) => status === 429);
		const arrivals = created().map(({ at }) => Date.parse(at));
		const answeredAt = arrivals[since]! + 50;
		// At most ten posts are sent before the response with 429 is read, even on a busy machine.
		const later = arrivals.filter((at) => at >= answeredAt + 950);
		expect(later.length).toBeGreaterThanOrEqual(10);
	});

	test('reports in its summary how often and how long it waited', async () => {
		limit({ retryAfter: 1 });
		const { hints } = await platform.run();
		expect(hints).toStrictEqual([
			expect.stringMatching(
				/^Posts: 1 accepted\. .*<br>Waited 1(\.\d)? seconds?, because the platform reported a rate limit once\.$/,
			),
		]);
	});

	test('counts the time once when several items wait together', async () => {
		limit({ retryAfter: 1, times: 5 });
		const { hints } = await platform.run(eachText(), { items: itemsOf(5) });
		const [, seconds] = /Waited ([\d.]+) seconds?/.exec(hints[0]!)!;
		// If the items waited one after the other, they would take 5 seconds.
		expect(Number(seconds)).toBeLessThan(4.5);
	});

	test('sends all posts within the quota of the platform', async () => {
		platform.emulator.adjust({ requestsPerSecond: 8 });
		const { error } = await platform.run(eachText(), { items: itemsOf(12) });
		expect(error).toBeUndefined();
		expect(new Set(textsOf(platform.emulator.posts)).size).toBe(12);
		expect(platform.emulator.posts).toHaveLength(12);
	});
});
