import { parseJson, withoutByteOrderMark } from './json';
import { encodePairs, sortedByName } from './signature';

/**
 * More than any callback has. The form is made before the signature is checked, and in it a field deep
 * down repeats the names of all above it: without bounds, a small body could fill the memory.
 */
const MAX_FIELDS = 10_000;
const MAX_DEPTH = 32;
/** Characters of all names together, each as often as it is repeated. */
const MAX_NAMES = 1_000_000;

type Pair = [key: string, value: string];

/** The pairs of a payload as PHP's `http_build_query` makes them, up to the bounds above. */
class Pairs {
	readonly all: Pair[] = [];
	private names = 0;

	/** Nested names go in brackets; nulls are dropped, booleans are 1 and 0. */
	add(name: string, value: unknown, depth = 0): void {
		if (value === null || value === undefined) return;
		if (typeof value !== 'object') {
			const text = typeof value === 'boolean' ? Number(value) : (value as string | number);
			this.push(name, String(text));
			return;
		}
		if (depth === MAX_DEPTH) throw new RangeError('nested too deeply');
		for (const [inner, of] of Object.entries(value)) this.add(`${name}[${inner}]`, of, depth + 1);
	}

	private push(name: string, value: string): void {
		this.names += name.length;
		if (this.all.length === MAX_FIELDS || this.names > MAX_NAMES) {
			throw new RangeError('more names than a callback has');
		}
		this.all.push([name, value]);
	}
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
		// Before they are put in order, which takes longer the more there are.
		if (Object.keys(payload).length > MAX_FIELDS) return undefined;
		const fields = { ...payload, app_secret: appSecret, sign_ver: '1.0' };
		const pairs = new Pairs();
		for (const [name, value] of sortedByName(fields)) pairs.add(name, value);
		return encodePairs(pairs.all);
	} catch {
		return undefined;
	}
}
