import { sleep, type IExecuteFunctions } from 'n8n-workflow';
import { KeyClaim, KeyRecheck } from '../../nodes/SocialOpenPlatform/actions/post/keys/keyClaim';
import {
	KeyHistory,
	type ClaimedKey,
} from '../../nodes/SocialOpenPlatform/actions/post/keys/keyHistory';
import { KeyList, type ListAccess } from '../../nodes/SocialOpenPlatform/actions/post/keys/keyList';
import { notSent } from '../../nodes/SocialOpenPlatform/transport/outcome';
import { pass, settled, useVirtualTime } from './virtualTime';

useVirtualTime();

const never = new Promise<never>(() => {});

/** A list that several processes read and write back without a lock, like n8n's. */
class SharedEntries {
	entries: string[] = [];

	/** Maximum duration of a change in milliseconds. */
	maxMs = 20;

	/** Called before each change. It may throw an error, as a database does. */
	before: (kind: 'add' | 'remove') => void = () => {};

	/** Called after each change of the list with its former entries. */
	changed: (before: string[]) => void = () => {};

	readonly access = this.accessUntil(Infinity);

	/** Returns a claim with a list of its own, as in another process. */
	claim(access = this.access): KeyClaim {
		return new KeyClaim(new KeyList(), access, 'test', 'a');
	}

	/** Returns the access of a process that is killed right after this number of changes. */
	accessUntil(killedAfter: number): ListAccess {
		let changes = 0;
		const change = async (kind: 'add' | 'remove', make: (entries: string[]) => string[]) => {
			if (++changes > killedAfter) await never;
			await this.change(kind, make);
			if (changes === killedAfter) await never;
		};
		const helpers = {
			checkProcessedAndRecord: async (items: string[]) => {
				let added: string[] = [];
				await change('add', (entries) => {
					added = items.filter((item) => !entries.includes(item));
					return [...entries, ...added];
				});
				return { new: added, processed: [] };
			},
			removeProcessed: async (items: string[]) =>
				await change('remove', (entries) => entries.filter((entry) => !items.includes(entry))),
		};
		return { scope: 'node', size: 10, helpers } as unknown as ListAccess;
	}

	/** The kinds of the entries in the list. */
	get kinds(): string[] {
		return this.entries
			.map((entry) => entry.replace('social-open-platform', '').split(' ')[1]!)
			.sort();
	}

	private async change(kind: 'add' | 'remove', make: (entries: string[]) => string[]) {
		this.before(kind);
		const randomDelay = async () => await sleep((this.maxMs / 2) * Math.random());
		await randomDelay();
		const before = this.entries;
		await randomDelay();
		this.entries = make(before);
		this.changed(before);
	}
}

const noWait = () => false;
const TAKE_OVER_MS = 10_000;

let shared: SharedEntries;
beforeEach(() => (shared = new SharedEntries()));

test('KeyClaim takes keys in their order, even if the database is slow at first', async () => {
	const random = jest.spyOn(Math, 'random').mockReturnValue(0.9);
	const list = new KeyList();
	const taken: string[] = [];
	const take = async (key: string) => {
		await new KeyClaim(list, shared.access, 'test', key).take(noWait);
		taken.push(key);
	};
	shared.maxMs = 200;
	const first = take('a');
	await pass(10);
	shared.maxMs = 2;
	await settled(Promise.all([first, take('b'), take('c')]));
	random.mockRestore();
	expect(taken).toStrictEqual(['a', 'b', 'c']);
});

describe('KeyClaim in several processes at the same time', () => {
	test('lets exactly one process send', async () => {
		const winners = Array.from({ length: 40 }, async () => {
			const own = new SharedEntries();
			const claims = Array.from({ length: 4 }, () => own.claim());
			const results = claims.map(async (claim) => {
				return (await claim.take(noWait)) === 'ours' ? await claim.confirm() : 'unknown';
			});
			return (await Promise.all(results)).filter((result) => result === 'ours').length;
		});
		expect(await settled(Promise.all(winners))).toStrictEqual(Array(40).fill(1));
	});

	test('waits for others when it takes and confirms a key, even if the database is fast', async () => {
		shared.maxMs = 0;
		const claim = shared.claim();
		const from = Date.now();
		await settled(claim.take(noWait));
		expect(Date.now() - from).toBeGreaterThanOrEqual(100);
		const taken = Date.now();
		await settled(claim.confirm());
		expect(Date.now() - taken).toBeGreaterThanOrEqual(50);
	});

	test('keeps the key when a process that must not send frees its claim', async () => {
		const [winner, other] = [shared.claim(), shared.claim()];
		const taken = await settled(Promise.all([winner.take(noWait), other.take(noWait)]));
		// Both processes take the key if each reads the list before the other one writes it.
		expect(taken).toContain('ours');
		expect(await settled(winner.confirm())).toBe('ours');
		await settled(other.free());
		expect(shared.kinds).toStrictEqual(['claim', 'open', 'post', 'reserved', 'sent']);
	});

	test('records the key as sent although another process overwrites the list once', async () => {
		const claim = shared.claim();
		await settled(claim.take(noWait));
		shared.changed = (before) => {
			shared.entries = before;
			shared.changed = () => {};
		};
		expect(await settled(claim.confirm())).toBe('ours');
		expect(shared.kinds).toContain('sent');
		const from = Date.now();
		expect(await settled(shared.claim().take(noWait))).toBe('unknown');
		expect(Date.now() - from).toBeLessThan(1_000);
	});

	test('lets the process send when all keys are cleared after it has taken the key', async () => {
		const claim = shared.claim();
		await settled(claim.take(noWait));
		shared.entries = [];
		expect(await settled(claim.confirm())).toBe('ours');
		await settled(claim.accept());
		expect(shared.kinds).toStrictEqual(['post', 'sent']);
	});

	test('lets another process send after ten seconds if the first one does not, and only that one', async () => {
		const [first, other] = [shared.claim(), shared.claim()];
		expect(await settled(first.take(noWait))).toBe('ours');
		expect(await settled(other.take(() => true))).toBe('ours');
		await settled(other.accept());
		expect(await settled(first.confirm())).toBe('accepted');
	});
});

describe('KeyClaim after another process was killed', () => {
	/** Sends a post unless the key is used or the process is killed. */
	const send = async (claim: KeyClaim) => {
		const result = await claim.take(() => true);
		if (result !== 'ours' || (await claim.confirm()) !== 'ours') return result;
		await claim.accept();
		return 'sent';
	};

	test.each([
		['reserved the key', 1, 'sent', 'accepted', true],
		['added its claim once', 2, 'unknown', 'unknown', true],
		['confirmed the key', 3, 'unknown', 'unknown', true],
		['recorded the accepted post', 4, 'accepted', 'accepted', false],
	])('when it had %s, sends the post at most once', async (_, changes, result, next, waits) => {
		void send(shared.claim(shared.accessUntil(changes)));
		await pass(3_000);
		const from = Date.now();
		expect(await settled(send(shared.claim()))).toBe(result);
		expect(Date.now() - from >= TAKE_OVER_MS).toBe(waits);
		const again = Date.now();
		expect(await settled(send(shared.claim()))).toBe(next);
		expect(Date.now() - again).toBeLessThan(TAKE_OVER_MS / 2);
	});

	test('does not resend the post of an accepted key that the process was looking up', async () => {
		expect(await settled(send(shared.claim()))).toBe('sent');
		void send(shared.claim(shared.accessUntil(1)));
		await pass(3_000);
		expect(await settled(send(shared.claim()))).toBe('unknown');
	});
});

describe('KeyHistory', () => {
	let history: KeyHistory;
	let workflows = 0;
	beforeEach(() => {
		const context = {
			getWorkflow: () => ({ id: `unit ${workflows++}` }),
			getNode: () => ({ id: 'node', name: 'Post', type: 'post', parameters: {} }),
			getExecutionCancelSignal: () => undefined,
			helpers: shared.access.helpers,
			logger: { warn() {} },
		};
		history = KeyHistory.of(context as unknown as IExecuteFunctions, 'node') as KeyHistory;
	});

	const envelope = { success: true, data: { action_sn: '1' } };
	const value = { envelope, output: envelope.data, sentAt: 'now' };
	const accepted = { kind: 'accepted', value } as const;
	const accept = async (held: ClaimedKey) => (await held.confirm()) ?? accepted;
	const refuse = async (held: ClaimedKey) => (await held.confirm()) ?? notSent('it', 'test', '');
	const sendOnce = async (
		send: Parameters<KeyHistory['sendOnce']>[2],
		kind = 'post' as 'post' | 'retry',
	) => await settled(history.sendOnce({ kind, key: 'a' }, false, send));
	const losing = async ({ confirm }: ClaimedKey) => {
		await confirm();
		throw new Error('lost');
	};
	const unknown = { kind: 'used', first: { outcome: 'unknown' } };
	const failDuring = (during: 'add' | 'remove') => {
		shared.before = (kind) => {
			if (kind === during) throw new Error('The database is not available');
		};
	};

	test('keeps keys of different kinds apart', async () => {
		expect(await sendOnce(accept)).toEqual(accepted);
		expect(await sendOnce(accept, 'retry')).toEqual(accepted);
		expect(await sendOnce(accept, 'retry')).toEqual({
			kind: 'used',
			first: { outcome: 'accepted', action_sn: '1', posted_at: 'now' },
		});
	});

	test('frees the key when sending throws before it is confirmed', async () => {
		const fails = async () => await Promise.reject(new Error('invalid'));
		await expect(sendOnce(fails)).rejects.toThrow('invalid');
		expect(await sendOnce(accept)).toEqual(accepted);
	});

	test('keeps the key when sending throws after it was confirmed', async () => {
		await expect(sendOnce(losing)).rejects.toThrow('lost');
		expect(await sendOnce(accept)).toEqual(unknown);
	});

	test('reports the key as used when another process has taken it over', async () => {
		const other = shared.claim();
		const result = await sendOnce(async (held) => {
			// Another process takes the key over.
			const sent = shared.entries[0]!.replace(' post ', ' sent ');
			shared.entries.push(sent, other.claim);
			expect(await held.confirm()).toEqual({ kind: 'stopped' });
			throw new Error('not sent');
		});
		expect(result).toEqual(unknown);
		expect(shared.kinds).toContain('sent');
	});

	test('frees the key of a refused post although another process overwrites the list', async () => {
		let before: string[] = [];
		shared.changed = (entries) => (before = entries.length > 0 ? entries : before);
		await sendOnce(refuse);
		expect(before).toHaveLength(5);
		shared.entries = before;
		await pass(1_000);
		expect(shared.entries).toStrictEqual([]);
	});

	test('keeps a key that was taken again after a refusal', async () => {
		await sendOnce(refuse);
		await expect(sendOnce(losing)).rejects.toThrow('lost');
		await pass(60_000);
		expect(await sendOnce(accept)).toEqual(unknown);
	});

	test('does not record a key again that was cleared', async () => {
		await sendOnce(accept);
		await settled(history.forget('a'));
		await pass(60_000);
		expect(shared.entries).toStrictEqual([]);
	});

	test('records an accepted post when the database was not available for half a minute', async () => {
		failDuring('remove');
		expect(await sendOnce(accept)).toEqual(accepted);
		await pass(30_000);
		expect(shared.kinds).toHaveLength(5);
		shared.before = () => {};
		await pass(40_000);
		expect(shared.kinds).toStrictEqual(['post', 'sent']);
	});

	test('frees a key that cannot be confirmed', async () => {
		const failing = async (held: ClaimedKey) => {
			let changes = 0;
			shared.before = () => {
				// Each change is attempted twice.
				if (++changes <= 2) throw new Error('The database is not available');
			};
			return (await held.confirm()) ?? accepted;
		};
		expect(await sendOnce(failing)).toMatchObject({ kind: 'not_sent' });
		await pass(4_000);
		expect(shared.entries).toStrictEqual([]);
	});
});

describe('KeyRecheck', () => {
	test('frees a key only within seconds, even if the database is slow before it fails', async () => {
		const list = new KeyList();
		const claim = new KeyClaim(list, shared.access, 'test', 'a');
		await settled(claim.take(noWait));
		const attempts = [performance.now()];
		shared.access.helpers.checkProcessedAndRecord = async () => {
			await sleep(600);
			attempts.push(performance.now());
			throw new Error('The database is not available');
		};
		const recheck = new KeyRecheck(list);
		recheck.plan({ kind: 'freed', claim, access: shared.access, isCurrent: () => true });
		await pass(120_000);
		// Each of three attempts changes the list twice if the first change fails.
		expect(attempts).toHaveLength(7);
		const gaps = attempts.slice(1).map((at, index) => at - attempts[index]!);
		// Another process takes the key over after ten seconds.
		expect(Math.max(...gaps)).toBeLessThan(TAKE_OVER_MS);
	});
});
