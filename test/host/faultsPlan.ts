import type { FaultKind, FaultMix } from '../emulator';
import { mix } from './faultsMix';
import type { Scenario } from './faultsRun';

const operation = 'createPost';

/** n8n retries a node that continues on errors only when its first item is an error. */
const onFirst = (kind: FaultKind, times: number): FaultMix => ({
	oneOf: [{ kind }],
	operation,
	bodyHas: '"Post 0 of',
	times,
});

/** Faults of the first item, and the number of attempts that they cause. */
const FIRST_ITEMS: Array<{ faults: FaultMix[]; attempts: number }> = [
	{ faults: [onFirst('refused', 3)], attempts: 4 },
	{ faults: [onFirst('reset-before', 1)], attempts: 5 },
	{ faults: [], attempts: 1 },
];

const firstItemOf = (seed: number) => FIRST_ITEMS[seed % FIRST_ITEMS.length]!;

/** Sets of options with which the output must be the same. */
const OPTIONS = [
	{},
	{ rateLimitWait: 0 },
	{ maxConcurrentRequests: 40 },
	{ maxConcurrentRequests: 4, rateLimitWait: 2 },
];

/** The smallest number of attempts by n8n. */
export const minAttempts = (seed: number): number => firstItemOf(seed).attempts;

/** 1,000 posts. A fifth of all requests fail, and the node continues on errors. */
export const continuing = (seed: number): Scenario => ({
	name: `seed ${seed}`,
	items: 1_000,
	platform: { seed },
	faults: [...firstItemOf(seed).faults, { oneOf: mix('all'), operation, rate: 0.2 }],
	options: OPTIONS[seed % OPTIONS.length],
	settings: { onError: 'continueErrorOutput' },
});

/** The node stops at the first error. No error leaves the outcome of a post unknown. */
export const stopping = (seed: number): Scenario => ({
	name: `stop ${seed}`,
	items: 200,
	platform: { seed },
	faults: [{ oneOf: mix('clear'), operation, rate: 0.2 }],
});

/** The node stops at the first error. The outcome of a post in the middle stays unknown. */
export const stuck = (seed: number): Scenario => ({
	...stopping(seed),
	name: `stuck ${seed}`,
	faults: [
		{ oneOf: mix('unclear'), operation, bodyHas: '"Post 120 of', times: 1 },
		...stopping(seed).faults!,
	],
});
