/** An escaped character, a quote, or a number (RFC 8259, sections 6 and 7). */
const ESCAPE_QUOTE_OR_NUMBER = /\\.|"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const INTEGER = /^-?\d+$/;

/** Sixteen digits are the fewest that can exceed 2^53, and 1e100 has the shortest large exponent. */
const MAY_LOSE_DIGITS = /[\d.]{16}|\de[+-]?\d{3}/i;

/** Longer ones are kept as text, without a closer look. */
const MAX_COMPARED = 400;

/** The digits of a number without the zeros around them, and its exponent: 1.50e3 gives what 1500 does. */
function decimalOf(number: string): string {
	const [, whole = '', fraction = '', exponent] =
		/^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
	const digits = (whole + fraction).replace(/^0+/, '');
	const significant = digits.replace(/0+$/, '');
	const zeros = digits.length - significant.length;
	return `${significant}e${Number(exponent ?? 0) - fraction.length + zeros}`;
}

/**
 * Whether JavaScript's number is the one that is written. Below 2^53 it rounds fractions, as every reader
 * of JSON may (RFC 8259, section 6).
 */
function isKept(digits: string): boolean {
	const number = Number(digits);
	if (INTEGER.test(digits)) return Number.isSafeInteger(number);
	if (number === 0) return !/^[^e]*[1-9]/i.test(digits);
	if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return true;
	return digits.length <= MAX_COMPARED && decimalOf(digits) === decimalOf(String(number));
}

/** Puts numbers that would change in quotes, in text known to be JSON. Linear, and flat on the stack. */
function quoteNumbers(text: string): string {
	let inString = false;
	return text.replace(ESCAPE_QUOTE_OR_NUMBER, (token) => {
		if (token === '"') inString = !inString;
		else if (!inString && /\d$/.test(token) && !isKept(token)) return `"${token}"`;
		return token;
	});
}

/**
 * Parses JSON without losing digits: integers beyond 2^53 (64-bit post ids, for instance) come back
 * as strings of their digits, and so do other numbers that JavaScript cannot hold, such as 1e400 or
 * 9007199254740993.0. JSON's numbers have no bound of their own, JavaScript's do.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): unknown {
	const value: unknown = JSON.parse(text);
	return MAY_LOSE_DIGITS.test(text) ? JSON.parse(quoteNumbers(text)) : value;
}

/** A value as JSON holds it and the names of its entries without a value; or why JSON cannot hold it. */
export type JsonValue = { value: unknown; missing: string[] } | { issue: string };

/** Kinds of objects that JSON writes out whole. */
const WRITTEN = /^(Object|Array|String|Number|Boolean)$/;

/** JavaScript writes larger ones with an exponent: nobody takes them for the digits of an id. */
const LONGEST_ID = 1e21;

const MAY_HAVE_LOST = 'a number beyond 2^53, which may have lost digits; give it as text';

/** Names in messages are cut off there. */
const MAX_NAME = 80;

/** Why an entry cannot be sent as it is, as a clause about it. */
function issueOf(value: unknown, original: unknown): string | undefined {
	if (value === undefined) return 'which has no value';
	if (value === null && original !== null) return 'a date that is not valid';
	if (typeof value === 'number') {
		if (!Number.isFinite(value)) return `which is ${value}; JSON has no such number`;
		const isLong = Number.isInteger(value) && !Number.isSafeInteger(value);
		return isLong && Math.abs(value) < LONGEST_ID ? MAY_HAVE_LOST : undefined;
	}
	if (typeof value === 'function' || typeof value === 'symbol') {
		return `which is a ${typeof value}, not plain data`;
	}
	if (typeof value !== 'object' || value === null) return undefined;
	const kind = Object.prototype.toString.call(value).slice(8, -1);
	return WRITTEN.test(kind) ? undefined : `which is a ${kind}, not plain data`;
}

/**
 * Turns what an expression gave into plain JSON data without a silent change: dates become ISO text, and
 * a BigInt beyond 2^53 the text of its digits. What JSON would drop or replace by null is an issue,
 * except entries of objects without a value, which are left out and named.
 */
export function toJsonValue(given: unknown): JsonValue {
	const missing: string[] = [];
	let issue: string | undefined;
	function plain(this: Record<string, unknown>, key: string, value: unknown): unknown {
		if (typeof value === 'bigint') {
			return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
		}
		if (value === undefined && !Array.isArray(this)) {
			missing.push(key);
			return undefined;
		}
		const why = issueOf(value, this[key]);
		if (why) issue ??= `holds '${key.slice(0, MAX_NAME)}', ${why}`;
		return issue === undefined ? value : null;
	}
	try {
		const text = JSON.stringify(given, plain);
		return issue === undefined ? { value: JSON.parse(text), missing } : { issue };
	} catch {
		return { issue: 'holds itself or is nested too deeply' };
	}
}

/** Some servers put one before their JSON (RFC 8259, section 8.1, lets readers ignore it). */
const BYTE_ORDER_MARK = /^\uFEFF/;

export const withoutByteOrderMark = (text: string): string => text.replace(BYTE_ORDER_MARK, '');
