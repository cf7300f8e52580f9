import { z } from 'zod/v4';
import { isTooComplex, parseJson, TOO_COMPLEX, toJsonValue } from '../platform/json';

/** The end of a warning about a value that is left out of the request. */
export const NOT_SENT = 'it is not sent';

/** Whether a field has no value. Expressions return null or undefined for a missing value. */
export function isNothing(value: unknown) {
	return value === undefined || value === null || value === '';
}

/** Whether a value is an object with named entries, and not a list or a date. */
export function isObject(value: unknown): value is Record<string, unknown> {
	return Object.prototype.toString.call(value) === '[object Object]';
}

/**
 * Whether a stored parameter is a resource locator. If a model is to provide a value that was plain
 * text before, n8n's editor stores the characters of the text, numbered, beside `value`.
 */
export function isLocator(raw: unknown): raw is { value: unknown } {
	return isObject(raw) && 'value' in raw && (raw.__rl === true || Object.hasOwn(raw, '0'));
}

/** The value of a resource locator, and any other value unchanged. */
export function withoutLocator(value: unknown): unknown {
	return isLocator(value) ? value.value : value;
}

/** Whether a parameter is an expression or contains one. */
export function holdsExpression(value: unknown) {
	if (typeof value === 'string') return value.startsWith('=');
	if (typeof value !== 'object' || value === null) return false;
	return Object.values(value).some(holdsExpression);
}

/** Whether a text is too long. Characters are counted as code points, which is how users count them. */
export const isLonger = (value: string, max: number) =>
	value.length > 2 * max || (value.length > max && [...value].length > max);

/** Maximum length of a text or of JSON. Longer ones are refused before they are converted. */
export const MAX_TEXT = 200_000;

/** The issue of a text that exceeds a maximum length. */
export const tooLong = (max: number) => `is longer than ${max} characters`;

/** Converts a number to the text of its digits, unless JavaScript has already lost some of them. */
export function toText(value: unknown): unknown {
	const isExact = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
	return isExact || typeof value === 'bigint' ? String(value) : value;
}

/** Parses JSON text without losing digits. Text that is not JSON stays the same. */
export function fromJson(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return parseJson(value);
	} catch {
		return value;
	}
}

/** Reads a JSON field: text, or the result of an expression. Text that is not JSON stays the same. */
export function readJson(value: unknown): ReturnType<typeof toJsonValue> {
	if (typeof value === 'string' && isTooComplex(value)) return { issue: TOO_COMPLEX };
	const json = fromJson(value);
	return isObject(json) || Array.isArray(json) ? toJsonValue(json) : { value: json };
}

/** Maximum number of characters of a value in a message. */
const MAX_SHOWN_VALUE = 80;

/**
 * Maximum length of a text in which a login is searched for. In a longer text, a part of a login
 * may not be recognized.
 */
const MAX_SEARCHED = 2000;

/** The login of a URL, which may contain any character if the URL is not valid. */
const LOGIN = /^([^:\\/]*(?::[\\/]*|[\\/]{2})).*@/s;

/**
 * Formats a value for a message: shortened, and without the login and the query of a URL, which may
 * contain secrets.
 */
export function quote(value: unknown) {
	const isScalar = Object(value) !== value;
	const text = isScalar ? String(value) : Array.isArray(value) ? 'a list' : 'an object';
	if (text.length > MAX_SEARCHED) return 'a long text';
	const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
	const withoutQuery = text.replace(/\?.*/s, '?…');
	// A valid URL may have an @ in its path. Any other text may contain a login.
	const hasNoLogin = url && !url.username && !url.password;
	const safe = hasNoLogin ? withoutQuery : withoutQuery.replace(LOGIN, '$1…@');
	return safe.length > MAX_SHOWN_VALUE ? `${safe.slice(0, MAX_SHOWN_VALUE)}…` : safe;
}

/**
 * Describes the issue of a row of a list.
 *
 * @param row the name of the row
 */
export function describeRow(row: string, value: unknown, message: string) {
	const shown = quote(value);
	return `${row} ${shown && `(${shown}) `}${message}`;
}

/** Describes the first issue of a value. An issue of a list is more important than those of its rows. */
function describeFirst(issues: z.core.$ZodIssue[]) {
	const first = issues.find((issue) => issue.path.length === 0) ?? issues[0]!;
	const { path, message, input } = first;
	const [row] = path;
	if (typeof row !== 'number') return message;
	return describeRow(`row ${row + 1}`, path.length === 1 ? input : {}, message);
}

/**
 * Checks a value against a schema. A value that is nothing counts as undefined.
 *
 * @returns the value, or its issue
 */
export function check<T>(schema: z.ZodType<T>, given: unknown): { value?: T; issue?: string } {
	const value = isNothing(given) ? undefined : given;
	const { data, error } = schema.safeParse(value, { reportInput: true });
	return error ? { issue: describeFirst(error.issues) } : { value: data };
}

/** The schema of a switch. An expression may return it as text. */
export const flag = z.preprocess((value) => {
	if (value === 'true') return true;
	return value === 'false' ? false : value;
}, z.boolean('must be true or false'));

/**
 * The issue of a value that is not text. Expressions such as `{{ $now }}` and `{{ $json.tags }}`
 * return such values.
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
 * Returns the issue of a text that was meant as an expression, or that contains an object as text.
 *
 * @param isExpression whether the field is an expression, so that braces come from the data
 */
export function mistakeIn(value: string, isExpression: boolean) {
	// n8n does not turn a row into an expression when a user enters {{ }}. A regular expression would
	// be slow for a text with many braces.
	const start = isExpression ? -1 : value.indexOf('{{');
	if (start >= 0 && value.includes('}}', start + 2)) {
		return 'is text, not an expression; point at it, and select Expression';
	}
	return value.includes('[object Object]')
		? 'contains an object instead of text; name one of its fields, or for a file, remove all text around the braces'
		: undefined;
}

/**
 * The schema of a text. Incomplete characters are refused, because all of them would be digested
 * and sent as the same one.
 */
export const text = z
	.string({ error: ({ input }) => notText(input) })
	.refine((value) => value.isWellFormed(), 'contains an incomplete character (a lone surrogate)');

/** Calls a function when its result is first used. Building all schemas would slow down loading. */
export function once<T>(build: () => T): () => T {
	let built: T | undefined;
	return () => (built ??= build());
}

/**
 * Returns the schema of a number within limits. An expression may return it as text.
 *
 * @param what how messages name the number, such as "a number of seconds"
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

/** Returns the schema of a whole number within limits. */
export const boundedInteger = (what: string, min: number, max: number) =>
	boundedNumber(what, min, max, true);
