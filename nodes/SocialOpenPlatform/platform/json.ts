/**
 * Whether JavaScript can represent a number without losing digits. A fraction may be rounded (RFC
 * 8259, section 6).
 */
function isExact(digits: string) {
	const number = Number(digits);
	return /^-?\d+$/.test(digits) ? Number.isSafeInteger(number) : Number.isFinite(number);
}

/** Returns the position of the quotation mark that closes the JSON string opened at `start`. */
function endOfString(text: string, start: number) {
	let at = start + 1;
	while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
	return at;
}

/**
 * Parses JSON without losing digits. Integers beyond 2^53, such as 64-bit post IDs, become strings,
 * and so do numbers that are too large for JavaScript, such as 1e400. Strings are skipped, because
 * their digits stay unchanged and searching megabytes of text would take seconds.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseJson(text: string): unknown {
	const value: unknown = JSON.parse(text);
	// A number with fewer digits and a smaller exponent is exact.
	if (!/[\d.]{16}|\de[+-]?\d{3}/i.test(text)) return value;
	const token = /"|-?\d[\d.eE+-]*/g;
	let exact = '';
	let end = 0;
	for (let found = token.exec(text); found; found = token.exec(text)) {
		const [number] = found;
		if (number === '"') token.lastIndex = endOfString(text, found.index) + 1;
		else if (!isExact(number)) {
			exact += `${text.slice(end, found.index)}"${number}"`;
			end = token.lastIndex;
		}
	}
	return end === 0 ? value : JSON.parse(exact + text.slice(end));
}

/** Maximum number of values in JSON. Checking and redacting a value takes up to 20 microseconds. */
const MAX_JSON_VALUES = 50_000;

/** Maximum number of nesting levels in JSON. */
const MAX_JSON_DEPTH = 64;

export const TOO_COMPLEX = 'has more than 50,000 values or 64 levels';

/**
 * Whether a JSON string has too many values or nesting levels. The string is only scanned, because
 * parsing, checking and redacting millions of values would take many seconds.
 */
export function isTooComplex(text: string, maxValues = MAX_JSON_VALUES, maxDepth = MAX_JSON_DEPTH) {
	let values = 1;
	let level = 0;
	for (let at = 0; at < text.length; at++) {
		const character = text[at];
		if (character === '"') at = endOfString(text, at);
		else if (character === ',') values++;
		else if (character === ']' || character === '}') level--;
		else if (character === '[' || character === '{') {
			values++;
			level++;
		}
		if (values > maxValues || level > maxDepth) return true;
	}
	return false;
}

/** Whether a parsed value is a JSON object, and not a list. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the fields of a JSON object, or no fields for any other value. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
	isJsonObject(value) ? value : {};

/** Plain JSON data, or the reason why JSON cannot represent a value. */
type JsonValue = { value: unknown } | { issue: string };

/** Maximum length of a field name in a message, in characters. */
const MAX_SHOWN_NAME = 80;

/**
 * Converts the result of an expression to plain JSON data. Dates become ISO strings, and undefined
 * fields are omitted. A number that JSON cannot represent, or that may have lost digits, is
 * reported as an issue, and so is an incomplete character.
 */
export function toJsonValue(given: unknown): JsonValue {
	let values = 0;
	let issue: string | undefined;
	const check = (key: string, value: unknown) => {
		// Entries are counted before they are read, because n8n may evaluate each one that is read.
		if (typeof value === 'object' && value !== null) {
			values += Array.isArray(value) ? value.length : Reflect.ownKeys(value).length;
		}
		const why =
			values > MAX_JSON_VALUES ? TOO_COMPLEX : issueOfEntry(key.slice(0, MAX_SHOWN_NAME), value);
		if (why) throw new RangeError((issue = why));
		return value;
	};
	try {
		return { value: JSON.parse(JSON.stringify(given, check)) as unknown };
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

const REDACTED = '[redacted]';

/** Minimum length of a redacted spelling, in characters. Ordinary text may contain shorter ones. */
const MIN_LENGTH = 6;

/**
 * Matches the token in a link to one of n8n's files. Anyone with the link can download the file.
 * Links from other executions have unknown tokens, so the rest of a link identifies its token.
 */
const FILE_TOKEN =
	/((?:\/|\\\/|%2f)binary-data(?:\/|\\\/|%2f)signed(?:\?|%3f)token(?:=|%3d))[\w-]+(?:\.[\w-]+)*/gi;

/**
 * Returns the spellings in which a string may contain secrets: plain, JSON-escaped, percent-encoded
 * and base64. A stored token ends with a digest that is not sent, so it is included with and
 * without the digest. Values that are not strings are ignored.
 */
export function secretsIn(...values: unknown[]): string[] {
	const secrets = values
		.filter((value) => typeof value === 'string')
		.flatMap((value) => [value, value.replace(/ [\da-f]{64}$/, '')]);
	const base64 = secrets.map((text) => Buffer.from(text).toString('base64'));
	const unpadded = base64.map((text) => text.replace(/=+$/, ''));
	const spellings = [...secrets, ...base64, ...unpadded]
		.filter(({ length }) => length >= MIN_LENGTH)
		.flatMap((secret) => {
			const text = secret.toWellFormed();
			const json = JSON.stringify(text).slice(1, -1);
			const percent = encodeURIComponent(text);
			const inLowerCase = percent.replace(/%../g, (hex) => hex.toLowerCase());
			// PHP escapes slashes in JSON.
			return [text, json, json.replaceAll('/', '\\/'), percent, inLowerCase];
		});
	return [...new Set(spellings)];
}

/**
 * Redacts secrets in a value, so that n8n does not store them. Strings, numbers and object keys are
 * searched. Tokens in links to n8n's files are also redacted.
 *
 * @param secrets the spellings of the secrets, see {@link secretsIn}
 * @returns a copy
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
	const clean = (text: string) => {
		let left = text.replace(FILE_TOKEN, `$1${REDACTED}`);
		// Unlike `replaceAll`, `split` needs little memory for a string that repeats a secret often.
		for (const secret of secrets) {
			if (left.includes(secret)) left = left.split(secret).join(REDACTED);
		}
		return left;
	};
	const walk = (part: unknown): unknown => {
		if (typeof part === 'string') return clean(part);
		if (typeof part === 'number') return clean(String(part)) === String(part) ? part : REDACTED;
		if (Array.isArray(part)) return part.map(walk);
		if (typeof part !== 'object' || part === null) return part;
		return Object.fromEntries(Object.entries(part).map(([key, of]) => [clean(key), walk(of)]));
	};
	return walk(value) as T;
}
