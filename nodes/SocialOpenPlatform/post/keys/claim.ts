import { randomUUID } from 'node:crypto';
import { OperationalError, sleep, type IExecuteFunctions } from 'n8n-workflow';
import { enqueue } from '../../platform/limiter';
import type { Failed, Outcome } from '../../platform/outcome';
import { KeyList, type ListHelpers } from './list';

/*
 * n8n keeps a list of strings for each workflow in its database. A deduplication key is stored as
 * several entries of this list. The algorithm assumes:
 * 1. A change reads the whole list, adds or removes entries, and writes the list without a lock.
 * 2. Adding entries reports which of them were not in the list. The list cannot be read otherwise.
 * 3. A wait ends after other processes have written the lists that they read before the wait.
 * 4. A process may end at any moment. n8n evicts the oldest entries.
 *
 *   entries of a key            state of the key
 *   none                        free
 *   taken, open, busy, claims   in use, or its process has ended
 *   taken, open                 the outcome of its post is unknown
 *   taken                       its post was accepted
 *
 * Each attempt to take a key also adds a unique entry, which is its claim. The attempt that adds
 * `busy` takes the key if all its entries are still in the list after each of two waits. From then
 * on, every list that another process has read contains the claim. If such a list is written late,
 * it restores entries that the attempt has removed, and the claim among them shows this. A check
 * for a late list adds only the claim, so that a cleared key stays free.
 */

/**
 * Number of times in a row that a claim must be found. Once is not enough, because two other
 * processes that write their lists at the same moment may remove the claim and restore it.
 */
const CONFIRMATIONS = 2;

/** Maximum number of times that a claim adds its entries, which other processes may overwrite. */
const MAX_ATTEMPTS = 10;

/** Minimum number of milliseconds before each check whether removed entries have come back. */
const CHECK_MS = 500;

/**
 * Maximum number of checks whether removed entries have come back. The checks take at least a
 * minute, so that an outcome is recorded even if the database is unavailable for a while.
 */
const MAX_CHECKS = 120;

/**
 * The state of a key. It is `busy` while the key is in use, or if the process that used it has
 * ended without recording an outcome.
 */
type KeyState = 'free' | 'accepted' | 'unknown' | 'busy';

/** One attempt to use a key. */
export class KeyClaim {
	private readonly entries;

	private state: KeyState = 'free';

	constructor(
		private readonly list: Pick<KeyList, 'add' | 'remove' | 'wait' | 'waitForOthers'>,
		private readonly helpers: ListHelpers,
		name: string,
	) {
		const claim = `${name} ${randomUUID()}`;
		// The order matters: `settle` keeps the first entries, and the claim is the last one.
		this.entries = [`${name} taken`, `${name} open`, `${name} busy`, claim] as const;
	}

	/**
	 * Takes the key if it is not in use, and if its state is one of the given ones.
	 *
	 * @param isForced whether to take the key even if it is in use
	 * @returns the state in which the key was found
	 * @throws OperationalError if other processes keep overwriting the list
	 */
	async take(states: KeyState[], isForced = false): Promise<KeyState> {
		const [taken, open, busy, claim] = this.entries;
		const add = async () => await this.list.add(this.helpers, this.entries);
		let confirmations = 0;
		for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
			if (attempts > 0) await this.list.waitForOthers();
			// Adding may fail once if another process creates the list at the same moment.
			const added = attempts === 0 ? await add().catch(add) : await add();
			const isNew = attempts === 0 || added.has(claim);
			if (isNew && !added.has(busy) && !isForced) {
				await this.list.remove(this.helpers, [...added]);
				return 'busy';
			}
			if (isNew || (isForced && added.size > 0)) {
				const isFree = added.has(taken) && added.has(open);
				this.state = isFree ? 'free' : added.has(open) ? 'accepted' : 'unknown';
				if (!states.includes(this.state)) {
					await this.remove([...added]);
					return this.state;
				}
			}
			confirmations = added.size === 0 ? confirmations + 1 : 0;
			if (confirmations === CONFIRMATIONS) return this.state;
		}
		throw new OperationalError('Other n8n processes keep overwriting the list of keys');
	}

	/**
	 * Records an attempt's outcome, even if nothing was sent. A key in the state `unknown` stays in it
	 * until the platform accepts a post.
	 */
	async settle(outcome: Outcome<unknown>['kind']) {
		const isUnknown = outcome === 'unknown' || this.state === 'unknown';
		const kept = outcome === 'accepted' ? 1 : isUnknown ? 2 : 0;
		await this.remove(this.entries.slice(kept));
	}

	/**
	 * Clears the key. A post that is being sent with it may then be sent again.
	 *
	 * @returns whether the key was in the list
	 */
	async clear(): Promise<boolean> {
		const state = await this.take(['free', 'accepted', 'unknown'], true);
		await this.list.remove(this.helpers, this.entries);
		await this.keepRemoved(this.entries);
		return state !== 'free';
	}

	/**
	 * Removes entries now, and removes them again later if they have come back. Callers do not wait
	 * for the later checks.
	 */
	private async remove(entries: readonly string[]) {
		await this.list.remove(this.helpers, entries).catch(() => undefined);
		void this.keepRemoved(entries);
	}

	/**
	 * Checks whether the claim has come back. If it has, the given entries came back with it and are
	 * removed again. Another process may have taken the key since then, so the claim must be found
	 * twice in a row.
	 */
	private async keepRemoved(entries: readonly string[]) {
		const { list, helpers } = this;
		const claims = this.entries.slice(3);
		let found = 0;
		for (let checks = 0; checks < MAX_CHECKS; checks++) {
			await list.wait(CHECK_MS);
			try {
				const { size } = await list.add(helpers, claims);
				if (size > 0) return await list.remove(helpers, claims);
				if (++found >= CONFIRMATIONS) await list.remove(helpers, entries);
			} catch {
				// The database may be available at the next check.
			}
		}
	}
}

/** The content types whose keys *Clear Deduplication Keys* clears. */
export const CONTENT_TYPES = ['POST', 'REEL', 'STORY'];

const NOT_SAVED: Failed = {
	kind: 'invalid',
	failure: {
		message: 'Nothing was sent: this workflow was never saved',
		description:
			"'Deduplication Key' needs a saved workflow to keep its keys. Save the workflow, then run it.",
	},
};

/** Maximum wait, in milliseconds, for another process to release a key before the post fails. */
const MAX_WAIT_MS = 10_000;

const POLL_MS = 1_000;

const lists = new Map<string, KeyList>();

function newClaim({ helpers }: IExecuteFunctions, workflowId: string, name: string) {
	const list = lists.get(workflowId) ?? new KeyList();
	lists.set(workflowId, list);
	return new KeyClaim(list, helpers, name);
}

/** Returns the beginning of a key's entries in n8n's list. */
function entryNameOf(keyParts: readonly unknown[]) {
	return JSON.stringify(['social-open-platform', ...keyParts]);
}

/**
 * Returns the parts that identify the key of a post.
 *
 * @param app digest of the App ID
 */
export function postKey(app: string, account: unknown, contentType: unknown, key: string) {
	return ['post', app, account, contentType, key];
}

/** The result of an attempt to take the key of a post. */
interface FoundKey {
	/** The state of the key. It is also `unknown` if the key is still in use. */
	state: Exclude<KeyState, 'busy'>;
	/**
	 * Records the attempt's outcome, and lets waiting attempts of this process use the key. The
	 * function must be called exactly once, even if nothing was sent. It is absent if the attempt
	 * must not use the key.
	 */
	settle?: (outcome: Outcome<unknown>['kind']) => Promise<void>;
}

/**
 * Takes a key for one attempt to send a post, after all earlier uses of the key by this process.
 *
 * @param keyParts parts that together identify the post in the workflow
 * @param resendAfterMs if given, the key is taken even if an earlier outcome is unknown; after this
 * number of milliseconds, it is also taken from another process that still uses it
 */
export async function takeKey(
	context: IExecuteFunctions,
	keyParts: readonly unknown[],
	resendAfterMs?: number,
): Promise<FoundKey | Failed> {
	const { id } = context.getWorkflow();
	if (!id) return NOT_SAVED;
	const name = entryNameOf(keyParts);
	// Waits until all earlier attempts have released the key. `release` lets the next attempt start.
	const release = await new Promise<() => void>((begin) => {
		void enqueue(`${id} ${name}`, async () => await new Promise<void>(begin));
	});
	const resends = resendAfterMs !== undefined;
	const endsAt = performance.now() + (resendAfterMs ?? MAX_WAIT_MS);
	for (;;) {
		const isOver = performance.now() >= endsAt;
		const claim = newClaim(context, id, name);
		const taking = claim.take(resends ? ['free', 'unknown'] : ['free'], resends && isOver);
		const state = await taking.catch(unavailable);
		if (state === 'busy' && !isOver && !context.getExecutionCancelSignal()?.aborted) {
			await sleep(POLL_MS);
		} else if (state === 'free' || (state === 'unknown' && resends)) {
			const settle: FoundKey['settle'] = async (outcome) => {
				await claim.settle(outcome);
				release();
			};
			return { state, settle };
		} else {
			release();
			return typeof state === 'object' ? state : { state: state === 'busy' ? 'unknown' : state };
		}
	}
}

/**
 * Clears keys after this process has stopped using them.
 *
 * @returns whether each key was in the list
 */
export async function clearKeys(
	context: IExecuteFunctions,
	keys: Array<readonly unknown[]>,
): Promise<boolean[] | Failed> {
	const { id } = context.getWorkflow();
	if (!id) return NOT_SAVED;
	const clear = async (keyParts: readonly unknown[]) => {
		const name = entryNameOf(keyParts);
		const claim = newClaim(context, id, name);
		return await enqueue(`${id} ${name}`, async () => await claim.clear());
	};
	return await Promise.all(keys.map(clear)).catch(unavailable);
}

function unavailable(error: Error): Failed {
	const message = 'Nothing was sent: n8n could not read or change its list of keys in its database';
	const description = `${error.message}. Retry when the database is available. If the outcome of the post is then unknown although it was not sent, clear its Deduplication Key if it has one, or turn on 'Resend If Outcome Unknown'.`;
	return { kind: 'not_sent', failure: { message, description } };
}
