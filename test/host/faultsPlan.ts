import type { FaultKind, FaultMix } from '../emulator';
import { mix } from './faultsMix';
import type { Play } from './faultsRun';

/** What is run for a seed. The emulated platform uses the same seed. */

const operation = 'createPost';

/** n8n retries a node that continues on errors only when its first item is an error. */
const onFirst = (kind: FaultKind, times: number): FaultMix => ({
	oneOf: [{ kind }],
	operation,
	bodyHas: '"Post 0 of',
	times,
});

const BEGINNINGS: Array<{ faults: FaultMix[]; tries: number }> = [
	{ faults: [onFirst('refused', 3)], tries: 4 },
	{ faults: [onFirst('reset-before', 1)], tries: 5 },
	{ faults: [], tries: 1 },
];

const beginningOf = (seed: number) => BEGINNINGS[seed % BEGINNINGS.length]!;

/** Ways to send. The output must be the same with all of them. */
const WAYS = [
	{},
	{ rateLimitWait: 0 },
	{ maxConcurrentRequests: 40 },
	{ maxConcurrentRequests: 4, rateLimitWait: 2 },
];

/** The smallest number of attempts by n8n. */
export const leastTries = (seed: number): number => beginningOf(seed).tries;

/** 1,000 posts. A fifth of all requests fail, and the node continues on errors. */
export const continuing = (seed: number): Play => ({
	name: `seed ${seed}`,
	items: 1_000,
	platform: { seed },
	faults: [...beginningOf(seed).faults, { oneOf: mix('all'), operation, rate: 0.2 }],
	options: WAYS[seed % WAYS.length],
	settings: { onError: 'continueErrorOutput' },
});

/** The node stops at an error, and none leaves the outcome of a post unknown. */
export const stopping = (seed: number): Play => ({
	name: `stop ${seed}`,
	items: 200,
	platform: { seed },
	faults: [{ oneOf: mix('clear'), operation, rate: 0.2 }],
});

/** The node stops at an error, and the outcome of a post in the middle stays unknown. */
export const stuck = (seed: number): Play => ({
	...stopping(seed),
	name: `stuck ${seed}`,
	faults: [
		{ oneOf: mix('unclear'), operation, bodyHas: '"Post 120 of', times: 1 },
		...stopping(seed).faults!,
	],
});
