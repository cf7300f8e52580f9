import { complaintsAbout, type Item } from './items';
import type { Arrivals } from './platform';

/** What a run took, as its sender sees it. */
export interface Effort {
	seconds: number;
	/** CPU time of the sender. */
	cpuMs: number;
	/** Memory of the sender at its peak, over what it had before. */
	memoryMb: number;
	complaints: string[];
}

/** What a run took, and what the platform saw of it. */
export interface Outcome extends Effort {
	/** From the first request's arrival to the last one's answer. */
	secondsAtPlatform: number;
	cpuMsPerItem: number;
	exchanges: number;
	sockets: number;
	peak: number;
}

/**
 * @param items handed over in the run
 * @param posted those of them that the platform must have now, each once
 */
export function outcomeOf(
	effort: Effort,
	{ requests, sockets, peak }: Arrivals,
	latencyMs: number,
	items: Item[],
	posted: Item[],
): Outcome {
	const of = (wanted: string) => requests.filter(({ operation }) => operation === wanted);
	const accepted = of('createPost').filter(({ tookEffect }) => tookEffect);
	const bodies = accepted.map(({ rawBody }) => rawBody);
	const times = requests.map(({ at }) => Date.parse(at));
	// The platform notes arrivals; each is answered after the same time.
	const msAtPlatform = Math.max(...times) - Math.min(...times) + latencyMs;
	return {
		...effort,
		complaints: [...effort.complaints, ...complaintsAbout(bodies, posted)],
		secondsAtPlatform: msAtPlatform / 1000,
		cpuMsPerItem: effort.cpuMs / items.length,
		exchanges: of('getAccessToken').length,
		sockets,
		peak,
	};
}
