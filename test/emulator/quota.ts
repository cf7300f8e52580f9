const SECOND_MS = 1_000;

/** Limits the number of requests within any second of real time. */
export class Quota {
	/** The times of the requests that were admitted in the last second. */
	private recent: number[] = [];

	/** Whether another request is admitted. A request that is not admitted does not count. */
	admits(perSecond: number): boolean {
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
