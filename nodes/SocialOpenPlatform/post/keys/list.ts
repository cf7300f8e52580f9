import { sleep, type DeduplicationHelperFunctions } from 'n8n-workflow';

/** Maximum number of entries in a list. n8n evicts the oldest entries when it adds more. */
const MAX_ENTRIES = 10_000;

/**
 * Assumed maximum time, in milliseconds, between reading and writing a list in another process, if
 * the database is fast.
 */
const WRITE_BACK_MS = 70;

/**
 * Number of changes after which two processes that change the list alternately have seen each
 * other's entries.
 */
const CHANGES = 6;

const MAX_WRITE_BACK_MS = 3_000;

export type ListHelpers = Pick<
	DeduplicationHelperFunctions,
	'checkProcessedAndRecord' | 'removeProcessed'
>;

interface Change {
	kind: 'add' | 'remove';
	helpers: ListHelpers;
	entries: readonly string[];
	resolve: (added: Set<string>) => void;
	reject: (error: unknown) => void;
}

/**
 * A workflow's list in n8n's database. n8n reads, changes and writes the whole list without a lock.
 * This class makes the changes of this process one after the other, and combines waiting changes of
 * the same kind.
 */
export class KeyList {
	private waiting: Change[] = [];

	private lastChange = Promise.resolve();

	/** Duration of a recent slow change, in milliseconds. Other processes may be as slow. */
	private changeMs = 0;

	/**
	 * Factor by which each wait is multiplied. The factor is random, so that the waits of two
	 * processes do not keep ending at the same time.
	 */
	private readonly waitFactor = 1 + Math.random() / 2;

	/** The wait that ends last. */
	private lastWait = Promise.resolve();

	/**
	 * Waits long enough for other processes to write the lists that they have read. Waits end in the
	 * order in which they began, so that items take their keys in the order of the input.
	 */
	async waitForOthers() {
		const before = this.lastWait;
		this.lastWait = this.wait().then(async () => await before);
		await this.lastWait;
	}

	/**
	 * Waits for at least the given time, and long enough for other processes to write the lists that
	 * they have read.
	 */
	async wait(ms = 0) {
		const writeBackMs = Math.min(
			Math.max(WRITE_BACK_MS, CHANGES * this.changeMs),
			MAX_WRITE_BACK_MS,
		);
		await sleep(Math.max(ms, this.waitFactor * writeBackMs));
	}

	/**
	 * Adds entries to the list.
	 *
	 * @returns the entries that were not in the list before
	 */
	async add(helpers: ListHelpers, entries: readonly string[]) {
		return await this.change('add', helpers, entries);
	}

	async remove(helpers: ListHelpers, entries: readonly string[]) {
		await this.change('remove', helpers, entries);
	}

	private async change(kind: Change['kind'], helpers: ListHelpers, entries: readonly string[]) {
		return await new Promise<Set<string>>((resolve, reject) => {
			this.waiting.push({ kind, helpers, entries, resolve, reject });
			this.lastChange = this.lastChange.then(async () => await this.makeNext());
		});
	}

	/** Makes all waiting changes of the same kind as the first one. */
	private async makeNext() {
		const [first] = this.waiting;
		if (!first) return;
		const together = this.waiting.filter(({ kind }) => kind === first.kind);
		this.waiting = this.waiting.filter(({ kind }) => kind !== first.kind);
		const entries = together.flatMap((change) => change.entries);
		const startedAt = performance.now();
		try {
			const added = await makeChange({ ...first, entries });
			// If several changes add the same entry, it is new only for the first of them.
			for (const { entries: own, resolve } of together) {
				resolve(new Set(own.filter((entry) => added.delete(entry))));
			}
		} catch (error) {
			for (const { reject } of together) reject(error);
		}
		// The duration is limited, because the machine may have slept.
		const tookMs = Math.min(performance.now() - startedAt, MAX_WRITE_BACK_MS);
		this.changeMs = Math.max(tookMs, 0.8 * this.changeMs);
		await sleep(tookMs * (0.5 + Math.random()));
	}
}

async function makeChange({ kind, helpers, entries }: Change): Promise<Set<string>> {
	// The limit is raised by the new entries, because most of them are soon removed and must not
	// evict others.
	const options = { mode: 'entries' as const, maxEntries: MAX_ENTRIES + entries.length };
	if (kind === 'remove') {
		await helpers.removeProcessed([...entries], 'workflow', options);
		return new Set();
	}
	const { new: added } = await helpers.checkProcessedAndRecord([...entries], 'workflow', options);
	return new Set(added.map(String));
}
