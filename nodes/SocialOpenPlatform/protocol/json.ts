const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** An escape sequence, a quotation mark, or a number (RFC 8259, sections 6 and 7). */
const ESCAPE_QUOTE_OR_NUMBER = /\\.|"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const INTEGER = /^-?\d+$/;

/**
 * Text that may contain a number that JavaScript changes. Such a number has at least sixteen
 * digits, as 2^53 does, or an exponent of at least three digits, as in 1e100.
 */
const MAY_LOSE_DIGITS = /[\d.]{16}|\de[+-]?\d{3}/i;

/** Numbers with more characters become text without being compared. */
const MAX_COMPARED = 400;

/**
 * Removes zeros at both ends of a number and adapts the exponent, so that 1.50e3 and 1500 become
 * the same text.
 */
function normalize(number: string): string {
	const [, whole = '', fraction = '', exponent] =
		/^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
	const digits = (whole + fraction).replace(/^0+/, '');
	const significant = digits.replace(/0+$/, '');
	const zeros = digits.length - significant.length;
	return `${significant}e${Number(exponent ?? 0) - fraction.length + zeros}`;
}

/**
 * Whether JavaScript keeps the value of a number. Rounding a fraction below 2^53 is allowed (RFC
 * 8259, section 6).
 */
function isExact(digits: string): boolean {
	const number = Number(digits);
	if (INTEGER.test(digits)) return Number.isSafeInteger(number);
	if (number === 0) return !/^[^e]*[1-9]/i.test(digits);
	if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return true;
	return digits.length <= MAX_COMPARED && normalize(digits) === normalize(String(number));
}

/**
 * Puts the numbers that JavaScript would change into quotes. The text must be valid JSON. It takes
 * linear time and no recursion.
 */
function quoteNumbers(text: string): string {
	let inString = false;
	return text.replace(ESCAPE_QUOTE_OR_NUMBER, (token) => {
		if (token === '"') inString = !inString;
		else if (!inString && /\d$/.test(token) && !isExact(token)) return `"${token}"`;
		return token;
	});
}

/**
 * Parses JSON without losing digits. Integers beyond 2^53, such as 64-bit post IDs, become text,
 * and so do all other numbers that JavaScript cannot represent, such as 1e400 or
 * 9007199254740993.0.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseJson(text: string): unknown {
	const value: unknown = JSON.parse(text);
	return MAY_LOSE_DIGITS.test(text) ? JSON.parse(quoteNumbers(text)) : value;
}

/**
 * Counts the values and the nesting levels of a JSON text without parsing it. Parsing, checking and
 * redacting millions of values takes many seconds, so callers refuse such a text first.
 *
 * @param text JSON, in which only the structural characters matter
 */
export function measureJson(text: string): { values: number; depth: number } {
	let values = 1;
	let level = 0;
	let depth = 0;
	let inString = false;
	for (let at = 0; at < text.length; at++) {
		const character = text.charCodeAt(at);
		if (character === QUOTE) inString = !inString;
		else if (inString) at += character === BACKSLASH ? 1 : 0;
		else if (character === COMMA) values++;
		else if (character === CLOSING_BRACKET || character === CLOSING_BRACE) level--;
		else if (character === OPENING_BRACKET || character === OPENING_BRACE) {
			values++;
			depth = Math.max(depth, ++level);
		}
	}
	return { values, depth };
}

/** Whether a parsed value is a JSON object, and not a list. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Plain JSON data with the names of entries that had no value, or the reason why JSON cannot
 * represent the data.
 */
type JsonValue = { value: unknown; missing: string[] } | { issue: string };

/** Kinds of objects that JSON can represent. */
const JSON_KINDS = /^(Object|Array|String|Number|Boolean)$/;

/**
 * JavaScript writes numbers from this one on with an exponent, so they cannot be the digits of an
 * ID.
 */
const MAX_ID = 1e21;

const MAY_HAVE_LOST = 'a number beyond 2^53, which may have lost digits; enter it as text';

/** Maximum length of a name in a message. */
const MAX_NAME = 80;

/** Why an entry cannot be sent unchanged. The text is a clause about the entry. */
function issueOf(value: unknown, original: unknown): string | undefined {
	if (value === undefined) return 'which has no value';
	if (value === null && original !== null) return 'a date that is not valid';
	if (typeof value === 'number') {
		if (!Number.isFinite(value)) return `which is ${value}; JSON has no such number`;
		const isLong = Number.isInteger(value) && !Number.isSafeInteger(value);
		return isLong && Math.abs(value) < MAX_ID ? MAY_HAVE_LOST : undefined;
	}
	if (typeof value === 'function' || typeof value === 'symbol') {
		return `which is a ${typeof value}, not plain data`;
	}
	if (typeof value !== 'object' || value === null) return undefined;
	const kind = Object.prototype.toString.call(value).slice(8, -1);
	return JSON_KINDS.test(kind) ? undefined : `which is a ${kind}, not plain data`;
}

/**
 * Converts the result of an expression to plain JSON data. Dates become ISO text, and a BigInt
 * beyond 2^53 becomes the text of its digits. A value that JSON would drop or replace with null is an
 * issue. Object entries without a value are left out, and their names are returned.
 */
export function toJsonValue(given: unknown): JsonValue {
	const missing: string[] = [];
	let issue: string | undefined;
	function plain(this: Record<string, unknown>, key: string, value: unknown): unknown {
		// n8n gives BigInt a `toJSON` that returns text, so the original value counts.
		const original = this[key];
		if (typeof original === 'bigint') {
			return Number.isSafeInteger(Number(original)) ? Number(original) : String(original);
		}
		if (value === undefined && !Array.isArray(this)) {
			missing.push(key);
			return undefined;
		}
		const why = issueOf(value, original);
		if (why) issue ??= `contains '${key.slice(0, MAX_NAME)}', ${why}`;
		return issue === undefined ? value : null;
	}
	try {
		const text = JSON.stringify(given, plain);
		return issue === undefined ? { value: JSON.parse(text), missing } : { issue };
	} catch {
		return { issue: 'contains itself or is nested too deeply' };
	}
}

/**
 * The byte order mark, with which some servers begin their JSON. Readers may ignore it (RFC 8259,
 * section 8.1).
 */
const BYTE_ORDER_MARK = /^\uFEFF/;

export const withoutByteOrderMark = (text: string): string => text.replace(BYTE_ORDER_MARK, '');
