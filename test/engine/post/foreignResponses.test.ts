import { eachText, itemsOf } from '../harness/manyPosts';
import { startCustomPlatform, type CustomPlatform } from '../harness/customPlatform';
import { type Platform, useShortTokenWaits, withPlatform } from '../harness/platform';

useShortTokenWaits();

const page = '<!doctype html><title>Gateway</title>';

interface Gateway {
	platform: Platform;
	custom: CustomPlatform;
	/** Answers each post with a page. */
	answerWithPage: (status: number) => void;
	/** The times of the posts. */
	times: number[];
}

/** Returns a test with a platform of its own. Tests that wait run at the same time. */
const withGateway = (run: (gateway: Gateway) => Promise<void>) =>
	withPlatform(async (platform) => {
		const custom = await startCustomPlatform(platform);
		const times: number[] = [];
		const answerWithPage = (status: number) => {
			custom.post = (_, response) => {
				times.push(performance.now());
				response.writeHead(status, { 'retry-after': '0' }).end(page);
			};
		};
		await run({ platform, custom, answerWithPage, times }).finally(custom.stop);
	});

describe('A response without the format of the platform', () => {
	test.concurrent(
		'with HTTP 429 is followed by two more sends, whatever Retry-After says',
		withGateway(async ({ platform, answerWithPage, times }) => {
			answerWithPage(429);
			const { error } = await platform.run();
			expect(error!.context.data).toMatchObject({ outcome: 'refused', http_status: 429 });
			const [first = 0, second = 0, third = 0] = times;
			expect(times).toHaveLength(3);
			expect(second - first).toBeGreaterThanOrEqual(990);
			expect(third - second).toBeGreaterThanOrEqual(1_990);
		}),
	);

	test.concurrent(
		'with HTTP 429 to a token exchange is followed by two more exchanges',
		withGateway(async ({ platform, custom }) => {
			custom.exchange = (response) => void response.writeHead(429).end(page);
			const { error } = await platform.run();
			expect(error!.context.data).toMatchObject({ outcome: 'not_sent' });
			expect(custom.exchanges()).toHaveLength(3);
		}),
	);

	test(
		'with HTTP 401 is followed by one more token, and ends a run with many items',
		withGateway(async ({ platform, custom, answerWithPage, times }) => {
			answerWithPage(401);
			const settings = { onError: 'continueRegularOutput' } as const;
			await platform.run(eachText(), { items: itemsOf(20), settings });
			expect(custom.exchanges().length).toBeLessThanOrEqual(3);
			expect(times.length).toBeLessThanOrEqual(12);
		}),
	);
});
