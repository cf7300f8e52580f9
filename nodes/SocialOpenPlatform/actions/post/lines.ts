import { isNothing, toJson, toText } from '../../parameters/values';

/** Lists nested deeper are no list of entries. */
const MAX_DEPTH = 10;

/**
 * The entries of a field that takes rows, lists or lines: rows of text with one entry a line, an
 * array from an expression, objects with a `url`, or the text of a JSON array. Commas never split,
 * because URLs may hold them. Blank lines are dropped; a row or entry that gives nothing is an empty
 * text, a number its digits, and anything else stays as it is, for the check to name it.
 *
 * @param within the lists and objects that hold it: one may hold itself
 */
export function readLines(value: unknown, within: unknown[] = []): unknown[] {
	if (isNothing(value)) return [];
	if (within.length > MAX_DEPTH || within.includes(value)) return [value];
	const readEntry = (entry: unknown): unknown[] => {
		const lines = readLines(entry, [...within, value]);
		return lines.length > 0 || Array.isArray(entry) ? lines : [''];
	};
	if (Array.isArray(value)) return value.flatMap(readEntry);
	if (typeof value === 'object' && value !== null && 'url' in value) return readEntry(value.url);
	if (typeof value !== 'string') return [toText(value)];
	const list = /^\s*\[/.test(value) ? toJson(value) : undefined;
	if (Array.isArray(list)) return readLines(list, [...within, value]);
	return value
		.split(/\r\n|\r|\n/)
		.map((line) => line.trim())
		.filter((line) => line !== '');
}
