/** How many items and rounds the benchmark measures. */
export interface Scale {
	items: number;
	rounds: number;
	/** The number of items in the warm-up of each contender, and of a slow one. */
	warmUp: { normal: number; slow: number };
	/** The number of items on the slow platform, with and without a limit of connections. */
	slow: { limited: number; unlimited: number };
	memory: { items: number; rounds: number };
	distance: { items: number; rounds: number };
}

const MEASUREMENT: Scale = {
	items: 500,
	rounds: 6,
	warmUp: { normal: 500, slow: 20 },
	slow: { limited: 100, unlimited: 500 },
	memory: { items: 5_000, rounds: 3 },
	distance: { items: 200, rounds: 2 },
};

/** A short trial of the benchmark, whose results are not written. */
const TRIAL: Scale = {
	items: 40,
	rounds: 2,
	warmUp: { normal: 10, slow: 10 },
	slow: { limited: 20, unlimited: 40 },
	memory: { items: 300, rounds: 1 },
	distance: { items: 60, rounds: 1 },
};

/** Whether the environment variable BENCH_TRIAL is set. */
export const isTrial = Boolean(process.env.BENCH_TRIAL);

export const scale = isTrial ? TRIAL : MEASUREMENT;
