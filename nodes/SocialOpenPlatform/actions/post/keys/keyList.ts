import { sleep, type DeduplicationHelperFunctions, type DeduplicationScope } from 'n8n-workflow';

/**
 * Minimum number of entries to keep for any History Size, so that there is room for the claims of
 * all processes. If an entry of an unfinished post were evicted, another process could send the
 * same post.
 */
const MIN_ENTRIES = 10_000;

/** Number of entries of an accepted key. */
const ENTRIES_PER_KEY = 2;

/** Additional entries to keep, because a key with an unknown outcome has more than two. */
const SPARE_ENTRIES = 500;

/**
 * Number of changes after which two processes that change the list in turns have seen each other's
 * entries.
 */
const CHANGES = 6;

const MAX_WAIT_MS = 3_000;

/** Factor by which the assumed duration of a change decreases with each faster change. */
const DECAY = 0.8;

/** How a run accesses the list of a node or a workflow. */
export interface ListAccess {
	helpers: Pick<
		DeduplicationHelperFunctions,
		'checkProcessedAndRecord' | 'removeProcessed' | 'clearAllProcessedItems'
	>;
	scope: DeduplicationScope;
	/** Minimum number of keys to keep. */
	size: number;
}

type Kind = 'add' | 'remove' | 'clear';

interface Change {
	kind: Kind;
	entries: string[];
	access: ListAccess;
	resolve: (added: Set<string>) => void;
	reject: (error: unknown) => void;
}

/**
 * A list of entries in n8n's database. n8n reads, changes and writes the whole list without a lock,
 * and evicts the oldest entries when it adds new ones. This class makes the changes of this process
 * one after the other, and combines waiting changes of the same kind. It pauses between two changes
 * for about as long as one change takes. Without this pause, each of two processes would continue
 * from its own last write and never see the other's changes.
 */
export class KeyList {
	/**
	 * Factor for the waits of this process. It is random, so that two processes do not keep
	 * colliding.
	 */
	readonly waitFactor = 1 + Math.random();

	private readonly waiting: Change[] = [];

	private isBusy = false;

	/** The largest History Size of all nodes that share the list. */
	private size = 0;

	/** Number of entries that this process has added since it started. */
	private added = 0;

	/**
	 * For each key in use, oldest first: the number of entries that had been added before its use
	 * began.
	 */
	private readonly inUse = new Set<{ addedBefore: number }>();

	/**
	 * Duration of a recent slow change in milliseconds. Other processes are assumed to be as slow.
	 */
	private changeMs = 0;

	/** The wait that ends last. */
	private lastWait = Promise.resolve();

	/** Milliseconds after which other processes have written the lists that they had read. */
	timeToWriteBack(least: number): number {
		return Math.min(Math.max(least, CHANGES * this.changeMs), MAX_WAIT_MS);
	}

	/**
	 * Waits at least for the given time. Waits end in the order in which they began, so that items
	 * take their keys in the order of the input.
	 */
	async waitInOrder(ms: number): Promise<void> {
		const before = this.lastWait;
		const wait = async () => {
			await sleep(ms);
			await before;
		};
		this.lastWait = wait();
		await this.lastWait;
	}

	/**
	 * Runs a task that uses a key. Entries that are added during the task do not evict entries of the
	 * key.
	 */
	async use<T>(task: () => Promise<T>): Promise<T> {
		const use = { addedBefore: this.added };
		this.inUse.add(use);
		try {
			return await task();
		} finally {
			this.inUse.delete(use);
		}
	}

	/**
	 * Adds entries to the list.
	 *
	 * @returns the entries that were not in the list before
	 */
	async add(access: ListAccess, entries: string[]): Promise<Set<string>> {
		// With its own, smaller History Size, a node would evict keys of the workflow's other nodes.
		this.size = access.scope === 'node' ? access.size : Math.max(this.size, access.size);
		this.added += entries.length;
		return await this.enqueue('add', access, entries);
	}

	/** Removes all entries, including those of Remove Duplicates nodes. */
	async clear(access: ListAccess): Promise<void> {
		await this.enqueue('clear', access, []);
	}

	async remove(access: ListAccess, entries: string[]): Promise<void> {
		await this.enqueue('remove', access, entries);
	}

	private get maxEntries(): number {
		const [oldest] = this.inUse;
		const addedMeanwhile = oldest ? this.added - oldest.addedBefore : 0;
		return Math.max(ENTRIES_PER_KEY * this.size, MIN_ENTRIES) + SPARE_ENTRIES + addedMeanwhile;
	}

	private async enqueue(kind: Kind, access: ListAccess, entries: string[]) {
		return await new Promise<Set<string>>((resolve, reject) => {
			this.waiting.push({ kind, access, entries, resolve, reject });
			if (!this.isBusy) void this.work();
		});
	}

	private async work(): Promise<void> {
		this.isBusy = true;
		// Changes that are requested in the same moment are combined.
		await Promise.resolve();
		for (let first = this.waiting[0]; first; first = this.waiting[0]) {
			const { kind, access } = first;
			const other = this.waiting.findIndex((change) => change.kind !== kind);
			const together = this.waiting.splice(0, other < 0 ? this.waiting.length : other);
			const entries = together.flatMap((change) => change.entries);
			const change = async () => await this.change(kind, access, entries);
			const startedAt = Date.now();
			try {
				// The first attempt fails if another process creates the list at the same moment.
				const added = await change().catch(change);
				for (const { resolve } of together) resolve(added);
			} catch (error) {
				for (const { reject } of together) reject(error);
			}
			// The measured time is limited, because the machine may have slept or its clock may have been
			// set.
			const tookMs = Math.min(Math.max(0, Date.now() - startedAt), MAX_WAIT_MS);
			this.changeMs = Math.max(tookMs, DECAY * this.changeMs);
			await sleep(tookMs * (0.5 + Math.random()));
		}
		this.isBusy = false;
	}

	private async change(
		kind: Kind,
		{ helpers, scope }: ListAccess,
		entries: string[],
	): Promise<Set<string>> {
		const options = { mode: 'entries' as const, maxEntries: this.maxEntries };
		if (kind === 'clear') await helpers.clearAllProcessedItems(scope, options);
		if (kind === 'remove') await helpers.removeProcessed(entries, scope, options);
		if (kind !== 'add') return new Set();
		const { new: added } = await helpers.checkProcessedAndRecord(entries, scope, options);
		return new Set(added.map(String));
	}
}
