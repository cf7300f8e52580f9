import { isTooComplex, parseJson, TOO_COMPLEX, toJsonValue } from '../platform/json';

/** Whether a field has no value. Expressions return null or undefined for a missing value. */
export function isNothing(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}

/** Whether a value is an object with named entries, and not a list or a date. */
export function isObject(value: unknown): value is Record<string, unknown> {
	return Object.prototype.toString.call(value) === '[object Object]';
}

/**
 * Whether a stored parameter is a resource locator. If a model is to provide a value that was plain text
 * before, n8n's editor stores the characters of the text, numbered, beside `value`.
 */
export function isLocator(raw: unknown): raw is { value: unknown } {
	return isObject(raw) && 'value' in raw && (raw.__rl === true || Object.hasOwn(raw, '0'));
}

/** The value of a resource locator, and any other value unchanged. */
export function withoutLocator(value: unknown): unknown {
	return isLocator(value) ? value.value : value;
}

/** Converts a number to the text of its digits, unless JavaScript has already lost some of them. */
export function toText(value: unknown): unknown {
	const isExact = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
	return isExact || typeof value === 'bigint' ? String(value) : value;
}

/** Converts text that is a number to a number. Other values stay the same. */
export function toNumber(value: unknown): unknown {
	return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
}

/** Parses JSON text without losing digits. Text that is not JSON stays the same. */
export function toJson(value: unknown): unknown {
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
	const json = toJson(value);
	return isObject(json) || Array.isArray(json) ? toJsonValue(json) : { value: json, missing: [] };
}

const MAX_QUOTED = 80;

/** The login of a longer text may be long, too, so that a part of it does not show that it is one. */
const MAX_SEARCHED = 2000;

/** The login of a URL, which may contain any character if the URL is not valid. */
const LOGIN = /^([^:\\/]*(?::[\\/]*|[\\/]{2})).*@/s;

/**
 * Formats a value for a message: shortened, and without the login and the query of a URL, which may
 * contain secrets.
 */
export function quote(value: unknown): string {
	const isScalar = Object(value) !== value;
	const text = isScalar ? String(value) : Array.isArray(value) ? 'a list' : 'an object';
	if (text.length > MAX_SEARCHED) return 'a long text';
	const safe = text.replace(/\?.*/s, '?…').replace(LOGIN, '$1…@');
	return safe.length > MAX_QUOTED ? `${safe.slice(0, MAX_QUOTED)}…` : safe;
}
