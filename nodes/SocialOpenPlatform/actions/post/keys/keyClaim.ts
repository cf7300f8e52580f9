import { randomUUID } from 'node:crypto';
import { OperationalError, sleep } from 'n8n-workflow';
import type { KeyList, ListAccess } from './keyList';

/*
 * How a process claims a key in a list that has no lock.
 *
 *  1. n8n offers two changes of the list: adding entries, which reports those that are new, and removing
 *     entries.
 *  2. A process that has read the list before a change may write the list back without this change.
 *  3. A key has up to five entries: `taken`, `open`, `reserved`, `sent` and a `claim`, which is different
 *     for each attempt to send.
 *  4. A process looks up a key by adding `taken`, `open` and `reserved`. If they are new, the process has
 *     reserved the key.
 *  5. This process then waits, so that other processes that reserve the key at the same moment see its
 *     entries.
 *  6. Right before the request is sent, the process confirms the key: it adds `sent` and its claim, waits,
 *     and adds both again.
 *  7. If it was the first to add `sent` and its claim is still in the list, it may send. If `sent` is in
 *     the list without its claim, it must not send. If both are new again, it repeats step 6.
 *  8. A process that finds the key reserved waits for up to ten seconds. It then confirms the key itself,
 *     because the other process may have died.
 *  9. The outcome decides which entries remain: those of an accepted key, those of an unknown outcome, or
 *     none if the post certainly was not accepted.
 * 10. After a delay, the process records an accepted or freed key again, because another process may have
 *     overwritten the list.
 *
 *   entries of a key                  state of the key
 *   none                              free
 *   taken, open, reserved             reserved: nothing was sent
 *   taken, open, reserved, sent       may have been sent, by the process whose claim is in the list
 *   taken, open, sent                 the outcome remains unknown
 *   taken, sent                       accepted
 *
 * Looking up an accepted key adds `open` and `reserved`, and removes them at once. If the process is
 * killed before it removes them, the key counts as one that may have been sent.
 *
 * n8n evicts the oldest entries. `taken` is always older than `open`, so eviction never turns a key into an
 * accepted one.
 *
 * Earlier versions wrote `taken` for an accepted key, and `taken` and `open` for a key whose outcome is
 * unknown.
 */

/**
 * Milliseconds between reserving a key and sending, so that other processes that reserve the key
 * see its entries first.
 */
const RESERVED_MS = 100;

/** Milliseconds within which another process writes a list that it has read. */
const WRITE_BACK_MS = 50;

/** How often entries are added again when other processes remove them. */
const MAX_ATTEMPTS = 10;

/**
 * Milliseconds after which a reserved key is taken over. The process that reserved the key may be
 * waiting for a rate limit, but a process that has died must not block the key for long.
 */
const TAKE_OVER_MS = 10_000;

/** Milliseconds between two look-ups of a key that another process has reserved. */
const POLL_MS = 1_000;

/**
 * Milliseconds within which another process writes a list that it has read, even if that process is
 * starting.
 */
const RECHECK_MS = 500;

/**
 * How often a result is recorded again while n8n's database does not respond. The delay doubles each
 * time, so an accepted post is recorded even if the database is not available for a minute. A key is
 * freed only within seconds, because another process may take it over after {@link TAKE_OVER_MS}.
 */
const MAX_RECHECKS = { accepted: 7, freed: 3 };

/** The entries of one key, for one attempt to send a post with this key. */
export class KeyClaim {
	/** The entries that remain when the post was accepted. */
	readonly acceptedEntries: readonly [taken: string, sent: string];

	private readonly open: string;

	private readonly reserved: string;

	/** The entry that identifies this attempt. */
	readonly claim: string;

	/** Whether this attempt was the first to add `sent`. */
	private wasFirst = false;

	/** Whether this attempt is allowed to send. Once true, it stays true. */
	isSending = false;

	/** Whether n8n has evicted `taken`, but not `open`. */
	private isTakenEvicted = false;

	/** @param prefix words that distinguish the entries from those of Remove Duplicates nodes */
	constructor(
		private readonly list: KeyList,
		private readonly access: ListAccess,
		prefix: string,
		key: string,
	) {
		this.acceptedEntries = [`${prefix} post ${key}`, `${prefix} sent ${key}`];
		this.open = `${prefix} open ${key}`;
		this.reserved = `${prefix} reserved ${key}`;
		this.claim = `${prefix} claim ${randomUUID()} ${key}`;
	}

	/** The entries that are removed after the post was accepted. */
	get temporaryEntries(): string[] {
		return [this.open, this.reserved, this.claim];
	}

	/**
	 * Reserves the key. If another process has reserved it and seems to have died before sending,
	 * takes the key over.
	 *
	 * @param isWorthWaiting whether to keep waiting for the other process
	 */
	async take(isWorthWaiting: () => boolean): Promise<'ours' | 'unknown' | 'accepted'> {
		const startedAt = performance.now();
		for (;;) {
			const state = await this.lookUp();
			if (state === 'free') {
				const ms = this.list.waitFactor * this.list.timeToWriteBack(RESERVED_MS);
				await this.list.waitInOrder(ms);
				return 'ours';
			}
			if (state !== 'reserved') return state;
			if (!isWorthWaiting()) return 'unknown';
			if (performance.now() - startedAt >= TAKE_OVER_MS) {
				const result = await this.confirm();
				// Once `reserved` is removed, other processes no longer wait for this key.
				if (result === 'unknown') await this.remove(this.reserved);
				return result;
			}
			await sleep(POLL_MS);
		}
	}

	/**
	 * Confirms the key. It must be called before a request is sent.
	 *
	 * @returns `ours` if the request may be sent
	 * @throws OperationalError if other processes undo the change each time
	 */
	async confirm(): Promise<'ours' | 'unknown' | 'accepted'> {
		if (this.isSending) return 'ours';
		const [taken, sent] = this.acceptedEntries;
		for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
			const added = await this.add(...this.acceptedEntries, ...this.temporaryEntries);
			if (!added.has(taken) && added.has(this.open)) {
				await this.remove(...this.temporaryEntries);
				return 'accepted';
			}
			if (!added.has(this.claim)) {
				// The claim was already in the list. If `wasFirst` is false, n8n has added the claim although it
				// reported an error, and another process may have added `sent` before.
				this.isSending = this.wasFirst;
				return this.wasFirst ? 'ours' : 'unknown';
			}
			if (!added.has(sent)) {
				await this.remove(this.claim);
				return 'unknown';
			}
			this.wasFirst = true;
			await sleep(this.list.timeToWriteBack(WRITE_BACK_MS));
		}
		throw new OperationalError('Other n8n processes keep overwriting the list of keys');
	}

	/** Records that the platform has accepted the post. */
	async accept(): Promise<void> {
		// If n8n has evicted `taken`, the remaining entries must stay. Without them, the key would be
		// free.
		if (!this.isTakenEvicted) await this.remove(...this.temporaryEntries);
	}

	/**
	 * Records that the outcome is unknown, so that no process sends the post again. If another process
	 * has recorded an accepted post meanwhile, the key stays accepted.
	 */
	async recordUnknown(): Promise<void> {
		const [taken] = this.acceptedEntries;
		const added = await this.add(...this.acceptedEntries, this.open);
		const isAccepted = !added.has(taken) && added.has(this.open);
		await this.remove(this.reserved, this.claim, ...(isAccepted ? [this.open] : []));
	}

	/** Frees the key after a post that was not sent or that the platform refused. */
	async free(): Promise<void> {
		// Another process may have reserved the key at the same moment, or may have taken it over.
		if ((await this.confirm()) === 'ours') await this.forget();
	}

	/** Removes all entries, so that any process can claim the key. */
	async forget(): Promise<void> {
		await this.remove(...this.acceptedEntries, ...this.temporaryEntries);
	}

	/** Looks up the state of the key, and reserves the key if it is free. */
	private async lookUp(): Promise<'free' | 'reserved' | 'unknown' | 'accepted'> {
		const [taken] = this.acceptedEntries;
		const { open, reserved } = this;
		const added = await this.add(taken, open, reserved);
		if (!added.has(open)) {
			if (!added.has(reserved)) return 'reserved';
			await this.recordUnknown();
			return 'unknown';
		}
		if (added.has(taken)) return 'free';
		await this.remove(open, reserved);
		return 'accepted';
	}

	private async add(...entries: string[]): Promise<Set<string>> {
		const added = await this.list.add(this.access, entries);
		const [taken] = this.acceptedEntries;
		if (entries.includes(this.open) && added.has(taken) && !added.has(this.open)) {
			this.isTakenEvicted = true;
			await this.remove(taken);
		}
		return added;
	}

	private async remove(...entries: string[]): Promise<void> {
		await this.list.remove(this.access, entries);
	}
}

interface Result {
	kind: 'accepted' | 'freed';
	claim: KeyClaim;
	access: ListAccess;
	/** Whether the key has not been used again since this result. */
	isCurrent: () => boolean;
	/** Unix time of the result in milliseconds. */
	since: number;
	attempts: number;
}

/**
 * After a delay, records again which keys are accepted and which are free. Another process may have
 * overwritten the list, or n8n's database may not have responded. Runs do not wait for it.
 */
export class KeyRecheck {
	private results: Result[] = [];

	private isBusy = false;

	constructor(private readonly list: KeyList) {}

	plan(result: Omit<Result, 'since' | 'attempts'>): void {
		this.results.push({ ...result, since: Date.now(), attempts: 0 });
		if (!this.isBusy) void this.work();
	}

	private async work(): Promise<void> {
		this.isBusy = true;
		while (this.results.length > 0) {
			const ms = this.list.timeToWriteBack(RECHECK_MS);
			await sleep(ms);
			// `Math.abs` prevents a wait of hours when the clock was set back.
			const isDue = ({ since, attempts }: Result) =>
				Math.abs(Date.now() - since) >= Math.max(ms, RECHECK_MS * 2 ** attempts);
			const due = this.results.filter(isDue);
			this.results = this.results.filter((one) => !due.includes(one));
			await this.record('accepted', due);
			await this.record('freed', due);
		}
		this.isBusy = false;
	}

	private async record(which: Result['kind'], due: Result[]): Promise<void> {
		const current = due.filter(({ kind, isCurrent }) => kind === which && isCurrent());
		const last = current.at(-1);
		if (!last) return;
		const claims = current.map(({ claim }) => claim);
		const recorded =
			which === 'accepted' ? this.accept(last.access, claims) : this.free(last.access, claims);
		await recorded.catch(() => {
			const again = current.map((one) => ({
				...one,
				since: Date.now(),
				attempts: one.attempts + 1,
			}));
			this.results.push(...again.filter(({ attempts }) => attempts < MAX_RECHECKS[which]));
		});
	}

	private async accept(access: ListAccess, claims: KeyClaim[]): Promise<void> {
		await this.list.add(
			access,
			claims.flatMap(({ acceptedEntries }) => acceptedEntries),
		);
		await this.list.remove(
			access,
			claims.flatMap(({ temporaryEntries }) => temporaryEntries),
		);
	}

	/**
	 * Frees keys again. If the claim of a key is in the list again, so are its other entries, and all
	 * of them are removed. Otherwise, only the claim is removed, because the entries may belong to
	 * another process.
	 */
	private async free(access: ListAccess, claims: KeyClaim[]): Promise<void> {
		const added = await this.list.add(
			access,
			claims.map(({ claim }) => claim),
		);
		const entries = claims.flatMap(({ claim, acceptedEntries, temporaryEntries }) =>
			added.has(claim) ? [claim] : [...acceptedEntries, ...temporaryEntries],
		);
		await this.list.remove(access, entries);
	}
}
