import { Stopped } from './errors';

export interface GateOptions {
	/** Requests on their way at the same time, 1 or more. */
	width: number;
	/** Milliseconds between the starts of two requests. */
	intervalMs: number;
	/** Whether the first that fails closes the gate for all that are still waiting. */
	closesAtFailure: boolean;
	/** Closes the gate: n8n's cancelling of the execution. */
	signal?: AbortSignal;
}

/**
 * Milliseconds between two starts in any case. A new connection is written to only in the event loop's
 * next turn: requests started in the same turn would all wait until the last of them is prepared, come
 * back together, and so stay together for the whole run.
 */
const MIN_INTERVAL_MS = 1;

/**
 * The way out for the requests of one run: so many at a time, in the order in which they came, with
 * an interval between them, and none while the platform asks to wait.
 */
export class Gate {
	/** How often, and for how long altogether, the platform made everyone wait. */
	readonly rateLimits = { answers: 0, waitedMs: 0 };

	/** Those who wait for their turn. */
	private readonly waiting: Array<() => void> = [];

	/** Wakes those who wait for a time. */
	private readonly sleepers = new Set<() => void>();

	private active = 0;

	/** When the next request may start. Times are by `performance.now()`: a clock that is set moves none. */
	private nextStart = 0;

	/** Until when the platform asked to wait. */
	private heldUntil = 0;

	/** The last item that may still be sent. */
	private last = Infinity;

	constructor(private readonly options: GateOptions) {}

	/**
	 * Does something once it is an item's turn. Whether it fails is known before the next one gets in.
	 *
	 * @throws Stopped when the gate was closed meanwhile: nothing was done
	 */
	async through<T>(itemIndex: number, deed: () => Promise<T>): Promise<T> {
		if (this.active < this.options.width) this.active++;
		else await new Promise<void>((resolve) => this.waiting.push(resolve));
		await this.waitWhileHeld(itemIndex);
		const doing = this.isClosedTo(itemIndex) ? Promise.reject(new Stopped()) : deed();
		doing.catch((error) => {
			if (this.options.closesAtFailure && !(error instanceof Stopped)) this.close();
		});
		try {
			return await doing;
		} finally {
			this.leave();
		}
	}

	/**
	 * Waits until a request may start: the one of whoever is through the gate.
	 *
	 * @returns false when the gate was closed meanwhile: nothing may be sent
	 */
	async mayStart(itemIndex: number): Promise<boolean> {
		if (!this.isClosedTo(itemIndex)) await this.waitForStart();
		while (await this.waitWhileHeld(itemIndex)) await this.waitForStart();
		return !this.isClosedTo(itemIndex);
	}

	/** Makes room for the one that has waited longest. */
	private leave(): void {
		const next = this.waiting.shift();
		if (next) next();
		else this.active--;
	}

	/** Lets nobody in for so many milliseconds, because the platform asks for it. */
	holdBack(ms: number): void {
		const now = performance.now();
		const from = Math.max(this.heldUntil, now);
		this.heldUntil = Math.max(from, now + ms);
		this.rateLimits.answers++;
		this.rateLimits.waitedMs += this.heldUntil - from;
	}

	/** The same until a time by `performance.now()`; counted once for all who wait for it. */
	holdUntil(time: number): void {
		if (time > this.heldUntil) this.holdBack(time - performance.now());
	}

	/** Lets nobody in who comes behind an item; those before it are still sent. */
	closeBehind(itemIndex: number): void {
		this.last = Math.min(this.last, itemIndex);
	}

	private close(): void {
		this.last = -1;
		// What is left of it is not waited.
		this.rateLimits.waitedMs -= Math.max(0, this.heldUntil - performance.now());
		for (const wake of this.sleepers) wake();
	}

	private isClosedTo(itemIndex: number): boolean {
		return itemIndex > this.last || Boolean(this.options.signal?.aborted);
	}

	/** @returns whether there was anything to wait for */
	private async waitWhileHeld(itemIndex: number): Promise<boolean> {
		let hasWaited = false;
		while (!this.isClosedTo(itemIndex) && performance.now() < this.heldUntil) {
			await this.waitUntil(this.heldUntil);
			hasWaited = true;
		}
		return hasWaited;
	}

	/** Takes the next point in time at which a request may start, and waits for it. */
	private async waitForStart(): Promise<void> {
		const start = Math.max(performance.now(), this.nextStart);
		this.nextStart = start + Math.max(MIN_INTERVAL_MS, this.options.intervalMs);
		await this.waitUntil(start);
	}

	private async waitUntil(time: number): Promise<void> {
		const { signal } = this.options;
		// A timer may be early by a moment. What ends all waiting ends it for the first item too.
		for (let now = performance.now(); now < time && !this.isClosedTo(0); now = performance.now()) {
			const timer = AbortSignal.timeout(Math.ceil(time - now));
			await new Promise<void>((resolve) => {
				const wake = () => {
					this.sleepers.delete(wake);
					for (const from of [timer, signal]) from?.removeEventListener('abort', wake);
					resolve();
				};
				this.sleepers.add(wake);
				for (const from of [timer, signal]) from?.addEventListener('abort', wake);
			});
		}
	}
}
