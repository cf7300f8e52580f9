import type { INodeExecutionData } from 'n8n-workflow';
import { holdsExpression } from '../items/parameters';
import { isNothing, toJson, toText } from '../items/values';
import { isBinaryFile, MediaFile } from './media/formats';
import { MAX_ENTRIES } from './wire';

/** An input item whose binary properties rows may name. */
export type Item = Pick<INodeExecutionData, 'binary'> | undefined;

/** Maximum length of a row that is read as a list. Each of its entries may have 1000 characters. */
const MAX_JSON = 200_000;

/** An expression that reads binary data. Other expressions may return data that anyone has sent. */
const READS_BINARY = /^=.*[$.]binary\b/s;

/** An expression that may read a file from JSON, which anyone may have sent. */
const READS_JSON = /\bjson\b.*\.binary\b/s;

/** An entry of a list field. */
export interface Entry {
	value: unknown;
	/** Its name in messages. */
	name: string;
}

/**
 * The entries of a list field. A row that is an expression may return a list, also as JSON text. A
 * row without a value is an empty text, so that the check reports it.
 *
 * @param raw the rows as they are stored in the node
 * @param item the input item, for fields that take files
 */
export function entriesOf(value: unknown, raw?: unknown, item?: Item): Entry[] {
	if (isNothing(value)) return [];
	const rows = boundedList(value).flatMap((row, index) => {
		const isJson = typeof row === 'string' && row.length <= MAX_JSON && /^\s*\[/.test(row);
		const found = boundedList(isJson ? toJson(row) : row);
		const values = found.length > 0 ? found : [''];
		return values.map((one, entry) => ({
			value: fileOr(readEntry(one), Array.isArray(raw) ? raw[index] : raw, item),
			name: `row ${index + 1}${values.length > 1 ? `, entry ${entry + 1}` : ''}`,
		}));
	});
	return boundedList(rows);
}

/** The entries of a list, or a single value. Of a list that is too long, one more entry than allowed is read. */
export function boundedList<T>(value: T | T[]): T[] {
	return Array.isArray(value) ? value.slice(0, MAX_ENTRIES + 1) : [value];
}

function readEntry(value: unknown): unknown {
	return typeof value === 'string' ? value.trim() : (toText(value) ?? '');
}

/**
 * The file that an entry means, or the entry itself. The data of an item may come from anyone,
 * so only the node's own text can choose a file: it names a binary property, or is an expression
 * that reads binary data.
 *
 * @param raw the row as it is stored in the node
 */
function fileOr(entry: unknown, raw: unknown, item: Item): unknown {
	const { binary = {} } = item ?? {};
	if (typeof entry === 'string') {
		const isName = !holdsExpression(raw) && Object.hasOwn(binary, entry);
		return isName ? new MediaFile(binary[entry]!) : entry;
	}
	const text = String(raw);
	const isFile = isBinaryFile(entry) && READS_BINARY.test(text) && !READS_JSON.test(text);
	return isFile ? new MediaFile(entry) : entry;
}

/** The values of entries, or undefined if there are none. */
export function valuesOf(entries: Entry[]) {
	return entries.length > 0 ? entries.map(({ value }) => value) : undefined;
}
