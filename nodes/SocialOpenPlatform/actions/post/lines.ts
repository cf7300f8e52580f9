import { parseJson } from '../../protocol/json';

/**
 * The entries of a field that takes rows, lists or lines: rows of text with one entry a line, an
 * array from an expression, objects with a `url`, or the text of a JSON array. Commas never split,
 * because URLs may hold them. Empty lines are dropped; anything that is no text stays as it is, for
 * the check to name it.
 */
export function readLines(value: unknown): unknown[] {
	if (value === undefined || value === null) return [];
	if (Array.isArray(value)) return value.flatMap(readLines);
	if (typeof value === 'object' && 'url' in value) return readLines(value.url);
	if (typeof value !== 'string') return [value];
	const list = jsonArray(value);
	if (list) return readLines(list);
	return value
		.split(/\r\n|\r|\n/)
		.map((line) => line.trim())
		.filter((line) => line !== '');
}

function jsonArray(text: string): unknown[] | undefined {
	if (!/^\s*\[/.test(text)) return undefined;
	try {
		const parsed = parseJson(text);
		return Array.isArray(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}
