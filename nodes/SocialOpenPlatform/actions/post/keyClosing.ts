import { sleep } from 'n8n-workflow';
import type { KeyBook } from './keyBook';
import type { KeyEntries } from './keyEntries';
import type { ListAccess } from './seenList';

/** Milliseconds in which whoever has read the list has written it back, even while it starts up. */
const LOOK_AGAIN_MS = 500;

interface Closed {
	entries: KeyEntries;
	access: ListAccess;
	/** Whether the key was not freed meanwhile. */
	isStillClosed: () => boolean;
	/** Milliseconds since 1970. */
	since: number;
}

/**
 * Notes closed keys once more a while later, because another process of n8n may have written back a
 * list that it had read before. Nobody waits for it: one process alone has no need of it.
 */
export class KeyClosing {
	private closed: Closed[] = [];

	private isBusy = false;

	constructor(private readonly book: KeyBook) {}

	onceMore(closed: Omit<Closed, 'since'>): void {
		this.closed.push({ ...closed, since: Date.now() });
		if (!this.isBusy) void this.work();
	}

	private async work(): Promise<void> {
		this.isBusy = true;
		while (this.closed.length > 0) {
			const ms = this.book.timeToWriteBack(LOOK_AGAIN_MS);
			await sleep(ms);
			const isDue = ({ since }: Closed) => Date.now() - since >= ms;
			const due = this.closed.filter(isDue);
			this.closed = this.closed.filter((one) => !due.includes(one));
			// What n8n's database did not take has been noted once all the same.
			await this.note(due).catch(() => undefined);
		}
		this.isBusy = false;
	}

	private async note(due: Closed[]): Promise<void> {
		const still = due.filter(({ isStillClosed }) => isStillClosed());
		const last = still.at(-1);
		if (!last) return;
		const all = still.map(({ entries }) => entries);
		await this.book.add(
			last.access,
			all.map(({ taken }) => taken),
		);
		await this.book.remove(
			last.access,
			all.flatMap(({ passing }) => passing),
		);
	}
}
