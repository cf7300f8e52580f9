import { randomUUID } from 'node:crypto';
import { OperationalError } from 'n8n-workflow';
import type { KeyList, ListHelpers } from './list';

/*
 * The algorithm assumes:
 * 1. A change reads the whole list, adds or removes entries, and writes the list back, without a lock.
 * 2. Adding entries reports which of them were not in the list. The list cannot be read otherwise.
 * 3. A wait for others ends after they have written the lists that they had read before it began.
 * 4. A process may end at any moment. n8n evicts the oldest entries.
 *
 *   entries of a key       state of the key
 *   none                   free
 *   taken, open, claims    in use, or the outcome of its post is unknown
 *   taken                  its post was accepted
 *
 * Each attempt to take a key has a claim of its own. An attempt that adds both `taken` and `open`
 * takes the key if its claim is still in the list after each of two waits for others.
 */

/**
 * How often in a row the claim must still be in the list. The first time is not enough: the lists
 * that two other processes write at the same moment may hide the claim and restore it.
 */
const CONFIRMATIONS = 2;

/** How often entries are added again when other processes overwrite them. */
const MAX_ATTEMPTS = 10;

/** Milliseconds to wait for another process that uses the key. */
const MAX_WAIT_MS = 10_000;

const POLL_MS = 1_000;

/** Milliseconds after which a result is recorded again. */
const RECHECK_MS = 500;

/**
 * How often a result is recorded again while n8n's database fails. The delay doubles each time, so a
 * result is recorded even if the database is not available for a minute.
 */
const MAX_RECHECKS = 7;

/** Whether a key is taken by this attempt, or what is known about an earlier post with the key. */
type KeyState = 'ours' | 'accepted' | 'unknown';

/** One use of a key. */
export class KeyClaim {
	private readonly taken;

	private readonly open;

	private claim = '';

	private isOurs = false;

	constructor(
		private readonly list: Pick<KeyList, 'add' | 'remove' | 'waitForOthers' | 'waitTogether'>,
		private readonly helpers: ListHelpers,
		private readonly name: string,
	) {
		this.taken = `${name} taken`;
		this.open = `${name} open`;
	}

	/**
	 * Takes the key if it is free. If another process uses the key, waits for its outcome.
	 *
	 * @param isWorthWaiting whether to keep waiting for the other process
	 */
	async take(isWorthWaiting: () => boolean): Promise<KeyState> {
		const startedAt = performance.now();
		for (;;) {
			const state = await this.tryToTake();
			if (state) return state;
			if (!isWorthWaiting() || performance.now() - startedAt >= MAX_WAIT_MS) return 'unknown';
			await this.list.waitTogether(POLL_MS);
		}
	}

	/**
	 * Records the outcome of the post that was sent with the key. A key whose outcome was unknown
	 * before stays unknown until the platform accepts a post.
	 */
	async record(outcome: 'accepted' | 'unknown' | 'not accepted') {
		const { taken, open, claim } = this;
		if (outcome === 'accepted') return await this.settle([open, claim], taken);
		if (this.isOurs) await this.settle(outcome === 'unknown' ? [claim] : [taken, open, claim]);
	}

	/**
	 * Clears the key. A post that is being sent with it may then be sent again.
	 *
	 * @returns whether the key was taken
	 */
	async clear(): Promise<boolean> {
		const entries = [this.taken, this.open];
		// Results of earlier posts are recorded again until then.
		await this.list.waitTogether(RECHECK_MS);
		const added = await this.list.add(this.helpers, entries);
		await this.list.remove(this.helpers, entries);
		return !added.has(this.taken);
	}

	/** @returns undefined if another process uses the key, or has left its outcome unknown */
	private async tryToTake(): Promise<'ours' | 'accepted' | undefined> {
		const { taken, open } = this;
		this.claim = `${this.name} ${randomUUID()}`;
		const add = async () => await this.list.add(this.helpers, [taken, open, this.claim]);
		// The first attempt fails if another process creates the list at the same moment.
		let added = await add().catch(add);
		let confirmations = 0;
		for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
			const isUsed = !(added.has(taken) && added.has(open));
			if (isUsed && (attempts === 0 || added.has(this.claim))) {
				const isAccepted = added.has(open);
				if (isAccepted) await this.settle([...added]);
				else await this.list.remove(this.helpers, [...added]);
				return isAccepted ? 'accepted' : undefined;
			}
			await this.list.waitForOthers();
			added = await add();
			confirmations = added.size === 0 ? confirmations + 1 : 0;
			this.isOurs = confirmations === CONFIRMATIONS;
			if (this.isOurs) return 'ours';
		}
		throw new OperationalError('Other n8n processes keep overwriting the list of keys');
	}

	/**
	 * Removes entries now and, because another process may overwrite the list or n8n's database may
	 * fail, again later. Runs do not wait for the second time.
	 *
	 * @param kept the entry that is added again later
	 */
	private async settle(entries: string[], kept?: string) {
		const { claim } = this;
		await this.list.remove(this.helpers, entries).catch(() => undefined);
		void this.settleAgain(claim, entries, kept);
	}

	/** Checks whether the claim has come back, and with it the other entries of this attempt. */
	private async settleAgain(claim: string, entries: string[], kept?: string) {
		let failures = 0;
		let returns = 0;
		for (let attempts = 0; attempts < MAX_RECHECKS; attempts++) {
			await this.list.waitTogether(RECHECK_MS * 2 ** failures);
			try {
				const added = await this.list.add(this.helpers, kept ? [claim, kept] : [claim]);
				returns = added.has(claim) ? 0 : returns + 1;
				const isOwn = kept !== undefined || returns >= CONFIRMATIONS;
				await this.list.remove(this.helpers, isOwn ? entries : returns === 0 ? [claim] : []);
				if (returns === 0) return;
			} catch {
				failures++;
			}
		}
	}
}
