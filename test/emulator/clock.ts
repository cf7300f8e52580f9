type Due = { at: number; seq: number; run: () => void };

/**
 * The emulator's clock (milliseconds since 1970) and its agenda.
 * `now()` runs at `speed` and is what posts live by. `clientNow()` runs as fast as a client's own
 * clock, which reads `exp` and `expires_in`, and is what tokens live by. `advance` moves both.
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

	/** Runs `run` once the clock has reached `at`. */
	schedule(at: number, run: () => void): void {
		this.agenda.push({ at, seq: this.seq++, run });
		this.agenda.sort((a, b) => a.at - b.at || a.seq - b.seq);
		this.arm();
	}

	/** Moves the clock by `seconds` and runs what has become due, in order. */
	advance(seconds: number): void {
		this.skippedMs += seconds * 1000;
		this.runDue();
	}

	/** Forgets the agenda and goes back to real time. */
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
		// setTimeout counts in 31 bits; a later date is simply looked at again.
		const wait = Math.min(Math.max((next.at - this.now()) / this.speed, 0), 2 ** 31 - 1);
		this.timer = setTimeout(() => this.runDue(), Math.ceil(wait));
		this.timer.unref();
	}
}
