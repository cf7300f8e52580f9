import { errorsIn, type Item } from './items';
import type { Arrivals } from './platform';

/** The cost of a run for its sender. */
export interface Cost {
	seconds: number;
	/** The CPU time of the sender. */
	cpuMs: number;
	/** The peak memory of the sender, minus its memory before the run. */
	memoryMb: number;
	errors: string[];
}

/** The cost of a run, and what the platform has received. */
export interface Outcome extends Cost {
	/** The time from the arrival of the first request to the last response. */
	secondsAtPlatform: number;
	cpuMsPerItem: number;
	exchanges: number;
	sockets: number;
	peak: number;
}

/**
 * @param items the input of the run
 * @param posted the items that the platform must have received
 */
export function outcomeOf(
	cost: Cost,
	{ requests, sockets, peak }: Arrivals,
	latencyMs: number,
	items: Item[],
	posted: Item[],
): Outcome {
	const of = (wanted: string) => requests.filter(({ operation }) => operation === wanted);
	const accepted = of('createPost').filter(({ tookEffect }) => tookEffect);
	const bodies = accepted.map(({ rawBody }) => rawBody);
	const times = requests.map(({ at }) => Date.parse(at));
	// The platform records arrivals, and responds to each after the same time.
	const msAtPlatform = Math.max(...times) - Math.min(...times) + latencyMs;
	return {
		...cost,
		errors: [...cost.errors, ...errorsIn(bodies, posted)],
		secondsAtPlatform: msAtPlatform / 1000,
		cpuMsPerItem: cost.cpuMs / items.length,
		exchanges: of('getAccessToken').length,
		sockets,
		peak,
	};
}
