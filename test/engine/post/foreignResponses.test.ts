import { eachText, itemsOf } from '../harness/manyPosts';
import { startCustomPlatform, respond, type CustomPlatform } from '../harness/customPlatform';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

let custom: CustomPlatform;
beforeEach(async () => (custom = await startCustomPlatform(platform)));
afterEach(async () => await custom.stop());

const page = '<!doctype html><title>Gateway</title>';

/** Answers each post with a page. */
const answerWithPage = (status: number) => {
	custom.post = (_, response) => void response.writeHead(status).end(page);
};

const outcomeOf = async () => (await platform.run()).error!.context.data;

describe('A response without the format of the platform', () => {
	test('with HTTP 429 is followed by two more sends, whatever Retry-After says', async () => {
		const times: number[] = [];
		custom.post = (_, response) => {
			times.push(performance.now());
			response.writeHead(429, { 'retry-after': '0' }).end(page);
		};
		expect(await outcomeOf()).toMatchObject({ outcome: 'refused', http_status: 429 });
		const gaps = times.slice(1).map((time, index) => time - times[index]!);
		expect(gaps).toStrictEqual([expect.any(Number), expect.any(Number)]);
		expect(gaps[0]).toBeGreaterThanOrEqual(990);
		expect(gaps[1]).toBeGreaterThanOrEqual(1_990);
	});

	test('with HTTP 429 to a token exchange is followed by two more exchanges', async () => {
		custom.exchange = (response) => void response.writeHead(429).end(page);
		expect(await outcomeOf()).toMatchObject({ outcome: 'not_sent' });
		expect(custom.exchanges()).toHaveLength(3);
	});

	test('with HTTP 401 is followed by one more token, and ends a run with many items', async () => {
		answerWithPage(401);
		await platform.run(eachText(), {
			items: itemsOf(20),
			settings: { onError: 'continueRegularOutput' },
		});
		expect(custom.exchanges().length).toBeLessThanOrEqual(3);
		expect(custom.posts().length).toBeLessThanOrEqual(12);
	});

	test.each([
		[403, /a firewall or proxy refused it/],
		[407, /a proxy requires a login/],
	])('with HTTP %i names proxy and firewall, not the platform', async (status, reason) => {
		answerWithPage(status);
		const { error } = await platform.run();
		expect(error!.message).toMatch(reason);
		expect(error!.description).not.toMatch(/support|console/);
	});
});

test.each([
	{ code: 5017, message: '操作过于频繁, it has been queued' },
	{ code: 5018, message: 'Too many requests' },
	{ message: 'Rate limit reached' },
])('A refusal whose message reads like a rate limit is not sent again: %j', async (refusal) => {
	custom.post = (_, response) => void respond(response, 200, { success: false, ...refusal });
	const { error } = await platform.run();
	expect(error!.context.data).toMatchObject({ outcome: 'refused' });
	expect(error!.description).toContain('Rate-Limit Codes');
	expect(custom.posts()).toHaveLength(1);
});

test.each([
	{ action_sn: 'sn_1' },
	{ data: { post: { social_post_id: 5 } } },
	{ data: [{ action_sn: 'sn_1' }] },
	{ result: { action: { action_sn: 'sn_1' } } },
])('A refusal with the ID of a post is unknown, and is not sent again: %j', async (more) => {
	custom.post = (_, response) =>
		void respond(response, 429, { success: false, code: 429, ...more });
	expect(await outcomeOf()).toMatchObject({ outcome: 'unknown' });
	expect(custom.posts()).toHaveLength(1);
});

test('A refusal with a message of almost 4 MB is read in little time', async () => {
	const message = 'x'.repeat(3.9 * 2 ** 20);
	custom.post = (_, response) => void respond(response, 200, { success: false, message });
	await platform.run();
	const from = performance.now();
	expect(await outcomeOf()).toMatchObject({ outcome: 'refused' });
	// Reading takes some 100 ms. Visiting each character would take many seconds.
	expect(performance.now() - from).toBeLessThan(3_000);
});
