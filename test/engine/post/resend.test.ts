import type { FaultKind } from '../../emulator';
import { ledgerOf, retryOf, retryOnFail, statesOf } from '../harness/ledgerOf';
import { itemsOf, textOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

const created = () => platform.received('createPost');
const posts = () => platform.emulator.posts;
const fault = (kind: FaultKind, more = {}) =>
	platform.emulator.fault({ kind, operation: 'createPost', ...more });

describe('Resend If Outcome Unknown', () => {
	const options = { resendUnknown: true, timeout: 0.5 };

	test.each(['server-error-before', 'server-error-after', 'reset-after', 'no-answer'] as const)(
		'resends a post of unknown outcome (%s)',
		async (kind) => {
			fault(kind);
			const result = await platform.run({ options }, { settings: retryOnFail });
			expect(result.error).toBeUndefined();
			expect(created()).toHaveLength(2);
			expect(statesOf(result)).toStrictEqual({ '0:0': 'accepted' });
		},
	);

	test('can be enabled for a retry', async () => {
		fault('reset-before');
		const first = await platform.run();
		const again = await platform.run({ options }, retryOf(first));
		expect(again.error).toBeUndefined();
		expect(posts()).toHaveLength(1);
	});

	test('does not resend accepted posts when it is enabled for a retry', async () => {
		const text = '={{ $json.text + " at " + $now.toMillis() }}';
		fault('reset-before', { bodyHas: textOf(1) });
		const first = await platform.run({ text }, { items: itemsOf(2) });
		await platform.run({ text, options }, { items: itemsOf(2), ...retryOf(first) });
		expect(posts()).toHaveLength(2);
	});

	test('does not resend accepted posts', async () => {
		const first = await platform.run({ options });
		await platform.run({ options }, retryOf(first));
		expect(created()).toHaveLength(1);
	});

	test.each(['refused', 'rate-limited-429'] as const)(
		'keeps the outcome unknown when the resent post ends with the fault %s',
		async (kind) => {
			fault('server-error-after');
			const first = await platform.run();
			fault(kind);
			const wait = { ...options, rateLimitWait: 0 };
			const second = await platform.run({ options: wait }, retryOf(first));
			expect(second.error).toMatchObject({ context: { data: { outcome: 'refused' } } });
			const { clues, reason } = ledgerOf(first.contextData)['0:0']!;
			expect(ledgerOf(second.contextData)).toMatchObject({
				'0:0': { state: 'unknown', clues, reason },
			});
			const third = await platform.run({}, retryOf(second));
			expect(third.error).toMatchObject({ context: { data: { outcome: 'unknown' } } });
			expect(created()).toHaveLength(2);
		},
	);
});
