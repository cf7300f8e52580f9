import type { DeduplicationHelperFunctions } from 'n8n-workflow';
import type { KeyScope } from './keyScope';

/** n8n's own memory of what was seen, in its database: one list for a node, one for a workflow. */
export type SeenHelpers = Pick<
	DeduplicationHelperFunctions,
	'checkProcessedAndRecord' | 'removeProcessed' | 'clearAllProcessedItems'
>;

/** One way to that list, for the length of a run. */
export interface ListAccess {
	helpers: SeenHelpers;
	scope: KeyScope;
	/** Entries that are kept; the oldest go first. */
	most: number;
}

interface Deed {
	kind: 'add' | 'remove' | 'clear';
	entries: string[];
	access: ListAccess;
	done: (added: Set<string>) => void;
	failed: (error: unknown) => void;
}

/**
 * A list of entries in n8n's database. n8n reads, changes and writes back the whole list without a
 * lock, so within this process its changes are made one after the other, those that are waiting for it
 * together.
 */
export class KeyBook {
	private readonly waiting: Deed[] = [];

	private isBusy = false;

	/** The most that anybody wants to be kept. */
	private most = 0;

	/** @returns which of the entries were not there before */
	async add(access: ListAccess, entries: string[]): Promise<Set<string>> {
		return await this.enqueue('add', access, entries);
	}

	/** Takes out everything, what others put into the same list included. */
	async clear(access: ListAccess): Promise<void> {
		await this.enqueue('clear', access, []);
	}

	async remove(access: ListAccess, entries: string[]): Promise<void> {
		await this.enqueue('remove', access, entries);
	}

	private async enqueue(kind: Deed['kind'], access: ListAccess, entries: string[]) {
		// A node that wants fewer would cost the workflow's other nodes their entries.
		this.most = access.scope === 'node' ? access.most : Math.max(this.most, access.most);
		return await new Promise<Set<string>>((done, failed) => {
			this.waiting.push({ kind, access, entries, done, failed });
			if (!this.isBusy) void this.work();
		});
	}

	private async work(): Promise<void> {
		this.isBusy = true;
		// Whoever asks in the same moment is served together.
		await Promise.resolve();
		for (let first = this.waiting[0]; first; first = this.waiting[0]) {
			const other = this.waiting.findIndex(({ kind }) => kind !== first.kind);
			const together = this.waiting.splice(0, other < 0 ? this.waiting.length : other);
			const entries = together.flatMap((deed) => deed.entries);
			try {
				const added = await change(first.kind, { ...first.access, most: this.most }, entries);
				for (const { done } of together) done(added);
			} catch (error) {
				for (const { failed } of together) failed(error);
			}
		}
		this.isBusy = false;
	}
}

async function change(
	kind: Deed['kind'],
	{ helpers, scope, most }: ListAccess,
	entries: string[],
): Promise<Set<string>> {
	const options = { mode: 'entries' as const, maxEntries: most };
	if (kind === 'clear') {
		await helpers.clearAllProcessedItems(scope, options);
		return new Set();
	}
	if (kind === 'remove') {
		await helpers.removeProcessed(entries, scope, options);
		return new Set();
	}
	const { new: added } = await helpers.checkProcessedAndRecord(entries, scope, options);
	return new Set(added.map(String));
}
