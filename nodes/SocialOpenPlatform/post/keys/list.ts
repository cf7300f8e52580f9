import { sleep, type DeduplicationHelperFunctions } from 'n8n-workflow';

/** Number of entries that n8n keeps. It evicts the oldest ones when it adds new ones. */
const MAX_ENTRIES = 10_000;

/** Milliseconds within which a fast database writes a list that a process has read. */
const WRITE_BACK_MS = 70;

/**
 * Number of changes after which two processes that change the list in turns have seen each other's
 * entries.
 */
const CHANGES = 6;

const MAX_WRITE_BACK_MS = 3_000;

/** Decay of the estimated duration of a change. */
const DECAY = 0.8;

export type ListHelpers = Pick<
	DeduplicationHelperFunctions,
	'checkProcessedAndRecord' | 'removeProcessed'
>;

interface Change {
	kind: 'add' | 'remove';
	entries: string[];
	helpers: ListHelpers;
	resolve: (added: Set<string>) => void;
	reject: (error: unknown) => void;
}

/**
 * The list of a workflow in n8n's database. n8n reads, changes and writes the whole list without a
 * lock. This class makes the changes of this process one after the other, and combines waiting
 * changes of the same kind. It pauses between two changes for about as long as one change takes.
 * Without this pause, each of two processes would continue from its own last write and never see
 * the other's changes.
 */
export class KeyList {
	private waiting: Change[] = [];

	private isBusy = false;

	/**
	 * Duration of a recent slow change in milliseconds. Other processes are assumed to be as slow.
	 */
	private changeMs = 0;

	/** Random, so that the waits of two processes do not keep ending at the same time. */
	private readonly waitFactor = 1 + Math.random();

	/** The wait that ends last. */
	private lastWait = Promise.resolve();

	private readonly periods = new Map<number, Promise<void>>();

	/**
	 * Waits until other processes have written the lists that they have read. Waits end in the order
	 * in which they began, so that items take their keys in the order of the input.
	 */
	async waitForOthers() {
		const before = this.lastWait;
		const wait = async () => {
			await sleep(this.waitFactor * this.timeToWriteBack);
			await before;
		};
		this.lastWait = wait();
		await this.lastWait;
	}

	/**
	 * Waits for at least the given time, and for other processes. Waits that began at about the same
	 * time end together, so that the changes after them are combined.
	 */
	async waitTogether(ms: number) {
		// The current period may end too early, but the next one is complete.
		for (let periods = 0; periods < 2; periods++) {
			const period = this.periods.get(ms) ?? sleep(Math.max(ms, this.timeToWriteBack));
			this.periods.set(ms, period);
			await period;
			if (this.periods.get(ms) === period) this.periods.delete(ms);
		}
	}

	/**
	 * Adds entries to the list.
	 *
	 * @returns the entries that were not in the list before
	 */
	async add(helpers: ListHelpers, entries: string[]) {
		return await this.enqueue('add', helpers, entries);
	}

	async remove(helpers: ListHelpers, entries: string[]) {
		await this.enqueue('remove', helpers, entries);
	}

	private get timeToWriteBack() {
		return Math.min(Math.max(WRITE_BACK_MS, CHANGES * this.changeMs), MAX_WRITE_BACK_MS);
	}

	private async enqueue(kind: Change['kind'], helpers: ListHelpers, entries: string[]) {
		return await new Promise<Set<string>>((resolve, reject) => {
			this.waiting.push({ kind, helpers, entries, resolve, reject });
			if (!this.isBusy) void this.work();
		});
	}

	private async work() {
		this.isBusy = true;
		// Changes that are requested in the same moment are combined.
		await Promise.resolve();
		for (let first = this.waiting[0]; first; first = this.waiting[0]) {
			const { kind, helpers } = first;
			const together = this.waiting.filter((change) => change.kind === kind);
			this.waiting = this.waiting.filter((change) => change.kind !== kind);
			const entries = together.flatMap((change) => change.entries);
			const startedAt = Date.now();
			try {
				const added = await makeChange(kind, helpers, entries);
				// An entry that several changes add is new only for the first one.
				for (const { entries: own, resolve } of together) {
					resolve(new Set(own.filter((entry) => added.delete(entry))));
				}
			} catch (error) {
				for (const { reject } of together) reject(error);
			}
			// The measured time is limited, because the machine may have slept or its clock may have been
			// set.
			const tookMs = Math.min(Math.max(0, Date.now() - startedAt), MAX_WRITE_BACK_MS);
			this.changeMs = Math.max(tookMs, DECAY * this.changeMs);
			await sleep(tookMs * (0.5 + Math.random()));
		}
		this.isBusy = false;
	}
}

async function makeChange(
	kind: Change['kind'],
	helpers: ListHelpers,
	entries: string[],
): Promise<Set<string>> {
	// Entries that are removed again at once must not evict others.
	const options = { mode: 'entries' as const, maxEntries: MAX_ENTRIES + entries.length };
	if (kind === 'remove') {
		await helpers.removeProcessed(entries, 'workflow', options);
		return new Set();
	}
	const { new: added } = await helpers.checkProcessedAndRecord(entries, 'workflow', options);
	return new Set(added.map(String));
}
