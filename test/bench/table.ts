/** A Markdown table; the first row names the columns, the first column the rows. */
export function table([head = [], ...rows]: string[][]): string {
	const rule = head.map((_, index) => (index === 0 ? '---' : '---:'));
	return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Three significant digits, and no more than two behind the point. */
export function digits(value: number): string {
	if (!Number.isFinite(value)) return '–';
	return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
