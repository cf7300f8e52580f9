import { median, ratio } from './statistics';

/** A Markdown table with column names in the first row and row names in the first column. */
export function table([head = [], ...rows]: string[][]): string {
	const rule = head.map((_, index) => (index === 0 ? '---' : '---:'));
	return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Formats a number with three significant digits and at most two decimals. */
export function digits(value: number): string {
	if (!Number.isFinite(value)) return '–';
	return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

/** The median of the rounds, and their range. */
export function spread(values: number[]): string {
	return `${digits(median(values))} (${digits(Math.min(...values))}–${digits(Math.max(...values))})`;
}

/** The median of the ratios within each round. */
export const times = (values: number[], others: number[]): string =>
	`${digits(ratio(values, others))}×`.replace('–×', '–');
