import type { FaultKind } from '../../emulator';
import { KeySetup, keyed } from '../harness/keySetup';
import { retryOf, statesOf } from '../harness/ledgerOf';
import { jsonOf } from '../harness/manyPosts';

const setup = KeySetup.forEachTest();

const fault = (kind: FaultKind, more = {}) =>
	setup.platform.emulator.fault({ kind, operation: 'createPost', ...more });
const failDuring = (during: 'check' | 'remove') => {
	setup.deduplication.before = (kind) => {
		if (kind === during) throw new Error('the database is not available');
	};
};

describe('Deduplication Key with an unknown outcome', () => {
	const unknown = {
		message:
			'It is not known whether the platform accepted the post: it, or another post with the same key, was sent before, and no usable response arrived',
		description: [
			'Check on the platform whether account acc_1 has a post that begins “post 00.”.',
			'It was not sent again.',
			"If the platform does not have it, use 'Clear Deduplication Keys', or turn on 'Resend If Outcome Unknown', and send it again.",
		].join('\n'),
		context: { data: { outcome: 'unknown', key: 'a', social_account_id: 'acc_1' } },
	};

	test('keeps the key, and fails in the next execution without sending the post', async () => {
		fault('server-error-after');
		expect((await setup.run(keyed('a'))).error).toBeDefined();
		expect((await setup.run(keyed('a'))).error).toMatchObject(unknown);
		expect(setup.created).toHaveLength(1);
	});

	test('leads the item to the error output, and sends the other posts', async () => {
		fault('server-error-after');
		await setup.run(keyed('a'));
		const more = { onError: 'continueErrorOutput' as const };
		const { outputs } = await setup.run(keyed('a', 'b'), {}, more);
		expect(outputs.map((items) => items.length)).toStrictEqual([1, 1]);
		expect(outputs[1]![0]!.json).toMatchObject({ details: { outcome: 'unknown', key: 'a' } });
		expect(setup.created).toHaveLength(2);
	});

	test('resends the post only with Resend If Outcome Unknown', async () => {
		fault('reset-before');
		await setup.run(keyed('a'));
		const result = await setup.run(keyed('a'), { resendUnknown: true });
		expect(jsonOf(result)[0]).toMatchObject({ action_sn: setup.posts[0]!.action_sn });
		const after = await setup.run(keyed('a'), { resendUnknown: true });
		expect(jsonOf(after)[0]).toMatchObject({ skipped: true });
		expect(setup.created).toHaveLength(2);
	});

	test('reports that the outcome is still unknown when the resend is refused', async () => {
		fault('server-error-after');
		await setup.run(keyed('a'));
		fault('refused');
		const second = await setup.run(keyed('a'), { resendUnknown: true });
		expect(second.error).toMatchObject({
			message: expect.stringContaining('It is not known whether the platform accepted') as string,
			description: expect.stringContaining('This attempt did not publish it') as string,
			context: { data: { outcome: 'unknown', social_account_id: 'acc_1' } },
		});
		expect(statesOf(second)).toStrictEqual({ '0:0': 'unknown' });
		const third = await setup.run(keyed('a'), {}, retryOf(second));
		expect(third.error).toMatchObject({ context: { data: { outcome: 'unknown' } } });
		const later = await setup.run(keyed('a'));
		expect(later.error).toMatchObject({ context: { data: { outcome: 'unknown' } } });
		expect(setup.created).toHaveLength(2);
	});

	test('reports that the outcome is still unknown when n8n cannot look up the key', async () => {
		fault('server-error-after');
		const first = await setup.run(keyed('a'));
		failDuring('check');
		const second = await setup.run(keyed('a'), { resendUnknown: true }, retryOf(first));
		expect(second.error).toMatchObject({
			description: expect.stringContaining('the database is not available') as string,
			context: { data: { outcome: 'unknown' } },
		});
		expect(setup.created).toHaveLength(1);
	});
});

describe("Deduplication Key when n8n's database fails", () => {
	test('sends nothing when the key cannot be looked up, and reports it', async () => {
		failDuring('check');
		const { error } = await setup.run(keyed('a', 'b'));
		expect(error).toMatchObject({
			message: 'Nothing was sent: n8n could not read or change its list of keys in its database',
			description: expect.stringContaining('the database is not available'),
		});
		expect(setup.platform.emulator.received).toStrictEqual([]);
		setup.deduplication.before = () => {};
		expect((await setup.run(keyed('a', 'b'))).error).toBeUndefined();
		expect(setup.posts).toHaveLength(2);
	});

	test('outputs an accepted post when its outcome cannot be recorded', async () => {
		failDuring('remove');
		const result = await setup.run(keyed('a'));
		expect(result.error).toBeUndefined();
		expect(jsonOf(result)[0]).toMatchObject({ action_sn: setup.posts[0]!.action_sn });
		setup.deduplication.before = () => {};
		const again = await setup.run(keyed('a'));
		expect(jsonOf(again)[0]).toMatchObject({ skipped: true });
		expect(setup.posts).toHaveLength(1);
	});

	test('remembers in this process an accepted post that could not be recorded', async () => {
		failDuring('remove');
		await setup.run(keyed('a'));
		setup.deduplication.before = () => {};
		await setup.run(keyed('a'), { resendUnknown: true });
		expect(setup.posts).toHaveLength(1);
	});

	test('reports a refusal when the key cannot be freed at once, and frees it later', async () => {
		failDuring('remove');
		fault('refused', { message: 'no' });
		expect((await setup.run(keyed('a'))).error!.message).toContain('“no”');
		setup.deduplication.before = () => {};
		expect((await setup.run(keyed('a'))).error).toBeUndefined();
		expect(setup.posts).toHaveLength(1);
	});

	test('keeps an accepted key when the database fails after the key was looked up', async () => {
		await setup.run(keyed('a'));
		failDuring('remove');
		await setup.run(keyed('a'));
		setup.deduplication.before = () => {};
		const result = await setup.run(keyed('a'));
		expect(jsonOf(result)).toMatchObject([{ skipped: true }]);
	});

	test('sends the other posts when the node continues on errors', async () => {
		let checks = 0;
		setup.deduplication.before = (kind) => {
			// Each change is attempted twice.
			if (kind === 'check' && ++checks <= 2) throw new Error('the database is not available');
		};
		const more = { onError: 'continueRegularOutput' as const };
		const options = { maxConcurrentRequests: 1 };
		const result = await setup.run(keyed(...'abcdef'), options, more);
		const failed = jsonOf(result).filter(({ error }) => error).length;
		expect(failed).toBeGreaterThan(0);
		expect(setup.posts).toHaveLength(6 - failed);
		expect(setup.posts.length).toBeGreaterThan(0);
	});
});
