import { randomUUID } from 'node:crypto';
import { OperationalError, sleep } from 'n8n-workflow';
import type { KeyList, ListAccess } from './keyList';

/*
 * How a process claims a key in a list that has no lock.
 *
 *  1. n8n can change its list in two ways: it adds entries and says which of them are new, or it removes
 *     entries.
 *  2. A process that has read the list before a change may write it back without that change.
 *  3. A key has up to five entries: `taken`, `open`, `reserved`, `sent`, and a `claim`, which differs for
 *     each attempt to send.
 *  4. A process looks up a key by adding `taken`, `open` and `reserved`, and the key is reserved for the
 *     process for which they are new.
 *  5. That process waits, so that others that reserve the key at the same moment see its entries.
 *  6. Right before the request leaves, it confirms the key: it adds `sent` and its claim, waits, and adds
 *     them again.
 *  7. It may send if it was the first to add `sent` and its claim is still there, it must not send if
 *     `sent` is there without its claim, and it repeats the step if both are new again.
 *  8. A process that finds the key reserved waits for up to ten seconds, and then confirms the key itself,
 *     because the other process may have died.
 *  9. The outcome decides which entries stay: those of an accepted key, those of an unknown outcome, or
 *     none if the post certainly was not accepted.
 * 10. A while later the process records an accepted or freed key again, because another process may have
 *     overwritten the list.
 *
 *   entries of a key                  its state
 *   none                              free
 *   taken, open, reserved             reserved: nothing was sent
 *   taken, open, reserved, sent       may have been sent, by the process whose claim is there
 *   taken, open, sent                 the outcome stays unknown
 *   taken, sent                       accepted
 *
 * A look-up of an accepted key adds `open` and `reserved`, and removes them at once. If the process is
 * killed in between, the key counts as one that may have been sent.
 *
 * n8n evicts the oldest entries. `taken` is always older than `open`, so eviction never turns a key into an
 * accepted one.
 *
 * Earlier versions wrote `taken` for an accepted key, and `taken` and `open` for one of unknown outcome.
 */

/** Milliseconds between reserving a key and sending, so that others who reserve it see it first. */
const RESERVED_MS = 100;

/** Milliseconds in which another process that has read the list has written it. */
const WRITE_BACK_MS = 50;

/** Attempts to add entries that other processes undo. */
const MAX_ATTEMPTS = 10;

/**
 * How long a key is left to the process that has reserved it. That process may be waiting for a rate
 * limit, but a dead one must not block the key for long.
 */
const TAKE_OVER_MS = 10_000;

/** How often a reserved key is looked up until then. */
const POLL_MS = 1_000;

/** Milliseconds in which another process has written the list that it had read, even while it starts. */
const RECHECK_MS = 500;

/** Attempts to record a result again while n8n's database does not respond. */
const MAX_RECHECKS = 5;

/** The entries of a key, for one attempt to send a post with it. */
export class KeyClaim {
	/** The entries of an accepted key. */
	readonly lasting: readonly [taken: string, sent: string];

	private readonly open: string;

	private readonly reserved: string;

	/** Identifies the attempt that has added `sent`. */
	readonly claim: string;

	/** Whether this attempt was the first to add `sent`. */
	private wasFirst = false;

	/** Whether this attempt may send. That does not change any more. */
	isSending = false;

	/** Whether `taken` was evicted while `open` was there. */
	private isTakenEvicted = false;

	/** @param prefix words that distinguish the entries from those of Remove Duplicates nodes */
	constructor(
		private readonly list: KeyList,
		private readonly access: ListAccess,
		prefix: string,
		key: string,
	) {
		this.lasting = [`${prefix} post ${key}`, `${prefix} sent ${key}`];
		this.open = `${prefix} open ${key}`;
		this.reserved = `${prefix} reserved ${key}`;
		this.claim = `${prefix} claim ${randomUUID()} ${key}`;
	}

	/** The entries that are removed when the post was accepted. */
	get passing(): string[] {
		return [this.open, this.reserved, this.claim];
	}

	/**
	 * Reserves the key, or takes it over from a process that seems to have died before it sent anything.
	 *
	 * @param isWorthWaiting whether to wait for another process that has the key
	 */
	async take(isWorthWaiting: () => boolean): Promise<'ours' | 'unknown' | 'accepted'> {
		const begun = performance.now();
		for (;;) {
			const state = await this.lookUp();
			if (state === 'free') {
				await sleep(this.list.ownMultiple * this.list.timeToWriteBack(RESERVED_MS));
				return 'ours';
			}
			if (state !== 'reserved') return state;
			if (!isWorthWaiting()) return 'unknown';
			if (performance.now() - begun >= TAKE_OVER_MS) {
				const result = await this.confirm();
				// Without `reserved`, nobody waits for the key any more.
				if (result === 'unknown') await this.remove(this.reserved);
				return result;
			}
			await sleep(POLL_MS);
		}
	}

	/**
	 * To be called before a request leaves.
	 *
	 * @returns `ours` if it may be sent
	 * @throws OperationalError if other processes undo the change each time
	 */
	async confirm(): Promise<'ours' | 'unknown' | 'accepted'> {
		if (this.isSending) return 'ours';
		const [taken, sent] = this.lasting;
		for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
			const added = await this.add(...this.lasting, ...this.passing);
			if (!added.has(taken) && added.has(this.open)) {
				await this.remove(...this.passing);
				return 'accepted';
			}
			if (!added.has(this.claim)) {
				// If we were not the first, n8n has made the change although it reported an error. Then nobody
				// knows whether another process had added `sent` before.
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
		throw new OperationalError('Other processes overwrite every change');
	}

	/** The platform has accepted the post. */
	async accept(): Promise<void> {
		// Without `taken`, the key would be free.
		if (!this.isTakenEvicted) await this.remove(...this.passing);
	}

	/** The outcome is unknown, so nobody may send the post again. */
	async leaveUnknown(): Promise<void> {
		await this.add(...this.lasting, this.open);
		await this.remove(this.reserved, this.claim);
	}

	/** Nothing was sent, or the platform refused it. */
	async free(): Promise<void> {
		// Another process may have reserved the key at the same moment, or have taken it over.
		if ((await this.confirm()) === 'ours') await this.forget();
	}

	/** Removes all entries, so that anyone may take the key. */
	async forget(): Promise<void> {
		await this.remove(...this.lasting, ...this.passing);
	}

	/** Reserves the key if it is free. */
	private async lookUp(): Promise<'free' | 'reserved' | 'unknown' | 'accepted'> {
		const [taken] = this.lasting;
		const { open, reserved } = this;
		const added = await this.add(taken, open, reserved);
		if (!added.has(open)) {
			if (!added.has(reserved)) return 'reserved';
			await this.leaveUnknown();
			return 'unknown';
		}
		if (added.has(taken)) return 'free';
		await this.remove(open, reserved);
		return 'accepted';
	}

	private async add(...entries: string[]): Promise<Set<string>> {
		const added = await this.list.add(this.access, entries);
		const [taken] = this.lasting;
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
	/** Whether nobody has used the key again since. */
	isCurrent: () => boolean;
	/** Milliseconds since 1970. */
	since: number;
	attempts: number;
}

/**
 * Records again a while later which keys are accepted and which are free. Another process may have
 * overwritten the list, or n8n's database may not have responded. No run waits for it.
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
			// If the clock was set back, they must not wait for hours.
			const isDue = ({ since }: Result) => Math.abs(Date.now() - since) >= ms;
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
			this.results.push(...again.filter(({ attempts }) => attempts < MAX_RECHECKS));
		});
	}

	private async accept(access: ListAccess, claims: KeyClaim[]): Promise<void> {
		await this.list.add(
			access,
			claims.flatMap(({ lasting }) => lasting),
		);
		await this.list.remove(
			access,
			claims.flatMap(({ passing }) => passing),
		);
	}

	/**
	 * If our claim is back, so are the other entries that we removed. Otherwise they may be those of another
	 * process.
	 */
	private async free(access: ListAccess, claims: KeyClaim[]): Promise<void> {
		const added = await this.list.add(
			access,
			claims.map(({ claim }) => claim),
		);
		const entries = claims.flatMap(({ claim, lasting, passing }) =>
			added.has(claim) ? [claim] : [...lasting, ...passing],
		);
		await this.list.remove(access, entries);
	}
}
