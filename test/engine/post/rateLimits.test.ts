import type { FaultSpec } from '../../emulator';
import { eachText, itemsOf, jsonOf, spanOf } from '../harness/manyPosts';
import { type Platform, withPlatform } from '../harness/platform';
import { postsOf } from './postSetup';

const postsAndLimit = (platform: Platform) => {
	const posts = postsOf(platform);
	const limit = (more: Partial<FaultSpec> = {}) => posts.fault('rate-limited-429', more);
	return { ...posts, limit };
};

/** Returns a test with a platform of its own. The tests wait, so they run at the same time. */
const withPosts = (run: (posts: ReturnType<typeof postsAndLimit>) => Promise<void>) =>
	withPlatform(async (platform) => await run(postsAndLimit(platform)));

describe('Create after a rate limit', () => {
	test.concurrent(
		'resends the post after the time in Retry-After',
		withPosts(async ({ platform, created, posts, limit }) => {
			limit({ retryAfter: 1.6 });
			const result = await platform.run();
			expect(jsonOf(result)).toMatchObject([{ status: 'processing' }]);
			expect(created()).toHaveLength(2);
			expect(spanOf(created())).toBeGreaterThanOrEqual(1_590);
			expect(posts()).toHaveLength(1);
			expect(result.hints).toStrictEqual([
				expect.stringMatching(
					/^Posts: 1 accepted\. .*<br>Waited [1-9](\.\d)? s for the platform's rate limit\.$/,
				),
			]);
		}),
	);

	test.concurrent(
		"resends the post after one of the credential's Rate-Limit Codes",
		withPosts(async ({ platform, created, fault }) => {
			platform.credential.rateLimitCodes = '4711, 4712';
			fault('refused', { code: 4712, message: '系统繁忙', times: 2 });
			const { error } = await platform.run({ options: { rateLimitWait: 0 } });
			expect(error).toMatchObject({
				message: 'The platform refused the post: too many requests (code 4712: “系统繁忙”)',
				description: expect.stringMatching(
					/^The request had no effect\. Wait a moment, then retry\.(\nRequest ID: .+)?$/,
				),
				failure: { cause: 'rate-limited' },
			});
			expect((await platform.run()).hints[0]).toContain('1 accepted');
			expect(created()).toHaveLength(3);
		}),
	);

	test.concurrent.each([
		['another code', { code: 4713, message: '系统繁忙' }],
		['a message that reads like a rate limit', { message: 'Too many requests' }],
	])('does not resend the post after %s', async (_, more) => {
		await withPosts(async ({ platform, created, fault }) => {
			fault('refused', more);
			expect((await platform.run()).error!.context.data).toMatchObject({ outcome: 'refused' });
			expect(created()).toHaveLength(1);
		})();
	});

	test.concurrent(
		'reports refused at once when Wait for Rate Limits is 0',
		withPosts(async ({ platform, created, limit }) => {
			limit({ retryAfter: 30 });
			const { error } = await platform.run({ options: { rateLimitWait: 0 } });
			expect(error).toMatchObject({
				message: expect.stringContaining('too many requests'),
				context: { data: { outcome: 'refused', http_status: 429 } },
				failure: { cause: 'rate-limited', retryAfterMs: 30_000 },
			});
			expect(created()).toHaveLength(1);
		}),
	);

	test.concurrent(
		'reports refused at once when the platform asks for a longer wait than allowed',
		withPosts(async ({ platform, created, limit }) => {
			limit({ retryAfter: 3 });
			const { error, hints } = await platform.run({ options: { rateLimitWait: 2.9 } });
			expect(error).toMatchObject({
				description: expect.stringContaining('The platform asks you to wait: Retry-After 3.'),
				context: { data: { outcome: 'refused', http_status: 429, retry_after: '3' } },
			});
			expect(created()).toHaveLength(1);
			expect(hints).toStrictEqual([]);
		}),
	);

	test.concurrent(
		'waits no longer in total than allowed',
		withPosts(async ({ platform, created, limit }) => {
			limit({ retryAfter: 0.1, times: Infinity });
			const { error } = await platform.run({ options: { rateLimitWait: 3.5 } });
			expect(error!.context.data).toMatchObject({ outcome: 'refused', retry_after: '0.1' });
			expect(created()).toHaveLength(3);
		}),
	);
});

describe('A run with rate limits', () => {
	test.concurrent(
		'counts the time once when several items wait together',
		withPosts(async ({ platform, limit }) => {
			for (const { text } of itemsOf(5)) limit({ retryAfter: 1, bodyHas: text as string });
			const { hints } = await platform.run(eachText(), { items: itemsOf(5) });
			const [, seconds] = /Waited ([\d.]+) s /.exec(hints[0]!)!;
			// If the items waited one after the other, they would take 5 seconds.
			expect(Number(seconds)).toBeLessThan(4.5);
		}),
	);
});
