import { stopped, type Outcome } from './outcome';

export interface LimiterOptions {
	/** The largest number of requests under way at the same time. */
	maxConcurrent: number;
	/** Milliseconds between the starts of two requests. */
	intervalMs: number;
	/** Whether the first failure stops all items that have not been sent. */
	stopsAtFailure: boolean;
	/** Aborted when the execution is cancelled. */
	signal?: AbortSignal;
}

/**
 * The shortest interval between two starts, in milliseconds. Node writes to a new connection in the next
 * turn of the event loop. Requests that start in the same turn would leave together, come back together,
 * and stay together for the whole run.
 */
const MIN_INTERVAL_MS = 1;

/**
 * Limits the requests of one run: how many are under way, how far apart they start, and how long they
 * pause for the platform's rate limit. Items start in the order in which they arrive.
 */
export class Limiter {
	/** How often the platform reported a rate limit, and for how long the run paused. */
	readonly rateLimits = { responses: 0, waitedMs: 0 };

	/** Items that wait until another one is done. */
	private readonly queue: Array<() => void> = [];

	/** Ends the timers of items that wait for a point in time. */
	private readonly wakeUps = new Set<() => void>();

	private active = 0;

	/** Of the next request. All times are those of `performance.now()`, which no clock change moves. */
	private nextStart = 0;

	private pausedUntil = 0;

	/** The last item that may still be sent. */
	private lastItem = Infinity;

	constructor(private readonly options: LimiterOptions) {}

	/**
	 * Runs the task of an item when fewer than the allowed number are running.
	 *
	 * @returns the outcome of the task; `stopped` when the item may not be sent any more
	 */
	async run<T>(itemIndex: number, task: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
		if (this.active < this.options.maxConcurrent) this.active++;
		else await new Promise<void>((resolve) => this.queue.push(resolve));
		let outcome: Outcome<T> | undefined = stopped;
		try {
			await this.waitForPause(itemIndex);
			if (this.isStopped(itemIndex)) return outcome;
			outcome = undefined;
			outcome = await task();
			return outcome;
		} finally {
			const isNew = !outcome || ('failure' in outcome && !outcome.failure.isFromEarlierAttempt);
			if (isNew && this.options.stopsAtFailure) this.stopAll();
			this.startNext();
		}
	}

	/**
	 * Waits until a request may start. To be called within a task.
	 *
	 * @returns false when the item may not be sent any more
	 */
	async waitForStart(itemIndex: number): Promise<boolean> {
		if (!this.isStopped(itemIndex)) await this.waitForInterval();
		while (await this.waitForPause(itemIndex)) await this.waitForInterval();
		return !this.isStopped(itemIndex);
	}

	/** Starts no request for a while, because the platform reports a rate limit. */
	pause(ms: number): void {
		const now = performance.now();
		const from = Math.max(this.pausedUntil, now);
		this.pausedUntil = Math.max(from, now + ms);
		this.rateLimits.responses++;
		this.rateLimits.waitedMs += this.pausedUntil - from;
	}

	/** Pauses until a time of `performance.now()`. Items that wait for the same time count once. */
	pauseUntil(time: number): void {
		if (time > this.pausedUntil) this.pause(time - performance.now());
	}

	/** Sends nothing that comes after an item. The items before it are still sent. */
	stopAfter(itemIndex: number): void {
		this.lastItem = Math.min(this.lastItem, itemIndex);
	}

	private stopAll(): void {
		this.lastItem = -1;
		// Nobody waits for the rest of the pause.
		this.rateLimits.waitedMs -= Math.max(0, this.pausedUntil - performance.now());
		for (const wakeUp of this.wakeUps) wakeUp();
	}

	private startNext(): void {
		const next = this.queue.shift();
		if (next) next();
		else this.active--;
	}

	private isStopped(itemIndex: number): boolean {
		return itemIndex > this.lastItem || Boolean(this.options.signal?.aborted);
	}

	/** @returns whether there was a pause */
	private async waitForPause(itemIndex: number): Promise<boolean> {
		let hasWaited = false;
		while (!this.isStopped(itemIndex) && performance.now() < this.pausedUntil) {
			await this.waitUntil(this.pausedUntil);
			hasWaited = true;
		}
		return hasWaited;
	}

	/** Reserves the next start and waits for it. */
	private async waitForInterval(): Promise<void> {
		const start = Math.max(performance.now(), this.nextStart);
		this.nextStart = start + Math.max(MIN_INTERVAL_MS, this.options.intervalMs);
		await this.waitUntil(start);
	}

	private async waitUntil(time: number): Promise<void> {
		const { signal } = this.options;
		// A timer may fire a moment early. The first item is stopped only when all items are.
		for (let now = performance.now(); now < time && !this.isStopped(0); now = performance.now()) {
			const timer = AbortSignal.timeout(Math.ceil(time - now));
			await new Promise<void>((resolve) => {
				const wakeUp = () => {
					this.wakeUps.delete(wakeUp);
					for (const source of [timer, signal]) source?.removeEventListener('abort', wakeUp);
					resolve();
				};
				this.wakeUps.add(wakeUp);
				for (const source of [timer, signal]) source?.addEventListener('abort', wakeUp);
			});
		}
	}
}
