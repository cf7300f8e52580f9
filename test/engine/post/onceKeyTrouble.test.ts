import { setTimeout as sleep } from 'node:timers/promises';
import { KeyStage, keyed } from '../harness/keyStage';
import { retryOf } from '../harness/ledgerOf';
import { jsonOf } from '../harness/manyPosts';

const stage = KeyStage.aroundTests();

const fault = (kind: 'server-error-after' | 'reset-before' | 'refused', more = {}) =>
	stage.platform.emulator.fault({ kind, operation: 'createPost', ...more });
const away = (during: 'check' | 'remove') => {
	stage.seen.before = (kind) => {
		if (kind === during) throw new Error('the database is away');
	};
};

describe('Deduplication Key with an unknown outcome', () => {
	const note = "Not posted, because the key 'a' was sent before and its outcome is unknown.";

	test('keeps the key, and reports it in the next execution', async () => {
		fault('server-error-after');
		expect((await stage.run(keyed('a'))).error).toBeDefined();
		const result = await stage.run(keyed('a'));
		expect(stage.created).toHaveLength(1);
		expect(jsonOf(result)).toStrictEqual([
			{ skipped: true, note, key: 'a', first: { outcome: 'unknown' } },
		]);
	});

	test('resends the post only with Resend If Outcome Unknown (May Duplicate)', async () => {
		fault('reset-before');
		await stage.run(keyed('a'));
		const result = await stage.run(keyed('a'), { resendUnknown: true });
		expect(jsonOf(result)[0]).toMatchObject({ action_sn: stage.posts[0]!.action_sn });
		const after = await stage.run(keyed('a'), { resendUnknown: true });
		expect(jsonOf(after)[0]).toMatchObject({ skipped: true, first: { outcome: 'accepted' } });
		expect(stage.created).toHaveLength(2);
	});

	test('keeps the key when the post is sent again and refused', async () => {
		fault('server-error-after');
		await stage.run(keyed('a'));
		fault('refused');
		await stage.run(keyed('a'), { resendUnknown: true });
		const result = await stage.run(keyed('a'));
		expect(stage.posts).toHaveLength(1);
		expect(jsonOf(result)).toMatchObject([{ skipped: true, first: { outcome: 'unknown' } }]);
	});

	test('keeps the key when the execution is retried and the post is refused', async () => {
		fault('server-error-after');
		const first = await stage.run(keyed('a'));
		fault('refused');
		await stage.run(keyed('a'), { resendUnknown: true }, retryOf(first));
		const result = await stage.run(keyed('a'));
		expect(stage.created).toHaveLength(2);
		expect(jsonOf(result)).toMatchObject([{ skipped: true, first: { outcome: 'unknown' } }]);
	});
});

/** Milliseconds after which the outcome of a key is recorded again. */
const aMoment = async () => await sleep(1_500);

describe('Deduplication Key after a refusal', () => {
	/** Posts 'a', which is refused, while another process writes back an earlier list. */
	async function refusedAndWrittenBack(): Promise<void> {
		const before: string[] = [];
		stage.seen.before = (kind) => {
			if (kind === 'remove') before.push(...(stage.listOf('n:Post') ?? []));
			stage.seen.before = kind === 'remove' ? () => {} : stage.seen.before;
		};
		fault('refused');
		await stage.run(keyed('a'));
		expect(before).toHaveLength(5);
		stage.listOf('n:Post')!.push(...before);
	}

	test('frees the key although another process overwrites the list', async () => {
		await refusedAndWrittenBack();
		await aMoment();
		await stage.run(keyed('a'));
		expect(stage.posts).toHaveLength(1);
	});

	test('keeps the key when it was taken again meanwhile', async () => {
		fault('refused');
		await stage.run(keyed('a'));
		fault('server-error-after');
		await stage.run(keyed('a'));
		await aMoment();
		expect(jsonOf(await stage.run(keyed('a')))[0]).toMatchObject({ skipped: true });
		expect(stage.posts).toHaveLength(1);
	});
});

describe("Deduplication Key when n8n's database fails", () => {
	test('sends nothing when the key cannot be looked up, and says so', async () => {
		away('check');
		const { error } = await stage.run(keyed('a', 'b'));
		expect(error).toMatchObject({
			message: "Nothing was sent: n8n could not look up 'Deduplication Key' in its database",
			description: expect.stringContaining('the database is away'),
		});
		expect(stage.platform.emulator.received).toStrictEqual([]);
		stage.seen.before = () => {};
		expect((await stage.run(keyed('a', 'b'))).error).toBeUndefined();
		expect(stage.posts).toHaveLength(2);
	});

	test('outputs an accepted post when its outcome cannot be recorded', async () => {
		away('remove');
		const result = await stage.run(keyed('a'));
		expect(result.error).toBeUndefined();
		expect(jsonOf(result)[0]).toMatchObject({ action_sn: stage.posts[0]!.action_sn });
		stage.seen.before = () => {};
		const again = await stage.run(keyed('a'));
		expect(jsonOf(again)[0]).toMatchObject({ skipped: true });
		expect(stage.posts).toHaveLength(1);
	});

	test('remembers in this process an accepted post that could not be recorded', async () => {
		away('remove');
		await stage.run(keyed('a'));
		stage.seen.before = () => {};
		await stage.run(keyed('a'), { resendUnknown: true });
		expect(stage.posts).toHaveLength(1);
	});

	test('reports a refusal when the key cannot be freed, and frees it a moment later', async () => {
		away('remove');
		fault('refused', { message: 'no' });
		expect((await stage.run(keyed('a'))).error!.message).toContain('“no”');
		stage.seen.before = () => {};
		expect((await stage.run(keyed('a'))).error).toBeUndefined();
		expect(stage.posts).toHaveLength(1);
	});

	test('keeps an accepted key accepted when the database fails after a look-up', async () => {
		await stage.run(keyed('a'));
		away('remove');
		await stage.run(keyed('a'));
		stage.seen.before = () => {};
		const result = await stage.run(keyed('a'));
		expect(jsonOf(result)).toMatchObject([{ skipped: true, first: { outcome: 'accepted' } }]);
	});

	test('frees a key a moment later when it cannot be confirmed', async () => {
		let checks = 0;
		stage.seen.before = (kind) => {
			// The first change succeeds, the next two fail.
			if (kind === 'check' && ++checks > 1 && checks <= 3) throw new Error('the database is away');
		};
		const { error } = await stage.run(keyed('a'));
		expect(error).toMatchObject({ context: { data: { outcome: 'not_sent' } } });
		await aMoment();
		expect(stage.listOf('n:Post')).toStrictEqual([]);
		await stage.run(keyed('a'));
		expect(stage.posts).toHaveLength(1);
	});

	test('sends the other posts when the node continues on errors', async () => {
		let checks = 0;
		stage.seen.before = (kind) => {
			// Each change is attempted twice.
			if (kind === 'check' && ++checks <= 2) throw new Error('the database is away');
		};
		const more = { onError: 'continueRegularOutput' as const };
		const options = { maxConcurrentRequests: 1 };
		const result = await stage.run(keyed(...'abcdef'), options, more);
		const failed = jsonOf(result).filter(({ error }) => error).length;
		expect(failed).toBeGreaterThan(0);
		expect(stage.posts).toHaveLength(6 - failed);
		expect(stage.posts.length).toBeGreaterThan(0);
	});
});
