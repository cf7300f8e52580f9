import { z } from 'zod/v4';
import { isTooComplex, parseJson, TOO_COMPLEX, toJsonValue } from '../platform/json';

/** The end of a warning about a value that the request omits. */
export const NOT_SENT = 'it is not sent';

/** Whether a field has no value. Expressions return null or undefined for a missing value. */
export function isNothing(value: unknown) {
	return value === undefined || value === null || value === '';
}

/** Whether a value is an object with named entries rather than a list or a date. */
export function isObject(value: unknown): value is Record<string, unknown> {
	return Object.prototype.toString.call(value) === '[object Object]';
}

/**
 * Whether a stored parameter is a resource locator. If a user lets a model fill in a field that
 * contained plain text, n8n's editor stores each character of the text under its index, beside
 * `value`.
 */
export function isLocator(raw: unknown): raw is { value: unknown } {
	return isObject(raw) && 'value' in raw && (raw.__rl === true || Object.hasOwn(raw, '0'));
}

/** Returns the value of a resource locator, or any other value unchanged. */
export function withoutLocator(value: unknown): unknown {
	return isLocator(value) ? value.value : value;
}

/** Whether a parameter is an expression or contains one. */
export function holdsExpression(value: unknown) {
	if (typeof value === 'string') return value.startsWith('=');
	if (typeof value !== 'object' || value === null) return false;
	return Object.values(value).some(holdsExpression);
}

/** Whether a string has more than `max` characters, counted as code points. */
export const isLonger = (value: string, max: number) =>
	value.length > 2 * max || (value.length > max && [...value].length > max);

/**
 * Maximum length of a post's text fields and of *Other Fields (JSON)* as text, in characters.
 * Longer values are refused before they are converted.
 */
export const MAX_TEXT = 200_000;

export const tooLong = (max: number) => `is longer than ${max} characters`;

/**
 * Converts a number to a string, unless JavaScript may have lost some of its digits. Any other
 * value is returned unchanged.
 */
export function toText(value: unknown): unknown {
	const isExact = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
	return isExact || typeof value === 'bigint' ? String(value) : value;
}

/** Parses a JSON string without losing digits. Any other value is returned unchanged. */
export function fromJson(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return parseJson(value);
	} catch {
		return value;
	}
}

/**
 * Reads the value of a JSON field, which is a string or the result of an expression. A string that
 * is not JSON is returned unchanged.
 */
export function readJson(value: unknown): ReturnType<typeof toJsonValue> {
	if (typeof value === 'string' && isTooComplex(value)) return { issue: TOO_COMPLEX };
	const json = fromJson(value);
	return isObject(json) || Array.isArray(json) ? toJsonValue(json) : { value: json };
}

/** Maximum length of a value in a message, in characters. */
const MAX_SHOWN_VALUE = 80;

/**
 * Maximum length of a value that is searched for a login, in characters. Longer values are not
 * quoted.
 */
const MAX_SEARCHED = 2000;

/**
 * Matches the scheme and the login (user name and password) of a URL. The login may contain any
 * character, because the URL may be invalid.
 */
const LOGIN = /^([^:\\/]*(?::[\\/]*|[\\/]{2})).*@/s;

/**
 * Shortens a value for a message, and removes the login and query of a URL, which may contain
 * secrets.
 */
export function quote(value: unknown) {
	const isScalar = Object(value) !== value;
	const text = isScalar ? String(value) : Array.isArray(value) ? 'a list' : 'an object';
	if (text.length > MAX_SEARCHED) return 'a long text';
	const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
	const withoutQuery = text.replace(/\?.*/s, '?…');
	// A valid URL may have an @ in its path. Any other string may contain a login.
	const hasNoLogin = url && !url.username && !url.password;
	const safe = hasNoLogin ? withoutQuery : withoutQuery.replace(LOGIN, '$1…@');
	return safe.length > MAX_SHOWN_VALUE ? `${safe.slice(0, MAX_SHOWN_VALUE)}…` : safe;
}

/**
 * Describes an issue with a row of a list.
 *
 * @param row the row's name in messages, such as "row 2"
 */
export function describeRow(row: string, value: unknown, message: string) {
	const shown = quote(value);
	return `${row} ${shown && `(${shown}) `}${message}`;
}

/**
 * Describes the first issue with a value. An issue with a whole list takes precedence over issues
 * with its rows.
 */
function describeFirst(issues: z.core.$ZodIssue[]) {
	const { path, message, input } = issues.find((issue) => issue.path.length === 0) ?? issues[0]!;
	const [row] = path;
	if (typeof row !== 'number') return message;
	return describeRow(`row ${row + 1}`, path.length === 1 ? input : {}, message);
}

/**
 * Checks a value against a schema. Null and an empty string count as undefined.
 *
 * @returns the value, or an issue with it
 */
export function check<T>(schema: z.ZodType<T>, given: unknown): { value?: T; issue?: string } {
	const value = isNothing(given) ? undefined : given;
	const { data, error } = schema.safeParse(value, { reportInput: true });
	return error ? { issue: describeFirst(error.issues) } : { value: data };
}

/** The schema of a switch. An expression may return the value as a string. */
export const flag = z.preprocess((value) => {
	if (value === 'true') return true;
	return value === 'false' ? false : value;
}, z.boolean('must be true or false'));

/**
 * Returns the issue with a value that is not a string. Expressions such as `{{ $now }}` and
 * `{{ $json.tags }}` may return such values.
 */
function notText(value: unknown): string {
	if (value === undefined) return 'is empty';
	if (typeof value === 'number') {
		return Number.isFinite(value)
			? 'is a number that has lost some of its digits; enter it as text'
			: 'is not a finite number';
	}
	if (Array.isArray(value)) {
		return "is a list, not text; join it, for example with {{ $json.tags.join(' ') }}";
	}
	if (typeof value !== 'object' || value === null) return 'is not text';
	return "is an object, not text; name the field in it that contains the text, or format a date, for example with {{ $now.toFormat('d LLLL yyyy') }}";
}

/**
 * Returns an issue with a string that was meant as an expression, or into which an object was
 * inserted.
 *
 * @param isExpression whether the field is an expression, so that braces come from the data
 */
export function mistakeIn(value: string, isExpression: boolean) {
	// When a user types {{ }} in a list row, n8n does not switch it to Expression. A regular
	// expression would be slow on text with many braces.
	const start = isExpression ? -1 : value.indexOf('{{');
	if (start >= 0 && value.includes('}}', start + 2)) {
		return 'is text, not an expression; point at it, and select Expression';
	}
	return value.includes('[object Object]')
		? 'contains an object instead of text; name one of its fields, or for a file, remove all text around the braces'
		: undefined;
}

/** The schema of a string. Incomplete characters are refused, because UTF-8 would replace them. */
export const text = z
	.string({ error: ({ input }) => notText(input) })
	.refine((value) => value.isWellFormed(), 'contains an incomplete character (a lone surrogate)');

/**
 * Returns a function that builds a value on first use and keeps it. Building all schemas at once
 * would slow down loading.
 */
export function once<T>(build: () => T): () => T {
	let built: T | undefined;
	return () => (built ??= build());
}

/**
 * Returns the schema of a number within limits. An expression may return the number as a string.
 *
 * @param what the number's name in messages, such as "a number of seconds"
 */
export const boundedNumber = (what: string, min: number, max: number, isWhole = false) =>
	z.preprocess(
		(value) =>
			typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value,
		z
			.number(`is not ${what}`)
			.refine((value) => !isWhole || Number.isSafeInteger(value), 'is not a whole number')
			.min(min, `must be at least ${min}`)
			.max(max, `must be at most ${max}`),
	);

export const boundedInteger = (what: string, min: number, max: number) =>
	boundedNumber(what, min, max, true);
