import { sleep } from 'n8n-workflow';
import type { KeyList } from './keyList';
import type { KeyClaim } from './keyClaim';
import type { ListAccess } from './seenList';

/** Milliseconds in which whoever has read the list has written it back, even while it starts up. */
const LOOK_AGAIN_MS = 500;

/** How often that is tried while n8n's database does not answer. */
const MAX_TRIES = 5;

interface Settled {
	kind: 'closed' | 'freed';
	entries: KeyClaim;
	access: ListAccess;
	/** Whether nothing else has come of the key meanwhile. */
	isStillSo: () => boolean;
	/** Milliseconds since 1970. */
	since: number;
	tries: number;
}

/**
 * Notes once more a while later which keys are closed and which are free, because another process of n8n
 * may have written back a list that it had read before, and because n8n's database may not have answered.
 * Nobody waits for it.
 */
export class KeyRecheck {
	private settled: Settled[] = [];

	private isBusy = false;

	constructor(private readonly book: KeyList) {}

	onceMore(settled: Omit<Settled, 'since' | 'tries'>): void {
		this.settled.push({ ...settled, since: Date.now(), tries: 0 });
		if (!this.isBusy) void this.work();
	}

	private async work(): Promise<void> {
		this.isBusy = true;
		while (this.settled.length > 0) {
			const ms = this.book.timeToWriteBack(LOOK_AGAIN_MS);
			await sleep(ms);
			const isDue = ({ since }: Settled) => Date.now() - since >= ms;
			const due = this.settled.filter(isDue);
			this.settled = this.settled.filter((one) => !due.includes(one));
			await this.note('closed', due);
			await this.note('freed', due);
		}
		this.isBusy = false;
	}

	private async note(which: Settled['kind'], due: Settled[]): Promise<void> {
		const still = due.filter(({ kind, isStillSo }) => kind === which && isStillSo());
		const last = still.at(-1);
		if (!last) return;
		const all = still.map(({ entries }) => entries);
		const noted = which === 'closed' ? this.close(last.access, all) : this.free(last.access, all);
		await noted.catch(() => {
			const again = still.map((one) => ({ ...one, since: Date.now(), tries: one.tries + 1 }));
			this.settled.push(...again.filter(({ tries }) => tries < MAX_TRIES));
		});
	}

	private async close(access: ListAccess, all: KeyClaim[]): Promise<void> {
		await this.book.add(
			access,
			all.map(({ taken }) => taken),
		);
		await this.book.remove(
			access,
			all.flatMap(({ passing }) => passing),
		);
	}

	/** Where the claim is back, so is all of what was freed; where it is not, the key may be another's. */
	private async free(access: ListAccess, all: KeyClaim[]): Promise<void> {
		const claims = all.map(({ claim }) => claim);
		const added = await this.book.add(access, claims);
		const back = all.filter(({ claim }) => !added.has(claim));
		const entries = back.flatMap(({ taken, passing }) => [taken, ...passing]);
		await this.book.remove(access, [...claims.filter((claim) => added.has(claim)), ...entries]);
	}
}
