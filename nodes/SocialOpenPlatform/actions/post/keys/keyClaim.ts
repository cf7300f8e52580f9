import { randomUUID } from 'node:crypto';
import { OperationalError, sleep } from 'n8n-workflow';
import type { KeyList, ListAccess } from './keyList';

/*
 * How a key is claimed in a list without a lock.
 *
 * n8n offers two changes of its list: add entries, which tells the ones that were not there, and remove
 * entries. There is no pure look-up: looking up a key adds entries of it. The entries of a key are
 * `taken`, `open`, `reserved`, `sent` and a `claim`, which is different for each attempt. Its states:
 *
 *   none                              free
 *   taken, open, reserved             reserved: nothing was sent
 *   taken, open, reserved, sent       may have been sent: the claim, if it is there, tells by whom
 *   taken, open, sent                 the outcome is unknown for good
 *   taken, sent                       accepted
 *
 * A look-up adds `taken`, `open` and `reserved`. Where they are new, the key is reserved by that. Where
 * only `taken` was there, the key is accepted, and the others are removed; a process that is killed before
 * that leaves a key that may have been sent.
 *
 * Before a request leaves, `sent` and a claim are added. The first to add `sent` may send, once it is
 * certain that the change was not overwritten: another process may have read the list before and write
 * it back without the change. So the same is added again a while later. If the claim was there, the right
 * to send is ours. If `sent` was there without the claim, it is another's. If neither was there, both are
 * added anew.
 *
 * So a process that is killed before it adds `sent` leaves a reserved key. Another process waits for a
 * while, in which the key may become accepted or free, and then adds `sent` itself.
 *
 * Entries can be evicted by newer ones, the oldest first. `taken` is always older than `open`, so
 * eviction never turns a key into an accepted one.
 *
 * Earlier versions knew `taken` for an accepted key, and `taken` and `open` for one of unknown outcome.
 */

/** Milliseconds between reserving a key and sending, so that others who reserve it see it first. */
const RESERVED_MS = 100;

/** Milliseconds in which another process that has read the list has written it. */
const WRITE_BACK_MS = 50;

/** Attempts to add entries that other processes undo. */
const MAX_ATTEMPTS = 10;

/**
 * How long a key is left to the process that has reserved it. That process may be waiting for a rate
 * limit, but a dead one must not hold up the key for longer than a moment.
 */
const TAKE_OVER_MS = 10_000;

/** How often an open key is looked up until then. */
const POLL_MS = 1_000;

/** A key's entries, for the one who wants to send something with it. */
export class KeyClaim {
	/** Those of an accepted key. */
	readonly lasting: readonly [taken: string, sent: string];

	private readonly open: string;

	private readonly reserved: string;

	/** Tells whose `sent` it is. */
	readonly claim: string;

	/** Whether we have added `sent` first. */
	private wasFirst = false;

	/** Whether the right to send is ours for good. */
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

	/** Those that an accepted key does not have. */
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
	 * @throws OperationalError when other processes undo it again and again
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
				// Unless we were first, n8n has made the change before and reported an error: what was there
				// before is not known.
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
		throw new OperationalError('Other processes undo every change');
	}

	/** The platform has accepted it. */
	async accept(): Promise<void> {
		// Without `taken`, the key would be free.
		if (!this.isTakenEvicted) await this.remove(...this.passing);
	}

	/** The outcome is unknown: nobody may send it again. */
	async leaveUnknown(): Promise<void> {
		await this.add(...this.lasting, this.open);
		await this.remove(this.reserved, this.claim);
	}

	/** Nothing was sent, or it was refused. */
	async free(): Promise<void> {
		// Another process may have reserved the key at the same moment, or have taken it over.
		if ((await this.confirm()) === 'ours') await this.forget();
	}

	/** Anybody may take the key. */
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
