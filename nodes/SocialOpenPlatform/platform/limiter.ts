import { sleep } from 'n8n-workflow';
import { waitBefore } from './codes';
import { type Outcome } from './outcome';

export interface LimiterOptions {
	/** Maximum number of items whose requests are sent at the same time. */
	maxConcurrent: number;
	/** Minimum number of milliseconds between the turns of two requests. */
	intervalMs: number;
	/** Aborted when the execution is canceled. */
	signal?: AbortSignal;
}

/**
 * Minimum interval between two requests, in milliseconds. Node.js needs about this time to send a
 * request and to read its response. Requests that are sent together would wait for each other, and
 * would stay together for the whole run.
 */
const MIN_INTERVAL_MS = 3;

/** Maximum number of times that an item is sent. */
const MAX_SENDS = 10;

/** Maximum number of times that an item is sent if responses are not in the platform's format. */
const MAX_FOREIGN_SENDS = 3;

/**
 * Number of items in progress for each concurrent request. Items are read ahead, so that the next
 * one is ready when a response arrives.
 */
const READ_AHEAD = 2;

/** Longest sleep in milliseconds. A waiting item notices the end of the run within this time. */
const MAX_SLEEP_MS = 200;

/** One attempt to send an item. */
interface Attempt {
	isFirst: boolean;
	/**
	 * Pauses the run if another attempt follows an outcome, and returns whether it does. Only a rate
	 * limit leads to one, because it means that the platform has not accepted the request.
	 */
	pauseToResend(outcome: Outcome<unknown>): boolean;
}

/**
 * Processes a run's items in order. An item starts when fewer than the maximum number of items are
 * active. Each of its requests then waits for its turn: until the interval since the last request
 * and all pauses after rate limits are over.
 */
export class Limiter {
	/** Milliseconds that the run has waited for rate limits. */
	rateLimitMs = 0;

	/**
	 * The items that have neither started nor ended, in order. Each value is a function that starts
	 * the item, or undefined until the item is ready.
	 */
	private readonly waiting = new Map<number, (() => void) | undefined>();

	/** Number of items that have started and have not ended. */
	private active = 0;

	/** The index of the last item that may still be sent. */
	private lastItem = Infinity;

	/** The turn of the last queued request. It resolves to whether the request may be sent. */
	private lastTurn = Promise.resolve(true);

	/**
	 * The earliest time of the next turn, as a value of `performance.now()`, which changes to the
	 * system clock do not affect.
	 */
	private nextTurnAt = 0;

	private pausedUntil = 0;

	constructor(private readonly options: LimiterOptions) {}

	/**
	 * Processes a run's items. Items are read ahead, but the first attempt of each waits until all
	 * items before it have started or ended. If an item ends the run, the requests under way are
	 * completed.
	 *
	 * @param processItem resolves to the index of the last item that may still be sent, and must not
	 * reject
	 */
	async forEachItem(count: number, processItem: (itemIndex: number) => Promise<number>) {
		const inProgress = new Set<Promise<void>>();
		for (let item = 0; item < count && !this.isStopped(item); item++) {
			this.waiting.set(item, undefined);
			const processing = processItem(item).then((lastItem) => {
				// An item that no longer waits has started.
				if (!this.waiting.delete(item)) this.active--;
				this.lastItem = Math.min(this.lastItem, lastItem);
				inProgress.delete(processing);
				this.startNext();
			});
			inProgress.add(processing);
			if (inProgress.size >= READ_AHEAD * this.options.maxConcurrent) {
				await Promise.race(inProgress);
			}
			// A request that has just started leaves first, because reading an item would delay it.
			await sleep(this.active && MIN_INTERVAL_MS);
		}
		await Promise.all(inProgress);
	}

	/**
	 * Yields the attempts to send an item. The item starts when all items before it have started or
	 * ended, and fewer than the maximum number of items are active. Every attempt then waits for its
	 * turn. There is no further attempt if the item may no longer be sent.
	 *
	 * @param maxWaitMs milliseconds to wait in total for rate limits; with 0, there is one attempt
	 */
	async *attempts(itemIndex: number, maxWaitMs: number): AsyncGenerator<Attempt> {
		let timeLeft = maxWaitMs;
		let maySend = await new Promise<boolean>((resolve) => {
			this.waiting.set(itemIndex, () => resolve(this.waitForTurn(itemIndex)));
			this.startNext();
		});
		for (let sends = 1; maySend; sends++) {
			let isResent = false;
			const pauseToResend = (outcome: Outcome<unknown>) => {
				const { cause, isForeign } = ('failure' in outcome && outcome.failure) || {};
				if (cause?.cause !== 'rate-limited') return false;
				if (sends >= (isForeign ? MAX_FOREIGN_SENDS : MAX_SENDS)) return false;
				const wait = waitBefore(cause.retryAfterMs, sends, Math.random());
				if (wait > timeLeft) return false;
				timeLeft -= wait;
				this.pauseUntil(performance.now() + wait);
				return (isResent = true);
			};
			yield { isFirst: sends === 1, pauseToResend };
			maySend = isResent && (await this.waitForTurn(itemIndex));
		}
	}

	/**
	 * Waits until the interval and all pauses are over, and returns whether the item may still be
	 * sent.
	 */
	private async waitForTurn(itemIndex: number): Promise<boolean> {
		this.lastTurn = this.lastTurn.then(async () => await this.waitForTime(itemIndex));
		return await this.lastTurn;
	}

	/**
	 * Delays all further turns of the run until the given value of `performance.now()`, because the
	 * platform has reported a rate limit.
	 */
	pauseUntil(time: number) {
		this.pausedUntil = Math.max(this.pausedUntil, time);
	}

	private startNext() {
		for (const [item, start] of this.waiting) {
			if (!start || this.active >= this.options.maxConcurrent) return;
			this.waiting.delete(item);
			this.active++;
			start();
		}
	}

	private isStopped(item: number) {
		return item > this.lastItem || this.options.signal?.aborted;
	}

	private async waitForTime(item: number) {
		while (!this.isStopped(item)) {
			const now = performance.now();
			const wait = Math.max(this.nextTurnAt, this.pausedUntil) - now;
			if (wait <= 0) {
				this.nextTurnAt = now + Math.max(MIN_INTERVAL_MS, this.options.intervalMs);
				return true;
			}
			await sleep(Math.min(wait, MAX_SLEEP_MS));
			if (now < this.pausedUntil) this.rateLimitMs += performance.now() - now;
		}
		return false;
	}
}

/** The last queued task per key. */
const queues = new Map<string, Promise<unknown>>();

/** Runs a task after all earlier tasks with the same key have ended, with or without an error. */
export async function enqueue<T>(key: string, task: () => Promise<T>): Promise<T> {
	const before = queues.get(key);
	const mine = (async () => {
		if (before) await before.catch(() => undefined);
		return await task();
	})();
	queues.set(key, mine);
	try {
		return await mine;
	} finally {
		if (queues.get(key) === mine) queues.delete(key);
	}
}
