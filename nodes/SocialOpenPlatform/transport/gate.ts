import { sleep } from 'n8n-workflow';

export interface GateOptions {
	/** Requests on their way at the same time, 1 or more. */
	width: number;
	/** Milliseconds between the starts of two requests. */
	intervalMs: number;
	/** Closes the gate: n8n's cancelling of the execution. */
	signal?: AbortSignal;
}

/**
 * The way out for the requests of one run: so many at a time, in the order in which they came, with
 * an interval between them, and none while the platform asks to wait.
 */
export class Gate {
	/** How often, and for how long altogether, the platform made everyone wait. */
	readonly rateLimits = { answers: 0, waitedMs: 0 };

	private readonly closing = new AbortController();

	private readonly waiting: Array<() => void> = [];

	private active = 0;

	/** Milliseconds since 1970, as are all points in time here. */
	private notBefore = 0;

	/** As far as the platform asked for it. */
	private heldUntil = 0;

	private readonly giveUp = () => this.close();

	constructor(private readonly options: GateOptions) {
		const { signal } = options;
		signal?.addEventListener('abort', this.giveUp);
		if (signal?.aborted) this.close();
	}

	get isClosed(): boolean {
		return this.closing.signal.aborted;
	}

	/**
	 * Waits until a request may start. Whoever got in must leave.
	 *
	 * @returns false when the gate was closed meanwhile: nothing may be sent
	 */
	async enter(): Promise<boolean> {
		if (this.isClosed) return false;
		if (this.active < this.options.width) this.active++;
		else await new Promise<void>((resolve) => this.waiting.push(resolve));
		for (let now = Date.now(); !this.isClosed && now < this.notBefore; now = Date.now()) {
			await this.pause(this.notBefore - now);
		}
		if (this.isClosed) {
			this.leave();
			return false;
		}
		if (this.options.intervalMs > 0) this.notBefore = Date.now() + this.options.intervalMs;
		return true;
	}

	/** Makes room for the one that has waited longest. */
	leave(): void {
		const next = this.waiting.shift();
		if (next) next();
		else this.active--;
	}

	/** Lets nobody in for so many milliseconds, because the platform asks for it. */
	holdBack(ms: number): void {
		const now = Date.now();
		const from = Math.max(this.heldUntil, now);
		this.heldUntil = Math.max(from, now + ms);
		this.notBefore = Math.max(this.notBefore, this.heldUntil);
		this.rateLimits.answers++;
		this.rateLimits.waitedMs += this.heldUntil - from;
	}

	/** Lets nobody in any more, and ends all waiting. Every gate is closed in the end. */
	close(): void {
		this.options.signal?.removeEventListener('abort', this.giveUp);
		this.closing.abort();
		for (const wake of this.waiting.splice(0)) {
			this.active++;
			wake();
		}
	}

	private async pause(ms: number): Promise<void> {
		const { signal } = this.closing;
		await new Promise<void>((resolve) => {
			const goOn = () => {
				signal.removeEventListener('abort', goOn);
				resolve();
			};
			signal.addEventListener('abort', goOn);
			void sleep(ms).then(goOn);
		});
	}
}
