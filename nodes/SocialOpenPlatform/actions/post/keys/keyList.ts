import { sleep } from 'n8n-workflow';
import { change, type Change, type ListAccess } from './seenList';

/** More changes than two processes make in turns without seeing each other's. */
const CHANGES = 6;

/** However slow n8n's database is. */
const MAX_WAIT_MS = 3_000;

/** What is left of a slow change when the next one is quicker. */
const FADING = 0.8;

interface Deed {
	kind: Change;
	entries: string[];
	access: ListAccess;
	done: (added: Set<string>) => void;
	failed: (error: unknown) => void;
}

/**
 * A list of entries in n8n's database. n8n reads, changes and writes back the whole list without a
 * lock, so within this process its changes are made one after the other, those that are waiting for it
 * together. Between two of them it is left alone for about as long as one takes: two processes without a
 * pause would each go on from what they wrote themselves, and never see what the other one did.
 */
export class KeyList {
	private readonly waiting: Deed[] = [];

	private isBusy = false;

	/** The most that anybody wants to be kept. */
	private most = 0;

	/** How many milliseconds a change takes these days, at worst; other processes need about as long. */
	private changeMs = 0;

	/** Milliseconds in which other processes have written back what they had read; at least so many. */
	timeToWriteBack(least: number): number {
		return Math.min(Math.max(least, CHANGES * this.changeMs), MAX_WAIT_MS);
	}

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

	private async enqueue(kind: Change, access: ListAccess, entries: string[]) {
		// Forget Keys does not know how many are kept, and only adding drops any. A node that wants fewer
		// would cost the workflow's other nodes their entries.
		if (kind === 'add') {
			this.most = access.scope === 'node' ? access.most : Math.max(this.most, access.most);
		}
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
			const access = { ...first.access, most: this.most };
			const deed = async () => await change(first.kind, access, entries);
			const begun = Date.now();
			try {
				// Another process may have begun the list in this moment: then n8n fails to begin it.
				const added = await deed().catch(deed);
				for (const { done } of together) done(added);
			} catch (error) {
				for (const { failed } of together) failed(error);
			}
			// The machine may have slept, or its clock been set.
			const tookMs = Math.min(Date.now() - begun, MAX_WAIT_MS);
			this.changeMs = Math.max(tookMs, FADING * this.changeMs);
			await sleep(tookMs * (0.5 + Math.random()));
		}
		this.isBusy = false;
	}
}
