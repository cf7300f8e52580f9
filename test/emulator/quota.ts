const SECOND_MS = 1_000;

/** Lets so many requests through within any one second of real time. */
export class Quota {
	/** When those of the last second were let through. */
	private recent: number[] = [];

	/** Whether one more is let through; one that is not does not count. */
	admits(perSecond: number | undefined): boolean {
		if (perSecond === undefined) return true;
		const now = performance.now();
		this.recent = this.recent.filter((at) => now - at < SECOND_MS);
		if (this.recent.length >= Math.floor(perSecond)) return false;
		this.recent.push(now);
		return true;
	}

	reset(): void {
		this.recent = [];
	}
}
