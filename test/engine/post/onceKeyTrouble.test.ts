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

describe('A key whose post may be out', () => {
	const note =
		"Not posted, because the key 'a' was sent before, and no answer told what came of it.";

	test('stays taken, and the next execution says so', async () => {
		fault('server-error-after');
		expect((await stage.run(keyed('a'))).error).toBeDefined();
		const result = await stage.run(keyed('a'));
		expect(stage.created).toHaveLength(1);
		expect(jsonOf(result)).toStrictEqual([
			{ skipped: true, note, key: 'a', first: { outcome: 'unknown' } },
		]);
	});

	test('is sent again with Resend If Outcome Unknown, and only then', async () => {
		fault('reset-before');
		await stage.run(keyed('a'));
		const result = await stage.run(keyed('a'), { resendUnknown: true });
		expect(jsonOf(result)[0]).toMatchObject({ action_sn: stage.posts[0]!.action_sn });
		const after = await stage.run(keyed('a'), { resendUnknown: true });
		expect(jsonOf(after)[0]).toMatchObject({ skipped: true, first: { outcome: 'accepted' } });
		expect(stage.created).toHaveLength(2);
	});

	test('stays taken when it is sent again and refused', async () => {
		fault('server-error-after');
		await stage.run(keyed('a'));
		fault('refused');
		await stage.run(keyed('a'), { resendUnknown: true });
		const result = await stage.run(keyed('a'));
		expect(stage.posts).toHaveLength(1);
		expect(jsonOf(result)).toMatchObject([{ skipped: true, first: { outcome: 'unknown' } }]);
	});

	test('stays taken when the execution that sent it is retried and it is refused', async () => {
		fault('server-error-after');
		const first = await stage.run(keyed('a'));
		fault('refused');
		await stage.run(keyed('a'), { resendUnknown: true }, retryOf(first));
		const result = await stage.run(keyed('a'));
		expect(stage.created).toHaveLength(2);
		expect(jsonOf(result)).toMatchObject([{ skipped: true, first: { outcome: 'unknown' } }]);
	});
});

/** After that, what became of a key is noted once more. */
const aMoment = async () => await sleep(1_500);

describe('A key that is free', () => {
	/** Runs 'a', refused, and has another process write back the list as it was meanwhile. */
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

	test('stays free when another process undoes that', async () => {
		await refusedAndWrittenBack();
		await aMoment();
		await stage.run(keyed('a'));
		expect(stage.posts).toHaveLength(1);
	});

	test('and taken again meanwhile stays taken', async () => {
		fault('refused');
		await stage.run(keyed('a'));
		fault('server-error-after');
		await stage.run(keyed('a'));
		await aMoment();
		expect(jsonOf(await stage.run(keyed('a')))[0]).toMatchObject({ skipped: true });
		expect(stage.posts).toHaveLength(1);
	});
});

describe("When n8n's database fails", () => {
	test('to look up a key, nothing is sent, and it says so', async () => {
		away('check');
		const { error } = await stage.run(keyed('a', 'b'));
		expect(error).toMatchObject({
			message: "Nothing was sent: n8n could not look up 'Once Per Key' in its database",
			description: expect.stringContaining('the database is away'),
		});
		expect(stage.platform.emulator.received).toStrictEqual([]);
		stage.seen.before = () => {};
		expect((await stage.run(keyed('a', 'b'))).error).toBeUndefined();
		expect(stage.posts).toHaveLength(2);
	});

	test('to note what became of a post, the post comes out as accepted', async () => {
		away('remove');
		const result = await stage.run(keyed('a'));
		expect(result.error).toBeUndefined();
		expect(jsonOf(result)[0]).toMatchObject({ action_sn: stage.posts[0]!.action_sn });
		stage.seen.before = () => {};
		const again = await stage.run(keyed('a'));
		expect(jsonOf(again)[0]).toMatchObject({ skipped: true });
		expect(stage.posts).toHaveLength(1);
	});

	test('to note it, this process still knows that the post was accepted', async () => {
		away('remove');
		await stage.run(keyed('a'));
		stage.seen.before = () => {};
		await stage.run(keyed('a'), { resendUnknown: true });
		expect(stage.posts).toHaveLength(1);
	});

	test('to free a key, the refusal is told, and the key is free a moment later', async () => {
		away('remove');
		fault('refused', { message: 'no' });
		expect((await stage.run(keyed('a'))).error!.message).toContain('“no”');
		stage.seen.before = () => {};
		expect((await stage.run(keyed('a'))).error).toBeUndefined();
		expect(stage.posts).toHaveLength(1);
	});

	test('after a look-up, a key that was accepted does not become unknown', async () => {
		await stage.run(keyed('a'));
		away('remove');
		await stage.run(keyed('a'));
		stage.seen.before = () => {};
		const result = await stage.run(keyed('a'));
		expect(jsonOf(result)).toMatchObject([{ skipped: true, first: { outcome: 'accepted' } }]);
	});

	test('when the key is already noted, it is free again a moment later', async () => {
		let checks = 0;
		stage.seen.before = (kind) => {
			// Noted once, then looked for in vain, twice.
			if (kind === 'check' && ++checks > 1 && checks <= 3) throw new Error('the database is away');
		};
		const { error } = await stage.run(keyed('a'));
		expect(error).toMatchObject({ context: { data: { outcome: 'not_sent' } } });
		await aMoment();
		expect(stage.listOf('n:Post')).toStrictEqual([]);
		await stage.run(keyed('a'));
		expect(stage.posts).toHaveLength(1);
	});

	test('for one post, the others go on when the node does', async () => {
		let checks = 0;
		stage.seen.before = (kind) => {
			// Each is tried twice.
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
