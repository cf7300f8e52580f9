import { parseJson } from '../protocol/json';

/** Whether a value is what an expression gives for "nothing here": such a field is not set. */
export function isNothing(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}

/** Whether a value is an object with entries, no list and no date. */
export function isObject(value: unknown): value is Record<string, unknown> {
	return Object.prototype.toString.call(value) === '[object Object]';
}

/** Numbers become their digits, unless JavaScript has lost some of them. */
export function toText(value: unknown): unknown {
	if (typeof value === 'bigint') return String(value);
	const isWhole = typeof value === 'number' && Number.isFinite(value);
	return isWhole && Number.isInteger(value) === Number.isSafeInteger(value) ? String(value) : value;
}

/** The words `true` and `false` become what they say. */
export function toFlag(value: unknown): unknown {
	if (value === 'true') return true;
	return value === 'false' ? false : value;
}

/** A number written as text becomes that number. */
export function toNumber(value: unknown): unknown {
	return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
}

/** JSON text becomes its value, digits kept; text that is no JSON stays text. */
export function toJson(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return parseJson(value);
	} catch {
		return value;
	}
}

const MAX_QUOTED = 80;

/** A value as a message shows it: short, and without the query of a URL, which may hold keys. */
export function quote(value: unknown): string {
	const text = typeof value === 'string' ? value.replace(/\?.*/s, '?…') : inJson(value);
	return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

/** Functions, symbols and circular objects have no JSON; NaN would be null in it. */
function inJson(value: unknown): string {
	if (typeof value === 'number') return String(value);
	try {
		return JSON.stringify(value) ?? typeof value;
	} catch {
		return typeof value;
	}
}
