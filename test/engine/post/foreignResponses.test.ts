import { eachText, itemsOf } from '../harness/manyPosts';
import { startCustomPlatform, type CustomPlatform } from '../harness/customPlatform';
import { usePlatform, useShortTokenWaits } from '../harness/platform';

const platform = usePlatform();
useShortTokenWaits();

let custom: CustomPlatform;
let times: number[];
beforeEach(async () => {
	custom = await startCustomPlatform(platform);
	times = [];
});
afterEach(async () => await custom.stop());

const page = '<!doctype html><title>Gateway</title>';

/** Answers each post with a page. */
const answerWithPage = (status: number) => {
	custom.post = (_, response) => {
		times.push(performance.now());
		response.writeHead(status, { 'retry-after': '0' }).end(page);
	};
};

describe('A response without the format of the platform', () => {
	test('with HTTP 429 is followed by two more sends, whatever Retry-After says', async () => {
		answerWithPage(429);
		const { error } = await platform.run();
		expect(error!.context.data).toMatchObject({ outcome: 'refused', http_status: 429 });
		const [first = 0, second = 0, third = 0] = times;
		expect(times).toHaveLength(3);
		expect(second - first).toBeGreaterThanOrEqual(990);
		expect(third - second).toBeGreaterThanOrEqual(1_990);
	});

	test('with HTTP 429 to a token exchange is followed by two more exchanges', async () => {
		custom.exchange = (response) => void response.writeHead(429).end(page);
		const { error } = await platform.run();
		expect(error!.context.data).toMatchObject({ outcome: 'not_sent' });
		expect(custom.exchanges()).toHaveLength(3);
	});

	test('with HTTP 401 is followed by one more token, and ends a run with many items', async () => {
		answerWithPage(401);
		const settings = { onError: 'continueRegularOutput' } as const;
		await platform.run(eachText(), { items: itemsOf(20), settings });
		expect(custom.exchanges().length).toBeLessThanOrEqual(3);
		expect(times.length).toBeLessThanOrEqual(12);
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
