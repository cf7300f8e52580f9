import { randomUUID } from 'node:crypto';
import { OperationalError, sleep } from 'n8n-workflow';
import type { KeyList } from './keyList';
import type { ListAccess } from './seenList';

/** Milliseconds in which another process that has read the list before has written it back. */
const LOOK_AGAIN_MS = 150;

/**
 * Each process takes its own times as long, so that what waits together asks together, and not in step
 * with other processes.
 */
const OWN_TIMES = 1 + Math.random();

/** How often a key is noted that other processes' writing undoes. */
const MAX_NOTES = 10;

/** Entries of an open key. */
export const ENTRIES = 3;

/**
 * The entries of one key, for one who wants to post with it. There are three while it is open, that is
 * from before its post is sent until it is known to be accepted, and one from then on. Words before them
 * keep them apart from what Remove Duplicates nodes put into a workflow's list.
 */
export class KeyClaim {
	/** The one that stays. */
	readonly taken: string;

	private readonly open: string;

	/** Tells whose it is. */
	readonly claim: string;

	/** Whether the list has held it for us: not before it was seen to hold it for nobody. */
	wereNoted = false;

	constructor(
		private readonly book: KeyList,
		private readonly access: ListAccess,
		key: string,
	) {
		this.taken = `social-open-platform post ${key}`;
		this.open = `social-open-platform open ${key}`;
		this.claim = `social-open-platform claim ${randomUUID()} ${key}`;
	}

	/** Those that do not stay. */
	get passing(): string[] {
		return [this.open, this.claim];
	}

	/**
	 * Puts the key into the list. Another process may write back what it read before, and so take it out
	 * again, or put the same key in for itself: it is ours once our claim is still there a while later.
	 *
	 * @returns whether it is ours now, or was there before, open or closed
	 * @throws OperationalError when others undo it again and again
	 */
	async take(): Promise<'ours' | 'open' | 'closed'> {
		const { taken, open, claim } = this;
		const note = async () => await this.book.add(this.access, [taken, open, claim]);
		let added = await note();
		for (let notes = 1; added.has(taken); notes++) {
			this.wereNoted = true;
			if (notes > MAX_NOTES) throw new OperationalError('Other processes undo every change');
			await sleep(OWN_TIMES * this.book.timeToWriteBack(LOOK_AGAIN_MS));
			added = await note();
		}
		if (!added.has(claim)) return 'ours';
		// Only an open key has the entry already.
		const isClosed = added.has(open);
		await this.remove(claim, ...(isClosed ? [open] : []));
		return isClosed ? 'closed' : 'open';
	}

	/** Its post was accepted. */
	async close(): Promise<void> {
		await this.remove(...this.passing);
	}

	/** It is unknown what became of its post: the key stays taken, and nobody's. */
	async leaveOpen(): Promise<void> {
		await this.remove(this.claim);
	}

	/** Anybody may take it. */
	async free(): Promise<void> {
		await this.remove(this.taken, ...this.passing);
	}

	private async remove(...entries: string[]): Promise<void> {
		await this.book.remove(this.access, entries);
	}
}
