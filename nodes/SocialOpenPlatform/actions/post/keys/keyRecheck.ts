import { sleep } from 'n8n-workflow';
import type { KeyClaim } from './keyClaim';
import type { KeyList, ListAccess } from './keyList';

/** Milliseconds in which another process has written the list that it had read, even while it starts. */
const RECHECK_MS = 500;

/** Attempts while n8n's database does not answer. */
const MAX_ATTEMPTS = 5;

interface Result {
	kind: 'accepted' | 'freed';
	claim: KeyClaim;
	access: ListAccess;
	/** Whether the key was not used again meanwhile. */
	isCurrent: () => boolean;
	/** Milliseconds since 1970. */
	since: number;
	attempts: number;
}

/**
 * Records again a while later which keys are accepted and which are free: another process may have
 * overwritten the list, or n8n's database may not have answered. Nobody waits for it.
 */
export class KeyRecheck {
	private results: Result[] = [];

	private isBusy = false;

	constructor(private readonly list: KeyList) {}

	plan(result: Omit<Result, 'since' | 'attempts'>): void {
		this.results.push({ ...result, since: Date.now(), attempts: 0 });
		if (!this.isBusy) void this.work();
	}

	private async work(): Promise<void> {
		this.isBusy = true;
		while (this.results.length > 0) {
			const ms = this.list.timeToWriteBack(RECHECK_MS);
			await sleep(ms);
			// A clock that was set back must not keep them for hours.
			const isDue = ({ since }: Result) => Math.abs(Date.now() - since) >= ms;
			const due = this.results.filter(isDue);
			this.results = this.results.filter((one) => !due.includes(one));
			await this.record('accepted', due);
			await this.record('freed', due);
		}
		this.isBusy = false;
	}

	private async record(which: Result['kind'], due: Result[]): Promise<void> {
		const current = due.filter(({ kind, isCurrent }) => kind === which && isCurrent());
		const last = current.at(-1);
		if (!last) return;
		const claims = current.map(({ claim }) => claim);
		const recorded =
			which === 'accepted' ? this.accept(last.access, claims) : this.free(last.access, claims);
		await recorded.catch(() => {
			const again = current.map((one) => ({
				...one,
				since: Date.now(),
				attempts: one.attempts + 1,
			}));
			this.results.push(...again.filter(({ attempts }) => attempts < MAX_ATTEMPTS));
		});
	}

	private async accept(access: ListAccess, claims: KeyClaim[]): Promise<void> {
		await this.list.add(
			access,
			claims.flatMap(({ lasting }) => lasting),
		);
		await this.list.remove(
			access,
			claims.flatMap(({ passing }) => passing),
		);
	}

	/** If our claim is back, so are the entries that we removed. Otherwise the key may be another's. */
	private async free(access: ListAccess, claims: KeyClaim[]): Promise<void> {
		const added = await this.list.add(
			access,
			claims.map(({ claim }) => claim),
		);
		const entries = claims.flatMap(({ claim, lasting, passing }) =>
			added.has(claim) ? [claim] : [...lasting, ...passing],
		);
		await this.list.remove(access, entries);
	}
}
