import { randomUUID } from 'node:crypto';
import { OperationalError, sleep } from 'n8n-workflow';
import type { KeyList, ListAccess } from './keyList';

/*
 * How a key is claimed in a list without a lock.
 *
 * n8n offers two changes of its list: add entries, which tells the ones that were not there, and remove
 * entries. There is no pure look-up, so whoever looks up a key adds entries of it. The entries of a key:
 *
 *   taken     stays for good
 *   open      until the outcome is known
 *   claim     whose key it is; a different one for each attempt
 *   reserved  nothing was sent yet, unless there is also
 *   sending   the request has left, or is about to
 *
 * and its states:
 *
 *   none                            free
 *   taken                           accepted
 *   taken, open, reserved (, claim) reserved: if its process dies, the key can be taken over
 *   taken, open, sending (, claim)  on its way, or the outcome is unknown
 *   taken, open (, claim)           unknown: a reservation or a look-up was interrupted
 *
 * Reserving adds taken, open and claim. Where taken and open are new, the key was free. Another process
 * may have read the list before and overwrite it, so the same is added again a while later: the key is
 * ours when the claim is still there. Meanwhile `reserved` is added. It cannot be added at once: a
 * process that is killed while it looks up an accepted key must leave it unknown, not reserved.
 *
 * Sending adds `sending` in the same change that looks up our claim. Whoever adds it first may send, so
 * a process that is killed at any moment leaves a key that nobody sends again. Another process finds a
 * key open, waits, and then adds `sending` and `reserved`: if `reserved` was there and `sending` was
 * not, the process that reserved it has died, and the key is taken over.
 *
 * An entry can be evicted by newer ones. A key is accepted only if `taken` is there without `open`, and
 * `taken` is always the older one of the two: so an open key whose entries are evicted becomes free
 * in the end, and never accepted.
 */

/** Milliseconds in which another process that has read the list has written it. */
const WRITE_BACK_MS = 150;

/** Each process waits its own multiple of that, so that processes do not stay in step. */
const OWN_MULTIPLE = 1 + Math.random();

/** Attempts to add entries that other processes undo. */
const MAX_ATTEMPTS = 10;

/**
 * How long a key is left to the process that has it. A key that is reserved for longer may be taken over.
 * The process may be waiting for a rate limit, but a dead one must not cost more than a moment.
 */
const TAKE_OVER_MS = 10_000;

/** Nobody takes over a younger reservation, even if a change of the list takes some seconds. */
const YOUNG_MS = TAKE_OVER_MS / 2;

/** How often an open key is looked up until then. */
const POLL_MS = 1_000;

type State = 'free' | 'ours' | 'open' | 'accepted';

/** A key's entries, for the one who wants to send something with it. */
export class KeyClaim {
	/** The one that stays. */
	readonly taken: string;

	private readonly open: string;

	private readonly reserved: string;

	private readonly sending: string;

	/** The claims that may be in the list, the first one first. */
	private claims: string[] = [];

	/** When the key was reserved, by the clock that nobody sets. */
	private since = -Infinity;

	/** Whether the right to send is ours for good. */
	isSending = false;

	/** Whether `taken` was evicted: it must not be added again while `open` is there. */
	private isTakenEvicted = false;

	/**
	 * @param prefix words that distinguish the entries from those of Remove Duplicates nodes
	 */
	constructor(
		private readonly list: KeyList,
		private readonly access: ListAccess,
		private readonly prefix: string,
		private readonly key: string,
	) {
		this.taken = `${prefix} post ${key}`;
		this.open = `${prefix} open ${key}`;
		this.reserved = `${prefix} reserved ${key}`;
		this.sending = `${prefix} sending ${key}`;
	}

	/** The claim that is in the list wherever any other entry of this attempt is. */
	get firstClaim(): string | undefined {
		return this.claims[0];
	}

	/** Those that do not stay. */
	get passing(): string[] {
		return [this.open, this.reserved, this.sending, ...this.claims];
	}

	/** Whether the key may be freed: nobody else can have taken it over. */
	get isOurs(): boolean {
		return this.isSending || performance.now() - this.since < YOUNG_MS;
	}

	/**
	 * Reserves the key, or takes it over from a process that died before it sent anything.
	 *
	 * @param isWorthWaiting whether to wait for another process that has the key
	 * @throws OperationalError when other processes undo it again and again
	 */
	async take(isWorthWaiting: () => boolean): Promise<'ours' | 'unknown' | 'accepted'> {
		const begun = performance.now();
		for (;;) {
			const state = await this.reserve();
			if (state !== 'open') return state;
			if (!isWorthWaiting()) return 'unknown';
			if (performance.now() - begun >= TAKE_OVER_MS) return await this.startSending(this.reserved);
			await sleep(POLL_MS);
		}
	}

	/** To be called before a request leaves. @returns `ours` if it may be sent */
	async confirm(): Promise<'ours' | 'unknown' | 'accepted'> {
		return this.isSending ? 'ours' : await this.startSending(this.firstClaim!);
	}

	/** The platform has accepted it. */
	async accept(): Promise<void> {
		if (!this.isTakenEvicted) await this.remove(...this.passing);
	}

	/** The outcome is unknown: nobody may send it again. */
	async leaveUnknown(): Promise<void> {
		if (!this.isSending) await this.add(this.sending);
		await this.remove(this.reserved, ...this.claims);
	}

	/** Nothing was sent, or it was refused. */
	async free(): Promise<void> {
		if (this.isOurs || (await this.confirm()) === 'ours') await this.forget();
	}

	/** Anybody may take the key. */
	async forget(): Promise<void> {
		await this.remove(this.taken, ...this.passing);
	}

	private async reserve(): Promise<'ours' | 'open' | 'accepted'> {
		const begun = performance.now();
		const state = this.stateAfter(await this.note(this.newClaim()));
		if (state === 'free') {
			this.since = begun;
			return await this.unlessLost(await this.keep(this.reserved));
		}
		// The claim is not new if n8n made the change and still reported an error. What was there before
		// is not known then.
		return await this.unlessLost(state === 'ours' ? 'open' : state);
	}

	/**
	 * Gets the right to send.
	 *
	 * @param proof the entry whose presence shows that nobody has sent yet
	 */
	private async startSending(proof: string): Promise<'ours' | 'unknown' | 'accepted'> {
		const claim = this.newClaim();
		const added = await this.note(claim, proof, this.sending);
		const state = this.stateAfter(added);
		const isFirst = added.has(claim) && added.has(this.sending);
		const isUnsent = isFirst && (state === 'free' || !added.has(proof));
		let result: 'ours' | 'open' | 'accepted' = state === 'accepted' ? state : 'open';
		if (isUnsent && state !== 'accepted') {
			const isCertain = state === 'open' && proof !== this.reserved && this.isOurs;
			result = isCertain ? 'ours' : await this.keep(this.sending);
		}
		this.isSending = result === 'ours';
		result = await this.unlessLost(result);
		return result === 'open' ? 'unknown' : result;
	}

	/** Adds the entries of the key. @returns those that were not there */
	private async note(claim: string, ...more: string[]): Promise<Set<string>> {
		const { taken, open } = this;
		const added = await this.add(taken, open, claim, ...more);
		if (added.has(taken) && !added.has(open)) {
			this.isTakenEvicted = true;
			await this.remove(taken);
		}
		return added;
	}

	private stateAfter(added: Set<string>): State {
		if (!added.has(this.claims.at(-1)!)) return 'ours';
		if (!added.has(this.open)) return 'open';
		return added.has(this.taken) ? 'free' : 'accepted';
	}

	/**
	 * Looks again after other processes have written what they had read before.
	 *
	 * @param mark is added meanwhile
	 */
	private async keep(mark: string): Promise<'ours' | 'open' | 'accepted'> {
		for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
			const wait = sleep(OWN_MULTIPLE * this.list.timeToWriteBack(WRITE_BACK_MS));
			await Promise.all([wait, this.add(mark)]);
			const state = this.stateAfter(await this.note(this.claims.at(-1)!));
			if (state !== 'free') return state;
		}
		throw new OperationalError('Other processes undo every change');
	}

	/** Takes our entries back where the key is another's. */
	private async unlessLost<T extends State>(state: T): Promise<T> {
		if (state === 'ours') return state;
		await this.remove(...(state === 'accepted' ? this.passing : this.claims));
		this.claims = [];
		this.since = -Infinity;
		return state;
	}

	private newClaim(): string {
		const claim = `${this.prefix} claim ${randomUUID()} ${this.key}`;
		this.claims.push(claim);
		return claim;
	}

	private async add(...entries: string[]): Promise<Set<string>> {
		return await this.list.add(this.access, entries);
	}

	private async remove(...entries: string[]): Promise<void> {
		await this.list.remove(this.access, entries);
	}
}
