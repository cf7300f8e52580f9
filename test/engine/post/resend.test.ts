import type { FaultKind } from '../../emulator';
import { ledgerOf, retryOf, retryOnFail, statesOf } from '../harness/ledgerOf';
import { eachText, itemsOf, textOf, textsOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { pass, stopClock } from '../harness/clock';
import { until } from '../harness/storage';

const platform = usePlatform();

const created = () => platform.received('createPost');
const posts = () => platform.emulator.posts;
const fault = (kind: FaultKind, more = {}) =>
	platform.emulator.fault({ kind, operation: 'createPost', ...more });

describe('Resend If Outcome Unknown', () => {
	const options = { resendUnknown: true };
	const disconnect = () => {
		Object.assign(platform.store.stored.get('1')!, { baseUrl: 'http://127.0.0.1:1' });
	};

	test('resends a post of unknown outcome', async () => {
		fault('reset-after');
		const result = await platform.run({ options }, { settings: retryOnFail });
		expect(result.error).toBeUndefined();
		expect(created()).toHaveLength(2);
		expect(statesOf(result)).toStrictEqual({ '0:0': 'accepted' });
	});

	test('does not resend accepted posts when it is enabled for a retry', async () => {
		const text = '={{ $json.text + " at " + $now.toMillis() }}';
		fault('reset-before', { bodyHas: textOf(1) });
		const first = await platform.run({ text }, { items: itemsOf(2) });
		await platform.run({ text, options }, { items: itemsOf(2), ...retryOf(first) });
		expect(posts()).toHaveLength(2);
	});

	describe('keeps the outcome unknown', () => {
		test.each([
			['the platform refuses it', () => fault('refused'), 2],
			['the platform limits the rate', () => fault('rate-limited-429'), 2],
			['n8n cannot connect', disconnect, 1],
		])('when the resend fails: %s', async (_, prevent, requests) => {
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

		test('and sends the other posts', async () => {
			fault('server-error-after', { bodyHas: textOf(0) });
			const oneByOne = { maxConcurrentRequests: 1 };
			const more = { items: itemsOf(3) };
			const first = await platform.run(eachText(oneByOne), more);
			fault('refused', { bodyHas: textOf(0) });
			const resend = eachText({ ...oneByOne, resendUnknown: true });
			const second = await platform.run(resend, { ...more, ...retryOf(first) });
			expect(second.error).toMatchObject({
				description: expect.stringContaining('Posts: 2 accepted, 1 unknown.') as string,
				context: { data: { outcome: 'unknown', item_index: 0 } },
			});
			expect(textsOf(created())).toStrictEqual([0, 0, 1, 2].map(textOf));
		});
	});

	describe('is not mentioned as the reason', () => {
		const descriptionOf = (error: unknown) => (error as { description: string }).description;

		test('when the publish time passes while the resend waits for a rate limit', async () => {
			stopClock();
			fault('server-error-after');
			const publishAt = new Date(Date.now() + 60_000).toISOString();
			const scheduled = { publishTime: 'at', publishAt };
			const first = await platform.run(scheduled);
			fault('rate-limited-429', { retryAfter: 0.2 });
			const resend = platform.start({ ...scheduled, options }, retryOf(first));
			await until(() => created()[1]?.status === 429);
			pass(60_001);
			const { error } = await resend.done;
			jest.useRealTimers();
			expect(descriptionOf(error)).toMatch(/\nThis attempt did not publish it\. .*'Publish At'/);
			expect(created()).toHaveLength(2);
		});
	});
});
