/** An escape sequence, a quotation mark, or a number (RFC 8259, sections 6 and 7). */
const ESCAPE_QUOTE_OR_NUMBER = /\\.|"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Text that may contain a number that JavaScript changes. Such a number has at least sixteen
 * digits, as 2^53 does, or an exponent of at least three digits, as in 1e100.
 */
const MAY_LOSE_DIGITS = /[\d.]{16}|\de[+-]?\d{3}/i;

/** Whether JavaScript keeps a number. Rounding a fraction is allowed (RFC 8259, section 6). */
function isExact(digits: string) {
	const number = Number(digits);
	return /^-?\d+$/.test(digits) ? Number.isSafeInteger(number) : Number.isFinite(number);
}

/**
 * Puts the numbers that JavaScript would change into quotes. The text must be valid JSON. It takes
 * linear time and no recursion.
 */
function quoteNumbers(text: string) {
	let inString = false;
	return text.replace(ESCAPE_QUOTE_OR_NUMBER, (token) => {
		if (token === '"') inString = !inString;
		else if (!inString && /\d$/.test(token) && !isExact(token)) return `"${token}"`;
		return token;
	});
}

/**
 * Parses JSON without losing digits. Integers beyond 2^53, such as 64-bit post IDs, become text,
 * and so do numbers that are too large for JavaScript, such as 1e400.
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
export function measureJson(text: string) {
	let values = 1;
	let level = 0;
	let depth = 0;
	let inString = false;
	for (let at = 0; at < text.length; at++) {
		const character = text[at];
		if (character === '"') inString = !inString;
		else if (inString) at += character === '\\' ? 1 : 0;
		else if (character === ',') values++;
		else if (character === ']' || character === '}') level--;
		else if (character === '[' || character === '{') {
			values++;
			depth = Math.max(depth, ++level);
		}
	}
	return { values, depth };
}

/** Maximum number of values. Checking and redacting takes up to 20 microseconds per value. */
const MAX_JSON_VALUES = 50_000;

/** Maximum number of nesting levels. */
const MAX_JSON_DEPTH = 64;

export const TOO_COMPLEX = 'has more than 50,000 values or 64 levels';

export function isTooComplex(text: string) {
	const { values, depth } = measureJson(text);
	return values > MAX_JSON_VALUES || depth > MAX_JSON_DEPTH;
}

/** Whether a parsed value is a JSON object, and not a list. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of a JSON object. Any other value has none. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
	isJsonObject(value) ? value : {};

/**
 * Plain JSON data with the names of entries that had no value, or the reason why JSON cannot
 * represent the data.
 */
type JsonValue = { value: unknown; missing: string[] } | { issue: string };

/** Maximum length of a name in a message. */
const MAX_SHOWN_NAME = 80;

/**
 * Converts the result of an expression to plain JSON data. Dates become ISO text. A number that
 * JSON cannot represent, or that may have lost digits, is an issue.
 */
export function toJsonValue(given: unknown): JsonValue {
	const missing: string[] = [];
	let values = 0;
	let issue: string | undefined;
	const check = (key: string, value: unknown) => {
		// Entries are counted before they are visited, because n8n evaluates each of them when it is read.
		if (typeof value === 'object' && value !== null) {
			values += Array.isArray(value) ? value.length : Reflect.ownKeys(value).length;
		}
		const why =
			values > MAX_JSON_VALUES ? TOO_COMPLEX : issueOfEntry(key.slice(0, MAX_SHOWN_NAME), value);
		if (why) throw new RangeError((issue = why));
		if (value === undefined) missing.push(key);
		return value;
	};
	try {
		return { value: JSON.parse(JSON.stringify(given, check)) as unknown, missing };
	} catch {
		return { issue: issue ?? 'is not plain data that JSON can represent' };
	}
}

function issueOfEntry(name: string, value: unknown) {
	if (typeof value === 'string' && !value.isWellFormed()) {
		return `contains '${name}', a text with an incomplete character (a lone surrogate)`;
	}
	if (typeof value !== 'number') return undefined;
	if (Number.isInteger(value) ? Number.isSafeInteger(value) : isFinite(value)) return undefined;
	return `contains '${name}', a number that JSON cannot represent exactly; enter it as text`;
}

/** Some servers begin their JSON with this mark. Readers may ignore it (RFC 8259, section 8.1). */
export const withoutByteOrderMark = (text: string) => text.replace(/^\uFEFF/, '');
