import { sleep, type DeduplicationHelperFunctions, type DeduplicationScope } from 'n8n-workflow';

/**
 * Entries that are kept at least, whatever History Size says: enough for the claims of all processes.
 * Evicting an entry of an open key could let another process send its post.
 */
const MIN_ENTRIES = 10_000;

/** Entries of an accepted key. */
const ENTRIES_PER_KEY = 2;

/** Entries that are kept beyond that, because a key of unknown outcome has more. */
const SPARE_ENTRIES = 500;

/** After this many changes, two processes that change the list in turns see each other's. */
const CHANGES = 6;

const MAX_WAIT_MS = 3_000;

/** How much of the duration of a slow change is assumed for the next, faster one. */
const DECAY = 0.8;

/** How a run reaches the list, which belongs to a node or to a workflow. */
export interface ListAccess {
	helpers: Pick<
		DeduplicationHelperFunctions,
		'checkProcessedAndRecord' | 'removeProcessed' | 'clearAllProcessedItems'
	>;
	scope: DeduplicationScope;
	/** Keys that are remembered at least. */
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
 * A list of entries in n8n's database. n8n reads, changes and writes the whole list without a lock, and
 * evicts the oldest entries when it adds some. This class makes the changes of this process one after
 * the other, and combines waiting changes of the same kind. It pauses between two changes for about as
 * long as one takes: without a pause, two processes would each continue from their own last write and
 * never see the changes of the other.
 */
export class KeyList {
	/** Each process waits its own multiple of a time, so that processes do not stay in step. */
	readonly ownMultiple = 1 + Math.random();

	private readonly waiting: Change[] = [];

	private isBusy = false;

	/** The largest History Size of the nodes that share the list. */
	private size = 0;

	/** Entries that this process has ever added. */
	private added = 0;

	/** For each key in use, oldest first: how many entries had been added when its use began. */
	private readonly inUse = new Set<{ addedBefore: number }>();

	/** The duration of a slow change; other processes need about as long. */
	private changeMs = 0;

	/** Milliseconds after which other processes have written what they had read before. */
	timeToWriteBack(least: number): number {
		return Math.min(Math.max(least, CHANGES * this.changeMs), MAX_WAIT_MS);
	}

	/** Runs a task with a key. Entries that are added meanwhile evict none of the key. */
	async use<T>(task: () => Promise<T>): Promise<T> {
		const use = { addedBefore: this.added };
		this.inUse.add(use);
		try {
			return await task();
		} finally {
			this.inUse.delete(use);
		}
	}

	/** @returns which of the entries were not in the list before */
	async add(access: ListAccess, entries: string[]): Promise<Set<string>> {
		// A node with a smaller History Size would evict the keys of the workflow's other nodes.
		this.size = access.scope === 'node' ? access.size : Math.max(this.size, access.size);
		this.added += entries.length;
		return await this.enqueue('add', access, entries);
	}

	/** Removes everything, entries of Remove Duplicates nodes included. */
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
		// Changes requested in the same moment are made together.
		await Promise.resolve();
		for (let first = this.waiting[0]; first; first = this.waiting[0]) {
			const { kind, access } = first;
			const other = this.waiting.findIndex((change) => change.kind !== kind);
			const together = this.waiting.splice(0, other < 0 ? this.waiting.length : other);
			const entries = together.flatMap((change) => change.entries);
			const change = async () => await this.change(kind, access, entries);
			const begun = Date.now();
			try {
				// n8n cannot create the list when another process creates it at the same moment.
				const added = await change().catch(change);
				for (const { resolve } of together) resolve(added);
			} catch (error) {
				for (const { reject } of together) reject(error);
			}
			// The machine may have slept, or its clock may have been set.
			const tookMs = Math.min(Math.max(0, Date.now() - begun), MAX_WAIT_MS);
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
