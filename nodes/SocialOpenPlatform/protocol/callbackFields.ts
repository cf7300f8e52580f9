import { parseJson, withoutByteOrderMark } from './json';
import { encodePairs, sortedByName } from './signature';

/**
 * More than any callback has. The form is made before the signature is checked, and in it a field deep
 * down repeats the names of all above it: without bounds, a small body could fill the memory.
 */
const MAX_FIELDS = 10_000;
const MAX_DEPTH = 32;

type Pair = [key: string, value: string];

/** PHP's `http_build_query`: nested keys in brackets, nulls dropped, booleans as 1 and 0. */
function collect(pairs: Pair[], key: string, value: unknown, depth = 0): void {
	if (value === null || value === undefined) return;
	if (typeof value === 'object') {
		if (depth === MAX_DEPTH) throw new RangeError('nested too deeply');
		for (const [inner, of] of Object.entries(value)) {
			collect(pairs, `${key}[${inner}]`, of, depth + 1);
		}
		return;
	}
	if (pairs.length === MAX_FIELDS) throw new RangeError('too many fields');
	pairs.push([
		key,
		typeof value === 'boolean' ? String(Number(value)) : `${value as string | number}`,
	]);
}

/**
 * What the Sorted Fields recipe signs: the token request's own recipe over the callback's payload,
 * `app_secret` and `sign_ver=1.0` (contract, "The webhook signature").
 *
 * @returns undefined when the body is not a JSON object that has such a form
 */
export function callbackFields(rawBody: Buffer, appSecret: string): string | undefined {
	try {
		const payload = parseJson(withoutByteOrderMark(rawBody.toString('utf8')));
		if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return undefined;
		const fields = { ...payload, app_secret: appSecret, sign_ver: '1.0' };
		const pairs: Pair[] = [];
		for (const [key, value] of sortedByName(fields)) collect(pairs, key, value);
		return encodePairs(pairs);
	} catch {
		return undefined;
	}
}
