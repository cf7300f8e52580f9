import { stopped, type Outcome } from './outcome';

export interface LimiterOptions {
	/** Maximum number of requests at the same time. */
	maxConcurrent: number;
	/** Minimum number of milliseconds between the starts of two requests. */
	intervalMs: number;
	/** Whether the first failure stops all items whose requests have not been sent. */
	stopsAtFailure: boolean;
	/**
	 * Whether each item waits until all items before it wait for their start or have ended. The caller
	 * must call `pass` for every item that has ended.
	 */
	keepsOrder?: boolean;
	/** Aborted when the execution is cancelled. */
	signal?: AbortSignal;
}

/**
 * The minimum interval between two starts, in milliseconds. Node.js writes to a new connection in
 * the next turn of the event loop, so requests that start in the same turn would be sent together,
 * and would stay together for the whole run.
 */
const MIN_INTERVAL_MS = 1;

/**
 * Limits the requests of one run: how many are under way, how far apart they start, and how long
 * they pause after a rate limit. Items start in the order in which they arrive, or in the order of
 * their indexes.
 */
export class Limiter {
	/** How often the platform reported a rate limit, and for how long the run paused. */
	readonly rateLimits = { responses: 0, waitedMs: 0 };

	/** Resumes the items that wait for another item to end. */
	private readonly queue: Array<() => void> = [];

	/** Resumes the items that wait for the items before them, by index. */
	private readonly waitingForTurn = new Map<number, () => void>();

	/** The index of the first item that neither waits for its start nor has ended. */
	private turn = 0;

	/** The items after `turn` that have ended. */
	private readonly passed = new Set<number>();

	/** Resumes the items that wait for a certain time. */
	private readonly wakeUps = new Set<() => void>();

	private active = 0;

	/**
	 * When the next request may start. All times are those of `performance.now()`, which changes of
	 * the clock do not affect.
	 */
	private nextStart = 0;

	/** Resolved when the last item that waits for the interval has started. */
	private lastStart: Promise<void> = Promise.resolve();

	private pausedUntil = 0;

	/** Resolved when the current pause is over. Items share it, so that few listeners wait for the signal. */
	private pauseEnd?: Promise<void>;

	/** The index of the last item that may still be sent. */
	private lastItem = Infinity;

	constructor(private readonly options: LimiterOptions) {}

	/**
	 * Runs the task of an item as soon as fewer than the maximum number of tasks are running.
	 *
	 * @returns the outcome of the task; `stopped` if the item may no longer be sent
	 */
	async run<T>(itemIndex: number, task: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
		if (this.options.keepsOrder && itemIndex > this.turn) {
			await new Promise<void>((resolve) => this.waitingForTurn.set(itemIndex, resolve));
		}
		this.pass(itemIndex);
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

	/** Lets the next item start, because this one waits for its start or has ended. */
	pass(itemIndex: number): void {
		if (itemIndex < this.turn) return;
		this.passed.add(itemIndex);
		while (this.passed.delete(this.turn)) this.turn++;
		this.waitingForTurn.get(this.turn)?.();
		this.waitingForTurn.delete(this.turn);
	}

	/**
	 * Waits until a request may start. It must be called within a task of `run`.
	 *
	 * @returns false if the item may no longer be sent
	 */
	async waitForStart(itemIndex: number): Promise<boolean> {
		if (!this.isStopped(itemIndex)) await this.waitForInterval();
		while (await this.waitForPause(itemIndex)) await this.waitForInterval();
		return !this.isStopped(itemIndex);
	}

	/** Pauses all requests of the run, because the platform has reported a rate limit. */
	pause(ms: number): void {
		const now = performance.now();
		const from = Math.max(this.pausedUntil, now);
		this.pausedUntil = Math.max(from, now + ms);
		this.rateLimits.responses++;
		this.rateLimits.waitedMs += this.pausedUntil - from;
	}

	/**
	 * Pauses all requests until a time of `performance.now()`. Several items that wait for the same
	 * time count as one pause.
	 */
	pauseUntil(time: number): void {
		if (time > this.pausedUntil) this.pause(time - performance.now());
	}

	/** Stops all items after the given one. The items before it are still sent. */
	stopAfter(itemIndex: number): void {
		this.lastItem = Math.min(this.lastItem, itemIndex);
	}

	private stopAll(): void {
		this.lastItem = -1;
		// The rest of the pause is subtracted, because no item waits for it.
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

	/**
	 * Waits until a pause is over.
	 *
	 * @returns whether there was a pause
	 */
	private async waitForPause(itemIndex: number): Promise<boolean> {
		let hasWaited = false;
		while (!this.isStopped(itemIndex) && performance.now() < this.pausedUntil) {
			this.pauseEnd ??= this.waitUntil(this.pausedUntil).finally(() => (this.pauseEnd = undefined));
			await this.pauseEnd;
			hasWaited = true;
		}
		return hasWaited;
	}

	/**
	 * Waits until the request before may be sent and the interval has passed. The interval begins when
	 * that request may in fact be sent, which may be later than planned.
	 */
	private async waitForInterval(): Promise<void> {
		const { lastStart } = this;
		this.lastStart = (async () => {
			await lastStart;
			await this.waitUntil(this.nextStart);
			this.nextStart = performance.now() + Math.max(MIN_INTERVAL_MS, this.options.intervalMs);
		})();
		await this.lastStart;
	}

	private async waitUntil(time: number): Promise<void> {
		const { signal } = this.options;
		// The loop repeats the wait, because a timer may fire slightly too early. Item 0 is stopped
		// only if all items are stopped.
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
