/** How much is measured. */
export interface Scale {
	items: number;
	rounds: number;
	/** Items of the one run that each contender has before it is measured; fewer of one that waits. */
	warmUp: { usual: number; waiting: number };
	/** Items on the slow platform: of a bounded contender, and of the unbounded one. */
	slow: { bounded: number; unbounded: number };
	memory: { items: number; rounds: number };
}

const MEASUREMENT: Scale = {
	items: 500,
	rounds: 6,
	warmUp: { usual: 500, waiting: 20 },
	slow: { bounded: 100, unbounded: 500 },
	memory: { items: 5_000, rounds: 3 },
};

/** Everything once and small, to see that it works; nothing is written down. */
const REHEARSAL: Scale = {
	items: 40,
	rounds: 2,
	warmUp: { usual: 10, waiting: 10 },
	slow: { bounded: 20, unbounded: 40 },
	memory: { items: 300, rounds: 1 },
};

/** Set to anything, the environment variable BENCH_REHEARSAL makes it a rehearsal. */
export const isRehearsal = Boolean(process.env.BENCH_REHEARSAL);

export const scale = isRehearsal ? REHEARSAL : MEASUREMENT;
