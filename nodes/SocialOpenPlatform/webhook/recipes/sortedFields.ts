import { isJsonObject } from '../../platform/json';
import { encodePairs } from '../../platform/signature';

/**
 * Maximum number of characters in all names together. The name of a nested field repeats the names
 * around it.
 */
const MAX_NAME_CHARACTERS = 1_000_000;

type Pair = [name: string, value: string];

/** @throws RangeError for a name with a bracket, which looks like a nested field in the signed text */
function entriesOf(value: object): Array<[name: string, value: unknown]> {
	const entries = Object.entries(value);
	if (entries.some(([name]) => /[[\]]/.test(name))) throw new RangeError('A name has a bracket');
	return entries;
}

/**
 * The pairs of a value as PHP's `http_build_query` creates them: nested names are put in brackets,
 * nulls are left out, and booleans become 1 and 0.
 */
function* pairsOf(name: string, value: unknown): Generator<Pair> {
	if (value === null) return;
	if (typeof value !== 'object') {
		const text = typeof value === 'boolean' ? Number(value) : (value as string | number);
		yield [name, String(text)];
		return;
	}
	for (const [inner, its] of entriesOf(value)) yield* pairsOf(`${name}[${inner}]`, its);
}

/**
 * The text that the Sorted Fields method signs: the fields of the payload, `app_secret` and
 * `sign_ver=1.0`, encoded like a token request (contract, "The webhook signature").
 *
 * @returns undefined if the payload is not an object, or has names that the text does not cover
 */
export function sortedFields(payload: unknown, appSecret: string): string | undefined {
	const added = { app_secret: appSecret, sign_ver: '1.0' };
	if (!isJsonObject(payload) || Object.keys(added).some((name) => name in payload))
		return undefined;
	const pairs: Pair[] = [];
	let characters = 0;
	try {
		const fields = entriesOf({ ...payload, ...added })
			// JavaScript sorts these texts in the order of the names' UTF-8 bytes.
			.map(([name, value]) => ({ name, value, bytes: Buffer.from(name).toString('latin1') }))
			.sort((a, b) => (a.bytes < b.bytes ? -1 : 1));
		for (const { name, value } of fields) {
			for (const pair of pairsOf(name, value)) {
				characters += pair[0].length;
				if (characters > MAX_NAME_CHARACTERS) return undefined;
				pairs.push(pair);
			}
		}
		return encodePairs(pairs);
	} catch {
		return undefined;
	}
}

/**
 * The part of a payload that the signature covers. Nulls and empty lists are left out, because the
 * signed text does not contain them, and anyone could add them. A list is treated like an object
 * with the names 0, 1, 2, because their signed text is the same.
 */
export function signedPart(value: unknown): unknown {
	if (value === null) return undefined;
	if (typeof value !== 'object') return value;
	const entries = Object.entries(value)
		.map(([name, inner]): [string, unknown] => [name, signedPart(inner)])
		.filter(([, inner]) => inner !== undefined);
	if (entries.length === 0) return undefined;
	const isList = entries.every(([name], index) => name === String(index));
	return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
