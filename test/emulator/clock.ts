type Due = { at: number; seq: number; run: () => void };

/**
 * The emulator's clock in milliseconds since 1970, with scheduled tasks. `now()` runs at `speed` and is used
 * for posts. `clientNow()` runs at the speed of real time and is used for tokens, because clients compare
 * their own clock with `exp` and `expires_in`. `advance` moves both.
 */
export class Clock {
	private origin = Date.now();
	private skippedMs = 0;
	private agenda: Due[] = [];
	private seq = 0;
	private timer: NodeJS.Timeout | undefined;

	constructor(private readonly speed: number) {}

	now(): number {
		return this.origin + (Date.now() - this.origin) * this.speed + this.skippedMs;
	}

	clientNow(): number {
		return Date.now() + this.skippedMs;
	}

	/** Runs a task when the clock reaches `at`. */
	schedule(at: number, run: () => void): void {
		this.agenda.push({ at, seq: this.seq++, run });
		this.agenda.sort((a, b) => a.at - b.at || a.seq - b.seq);
		this.arm();
	}

	/** Advances the clock and runs the tasks that are due in order. */
	advance(seconds: number): void {
		this.skippedMs += seconds * 1000;
		this.runDue();
	}

	/** Removes all scheduled tasks and returns to real time. */
	reset(): void {
		clearTimeout(this.timer);
		this.agenda = [];
		this.origin = Date.now();
		this.skippedMs = 0;
	}

	private runDue(): void {
		for (let next = this.agenda[0]; next && next.at <= this.now(); next = this.agenda[0]) {
			this.agenda.shift();
			next.run();
		}
		this.arm();
	}

	private arm(): void {
		clearTimeout(this.timer);
		const next = this.agenda[0];
		if (!next) return;
		// setTimeout supports 31 bits, so a later date needs several timers.
		const wait = Math.min(Math.max((next.at - this.now()) / this.speed, 0), 2 ** 31 - 1);
		this.timer = setTimeout(() => this.runDue(), Math.ceil(wait));
		this.timer.unref();
	}
}
