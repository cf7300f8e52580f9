import { setTimeout as sleep } from 'node:timers/promises';
import type { IExecuteFunctions } from 'n8n-workflow';
import { KeyClaim, KeyRecheck } from '../../nodes/SocialOpenPlatform/actions/post/keys/keyClaim';
import {
	KeyHistory,
	type ClaimedKey,
} from '../../nodes/SocialOpenPlatform/actions/post/keys/keyHistory';
import { KeyList, type ListAccess } from '../../nodes/SocialOpenPlatform/actions/post/keys/keyList';

/** A list that several processes read and write back without a lock, like n8n's. */
class SharedEntries {
	entries: string[] = [];

	/** Maximum duration of a change in milliseconds. */
	maxMs = 20;

	/** Called after each change of the list with its former entries. */
	changed: (before: string[]) => void = () => {};

	readonly access = {
		scope: 'node',
		size: 10,
		helpers: {
			checkProcessedAndRecord: async (items: string[]) => {
				let added: string[] = [];
				await this.change((entries) => {
					added = items.filter((item) => !entries.includes(item));
					return [...entries, ...added];
				});
				return { new: added, processed: [] };
			},
			removeProcessed: async (items: string[]) =>
				await this.change((entries) => entries.filter((entry) => !items.includes(entry))),
			clearAllProcessedItems: async () => await this.change(() => []),
		},
	} as unknown as ListAccess;

	/** Returns a claim with a list of its own, as in another process. */
	claim(key = 'a'): KeyClaim {
		return new KeyClaim(new KeyList(), this.access, 'test', key);
	}

	/** The kinds of the entries in the list. */
	get kinds(): string[] {
		return this.entries.map((entry) => entry.split(' ')[1]!).sort();
	}

	private async change(make: (entries: string[]) => string[]): Promise<void> {
		const randomDelay = async () => await sleep((this.maxMs / 2) * Math.random());
		await randomDelay();
		const before = this.entries;
		await randomDelay();
		this.entries = make(before);
		this.changed(before);
	}
}

const noWait = () => false;

describe('KeyClaim in one process', () => {
	test('takes keys in their order, even if the database is slow at first', async () => {
		const random = jest.spyOn(Math, 'random').mockReturnValue(0.9);
		const shared = new SharedEntries();
		const list = new KeyList();
		const taken: string[] = [];
		const take = async (key: string) => {
			await new KeyClaim(list, shared.access, 'test', key).take(noWait);
			taken.push(key);
		};
		shared.maxMs = 200;
		const first = take('a');
		await sleep(10);
		shared.maxMs = 2;
		await Promise.all([first, take('b'), take('c')]);
		random.mockRestore();
		expect(taken).toStrictEqual(['a', 'b', 'c']);
	});
});

describe('KeyClaim in several processes at the same time', () => {
	test('lets exactly one process send', async () => {
		const winners = Array.from({ length: 40 }, async () => {
			const shared = new SharedEntries();
			const claims = Array.from({ length: 4 }, () => shared.claim());
			const results = claims.map(async (claim) => {
				return (await claim.take(noWait)) === 'ours' ? await claim.confirm() : 'unknown';
			});
			return (await Promise.all(results)).filter((result) => result === 'ours').length;
		});
		expect(await Promise.all(winners)).toStrictEqual(Array(40).fill(1));
	});

	test('keeps the key when a process that must not send frees its claim', async () => {
		const shared = new SharedEntries();
		const [winner, other] = [shared.claim(), shared.claim()];
		const taken = await Promise.all([winner.take(noWait), other.take(noWait)]);
		// Both processes take the key if each reads the list before the other one writes it.
		expect(taken).toContain('ours');
		expect(await winner.confirm()).toBe('ours');
		await other.free();
		expect(shared.kinds).toStrictEqual(['claim', 'open', 'post', 'reserved', 'sent']);
	});

	test('records the key as sent although another process overwrites the list once', async () => {
		const shared = new SharedEntries();
		const claim = shared.claim();
		await claim.take(noWait);
		shared.changed = (before) => {
			shared.entries = before;
			shared.changed = () => {};
		};
		expect(await claim.confirm()).toBe('ours');
		expect(shared.kinds).toContain('sent');
		expect(await shared.claim().take(noWait)).toBe('unknown');
	});

	test('lets the process send when all keys are cleared after it has taken the key', async () => {
		const shared = new SharedEntries();
		const claim = shared.claim();
		await claim.take(noWait);
		shared.entries = [];
		expect(await claim.confirm()).toBe('ours');
		await claim.accept();
		expect(shared.kinds).toStrictEqual(['post', 'sent']);
	});
});

describe('KeyHistory', () => {
	let shared: SharedEntries;
	let history: KeyHistory;
	let workflows = 0;
	beforeEach(() => {
		shared = new SharedEntries();
		const context = {
			getWorkflow: () => ({ id: `unit ${workflows++}` }),
			getNode: () => ({ id: 'node', name: 'Post', type: 'post', parameters: {} }),
			getExecutionCancelSignal: () => undefined,
			helpers: shared.access.helpers,
			logger: console,
		};
		history = KeyHistory.of(context as unknown as IExecuteFunctions, 'node') as KeyHistory;
	});

	const envelope = { success: true, data: { action_sn: '1' } };
	const value = { envelope, output: envelope.data, sentAt: 'now' };
	const accepted = { kind: 'accepted', value } as const;
	const accept = async (held: ClaimedKey) => (await held.confirm()) ?? accepted;

	test('keeps keys of different kinds apart', async () => {
		expect(await history.sendOnce({ kind: 'post', key: 'a' }, false, accept)).toEqual(accepted);
		expect(await history.sendOnce({ kind: 'retry', key: 'a' }, false, accept)).toEqual(accepted);
		expect(await history.sendOnce({ kind: 'retry', key: 'a' }, false, accept)).toEqual({
			kind: 'used',
			first: { outcome: 'accepted', action_sn: '1', posted_at: 'now' },
		});
	});

	test('frees the key when sending throws before it is confirmed', async () => {
		const fails = async () => await Promise.reject(new Error('invalid'));
		await expect(history.sendOnce({ kind: 'post', key: 'a' }, false, fails)).rejects.toThrow(
			'invalid',
		);
		expect(await history.sendOnce({ kind: 'post', key: 'a' }, false, accept)).toEqual(accepted);
	});

	test('keeps the key when sending throws after it was confirmed', async () => {
		const fails = async ({ confirm }: ClaimedKey) => {
			await confirm();
			throw new Error('lost');
		};
		await expect(history.sendOnce({ kind: 'post', key: 'a' }, false, fails)).rejects.toThrow(
			'lost',
		);
		expect(await history.sendOnce({ kind: 'post', key: 'a' }, false, accept)).toEqual({
			kind: 'used',
			first: { outcome: 'unknown' },
		});
	});

	test('reports the key as used when another process has taken it over', async () => {
		const other = shared.claim();
		const result = await history.sendOnce({ kind: 'post', key: 'a' }, false, async (held) => {
			// Another process takes the key over.
			const sent = shared.entries[0]!.replace(' post ', ' sent ');
			shared.entries.push(sent, other.claim);
			expect(await held.confirm()).toEqual({ kind: 'stopped' });
			throw new Error('not sent');
		});
		expect(result).toEqual({ kind: 'used', first: { outcome: 'unknown' } });
		expect(shared.kinds).toContain('sent');
	});
});

describe('KeyRecheck', () => {
	test('frees a key only within seconds, even if the database is slow before it fails', async () => {
		const shared = new SharedEntries();
		const list = new KeyList();
		const claim = new KeyClaim(list, shared.access, 'test', 'a');
		await claim.take(noWait);
		const attempts = [performance.now()];
		shared.access.helpers.checkProcessedAndRecord = async () => {
			await sleep(600);
			attempts.push(performance.now());
			throw new Error('The database is not available');
		};
		const recheck = new KeyRecheck(list);
		recheck.plan({ kind: 'freed', claim, access: shared.access, isCurrent: () => true });
		// Each of three attempts changes the list twice if the first change fails.
		while (attempts.length < 7) await sleep(50);
		const gaps = attempts.slice(1).map((at, index) => at - attempts[index]!);
		// Another process takes the key over after ten seconds.
		expect(Math.max(...gaps)).toBeLessThan(10_000);
	});
});
