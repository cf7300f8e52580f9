import { KeySetup, keyed } from '../harness/keySetup';
import { retryOf, statesOf } from '../harness/ledgerOf';
import { jsonOf } from '../harness/manyPosts';
import { postsOf } from './postSetup';

const setup = KeySetup.forEachTest();
const { platform, created, posts, fault } = postsOf(setup.platform);

describe('Deduplication Key with an unknown outcome', () => {
	test('keeps the key, and fails in the next execution without sending the post', async () => {
		fault('server-error-after');
		expect((await setup.run(keyed('a'))).error).toBeDefined();
		expect((await setup.run(keyed('a'))).error).toMatchObject({
			message:
				'It is not known whether the platform accepted the post: it, or another post with the same key, was sent before or is still being sent, and no usable response arrived',
			description: [
				'Check on the platform whether account acc_1 has a post that begins “post 00.”.',
				'It was not sent again.',
				"If the platform does not have it and no execution is still sending it, use 'Clear Deduplication Keys' and start the workflow again, or turn on 'Resend If Outcome Unknown' and send it again.",
			].join('\n'),
			context: { data: { outcome: 'unknown', key: 'a', social_account_id: 'acc_1' } },
		});
		expect(created()).toHaveLength(1);
	});

	test('resends the post only with Resend If Outcome Unknown', async () => {
		fault('reset-before');
		await setup.run(keyed('a'));
		const result = await setup.run(keyed('a'), { resendUnknown: true });
		expect(jsonOf(result)[0]).toMatchObject({ action_sn: posts()[0]!.action_sn });
		const after = await setup.run(keyed('a'), { resendUnknown: true });
		expect(jsonOf(after)[0]).toMatchObject({ skipped: true });
		expect(created()).toHaveLength(2);
	});

	test('stays unknown in a retry without Resend If Outcome Unknown after a new execution has posted it', async () => {
		fault('reset-before');
		const first = await setup.run(keyed('a'));
		expect((await setup.run(keyed('a'), { resendUnknown: true })).error).toBeUndefined();
		const { error } = await setup.run(keyed('a'), {}, retryOf(first));
		expect(error).toMatchObject({ context: { data: { outcome: 'unknown', key: 'a' } } });
		const resending = await setup.run(keyed('a'), { resendUnknown: true }, retryOf(first));
		expect(jsonOf(resending)[0]).toMatchObject({ skipped: true });
		expect(created()).toHaveLength(2);
	});

	test('reports that the outcome is still unknown when the resend is refused', async () => {
		fault('server-error-after');
		await setup.run(keyed('a'));
		fault('refused');
		const second = await setup.run(keyed('a'), { resendUnknown: true });
		const unknown = { context: { data: { outcome: 'unknown', social_account_id: 'acc_1' } } };
		expect(second.error).toMatchObject({
			message: expect.stringContaining('It is not known whether the platform accepted') as string,
			description: expect.stringContaining('This attempt did not publish it') as string,
			...unknown,
		});
		expect(statesOf(second)).toStrictEqual({ '0:0': 'unknown' });
		expect((await setup.run(keyed('a'), {}, retryOf(second))).error).toMatchObject(unknown);
		expect((await setup.run(keyed('a'))).error).toMatchObject(unknown);
		expect(created()).toHaveLength(2);
	});
});

describe("Deduplication Key when n8n's database fails", () => {
	/** Runs the node while changes of one kind fail. */
	const runWhileFailing = async (during: 'check' | 'remove', ...keys: string[]) => {
		setup.deduplication.before = (kind) => {
			if (kind === during) throw new Error('the database is not available');
		};
		const result = await setup.run(keyed(...keys));
		setup.deduplication.before = () => {};
		return result;
	};

	test('sends nothing when the key cannot be looked up, and reports it', async () => {
		const { error } = await runWhileFailing('check', 'a', 'b');
		expect(error).toMatchObject({
			message: 'Nothing was sent: n8n could not read or change its list of keys in its database',
			description: expect.stringContaining('the database is not available'),
		});
		expect(platform.emulator.received).toStrictEqual([]);
		expect((await setup.run(keyed('a', 'b'))).error).toBeUndefined();
		expect(posts()).toHaveLength(2);
	});

	test('outputs an accepted post when its outcome cannot be recorded, and does not resend it', async () => {
		const result = await runWhileFailing('remove', 'a');
		expect(jsonOf(result)).toMatchObject([{ action_sn: posts()[0]!.action_sn }]);
		const again = await setup.run(keyed('a'), { resendUnknown: true });
		expect(jsonOf(again)).toMatchObject([{ skipped: true }]);
		expect(posts()).toHaveLength(1);
	});

	test('reports a refusal when the key cannot be freed at once, and frees it later', async () => {
		fault('refused', { message: 'no' });
		expect((await runWhileFailing('remove', 'a')).error!.message).toContain('“no”');
		expect((await setup.run(keyed('a'))).error).toBeUndefined();
		expect(posts()).toHaveLength(1);
	});

	test('keeps an accepted key when the database fails after the key was looked up', async () => {
		await setup.run(keyed('a'));
		await runWhileFailing('remove', 'a');
		expect(jsonOf(await setup.run(keyed('a')))).toMatchObject([{ skipped: true }]);
	});
});
