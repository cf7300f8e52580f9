type Due = { at: number; run: () => void };

/** The emulator's clock in milliseconds since 1970, with scheduled tasks. `advance` moves it forward. */
export class Clock {
	private skippedMs = 0;
	private agenda: Due[] = [];
	private timer: NodeJS.Timeout | undefined;

	now(): number {
		return Date.now() + this.skippedMs;
	}

	/** Runs a task when the clock reaches `at`. */
	schedule(at: number, run: () => void): void {
		this.agenda.push({ at, run });
		this.agenda.sort((a, b) => a.at - b.at);
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
		const wait = Math.min(Math.max(next.at - this.now(), 0), 2 ** 31 - 1);
		this.timer = setTimeout(() => this.runDue(), wait);
		this.timer.unref();
	}
}
