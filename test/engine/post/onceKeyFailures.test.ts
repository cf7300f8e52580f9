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
	const note = "Not posted, because the key 'a' was sent before and its outcome is unknown.";

	test('keeps the key, and reports it in the next execution', async () => {
		fault('server-error-after');
		expect((await setup.run(keyed('a'))).error).toBeDefined();
		const result = await setup.run(keyed('a'));
		expect(setup.created).toHaveLength(1);
		expect(jsonOf(result)).toStrictEqual([
			{ skipped: true, note, key: 'a', first: { outcome: 'unknown' } },
		]);
		expect(result.hints[0]).toMatch(/^Posts: 1 skipped because their key was used before\./);
	});

	test('resends the post only with Resend If Outcome Unknown', async () => {
		fault('reset-before');
		await setup.run(keyed('a'));
		const result = await setup.run(keyed('a'), { resendUnknown: true });
		expect(jsonOf(result)[0]).toMatchObject({ action_sn: setup.posts[0]!.action_sn });
		const after = await setup.run(keyed('a'), { resendUnknown: true });
		expect(jsonOf(after)[0]).toMatchObject({ skipped: true, first: { outcome: 'accepted' } });
		expect(setup.created).toHaveLength(2);
	});

	test('reports that the outcome is still unknown when the resend is refused', async () => {
		fault('server-error-after');
		await setup.run(keyed('a'));
		fault('refused');
		const second = await setup.run(keyed('a'), { resendUnknown: true });
		expect(second.error).toMatchObject({
			message: expect.stringContaining('It is not known whether the platform accepted') as string,
			description: expect.stringContaining('Sending it again did not succeed') as string,
			context: { data: { outcome: 'unknown', social_account_id: 'acc_1' } },
		});
		expect(statesOf(second)).toStrictEqual({ '0:0': 'unknown' });
		const third = await setup.run(keyed('a'), {}, retryOf(second));
		expect(third.error).toMatchObject({ context: { data: { outcome: 'unknown' } } });
		const later = await setup.run(keyed('a'));
		expect(jsonOf(later)).toMatchObject([{ skipped: true, first: { outcome: 'unknown' } }]);
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
		expect(jsonOf(result)).toMatchObject([{ skipped: true, first: { outcome: 'accepted' } }]);
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
