/** The value below which the given share (0 to 1) of all lies; the nearest rank, so a measured one. */
export function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

/** The middle value, or the mean of the middle two. */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN;
	const high = sorted[Math.floor(sorted.length / 2)] ?? NaN;
	return (low + high) / 2;
}

/**
 * By how much one series exceeds another: the median of the ratios of values measured in the same
 * round. What slows a whole round down (a busy machine, a growing database) so cancels out.
 */
export const ratio = (some: readonly number[], others: readonly number[]): number =>
	median(some.map((value, index) => value / (others[index] ?? NaN)));

/** Begins at another place each time, and goes the other way every other time. */
export function inTurn<T>(list: readonly T[], time: number): T[] {
	const start = time % list.length;
	const turned = [...list.slice(start), ...list.slice(0, start)];
	return time % 2 === 0 ? turned : turned.reverse();
}
