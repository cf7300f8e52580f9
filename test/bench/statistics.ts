/** The nearest-rank percentile, which is always a measured value. The share is from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN;
	const high = sorted[Math.floor(sorted.length / 2)] ?? NaN;
	return (low + high) / 2;
}

/**
 * The median of the ratios of two series, whose values were measured in the same rounds. A busy machine
 * or a growing database slows a whole round down and so does not change the ratio.
 */
export const ratio = (some: readonly number[], others: readonly number[]): number =>
	median(some.map((value, index) => value / (others[index] ?? NaN)));

/** Rotates a list, and reverses it every second time, so that no position is an advantage. */
export function rotated<T>(list: readonly T[], time: number): T[] {
	const start = time % list.length;
	const moved = [...list.slice(start), ...list.slice(0, start)];
	return time % 2 === 0 ? moved : moved.reverse();
}
