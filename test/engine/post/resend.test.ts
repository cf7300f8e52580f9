import { ledgerOf, retryOf, retryOnFail, statesOf } from '../harness/ledgerOf';
import { eachText, itemsOf, textOf, textsOf } from '../harness/manyPosts';
import { usePosts } from './postSetup';

const { platform, created, posts, fault } = usePosts();

const options = { resendUnknown: true };

describe('Resend If Outcome Unknown', () => {
	test('resends a post of unknown outcome', async () => {
		fault('reset-after');
		const result = await platform.run({ options }, { settings: retryOnFail });
		expect(result.error).toBeUndefined();
		expect(created()).toHaveLength(2);
		expect(statesOf(result)).toStrictEqual({ '0:0': 'accepted' });
	});

	test('does not resend accepted posts when it is enabled for a retry', async () => {
		const text = '={{ $json.text + " at " + $now.toMillis() }}';
		const items = itemsOf(2);
		fault('reset-before', { bodyHas: textOf(1) });
		const first = await platform.run({ text }, { items });
		await platform.run({ text, options }, { items, ...retryOf(first) });
		expect(posts()).toHaveLength(2);
	});

	const disconnect = () => {
		Object.assign(platform.store.stored.get('1')!, { baseUrl: 'http://127.0.0.1:1' });
	};

	test.each([
		['the platform refuses it', () => fault('refused'), 2],
		['the platform limits the rate', () => fault('rate-limited-429'), 2],
		['n8n cannot connect', disconnect, 1],
	])('keeps the outcome unknown when %s', async (_, prevent, requests) => {
		fault('server-error-after');
		const first = await platform.run();
		prevent();
		const wait = { ...options, rateLimitWait: 0 };
		const second = await platform.run({ options: wait }, retryOf(first));
		expect(created()).toHaveLength(requests);
		const { clues, reason } = ledgerOf(first.contextData)['0:0']!;
		expect(second.error).toMatchObject({
			message: `It is not known whether the platform accepted the post: ${String(reason)}`,
			description: expect.stringContaining('This attempt did not publish it') as string,
			context: { data: { outcome: 'unknown', reason, ...Object(clues) } },
		});
		expect(ledgerOf(second.contextData)).toMatchObject({
			'0:0': { state: 'unknown', clues, reason },
		});
		const third = await platform.run({}, retryOf(second));
		expect(third.error).toMatchObject({ context: { data: { outcome: 'unknown' } } });
		expect(created()).toHaveLength(requests);
	});

	test('keeps the outcome unknown, and sends the other posts', async () => {
		const oneByOne = { maxConcurrentRequests: 1 };
		const more = { items: itemsOf(3) };
		fault('server-error-after', { bodyHas: textOf(0) });
		const first = await platform.run(eachText(oneByOne), more);
		fault('refused', { bodyHas: textOf(0) });
		const resend = eachText({ ...oneByOne, ...options });
		const second = await platform.run(resend, { ...more, ...retryOf(first) });
		expect(second.error).toMatchObject({
			description: expect.stringContaining('Posts: 2 accepted, 1 unknown.') as string,
			context: { data: { outcome: 'unknown', item_index: 0 } },
		});
		expect(textsOf(created())).toStrictEqual([0, 0, 1, 2].map(textOf));
	});
});
