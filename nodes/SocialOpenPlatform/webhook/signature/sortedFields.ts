import { isJsonObject } from '../../platform/json';
import { encodePairs } from '../../platform/signature';

/**
 * Maximum total length of all names, in characters. The name of a nested field repeats the names
 * around it, so a small payload could otherwise produce a very long text.
 */
const MAX_NAME_CHARACTERS = 1_000_000;

/** @throws RangeError if a name has a bracket, because it would be signed like a nested field */
function fieldEntries(value: object): Array<[string, unknown]> {
	const entries = Object.entries(value);
	if (entries.some(([name]) => /[[\]]/.test(name))) throw new RangeError('A name has a bracket');
	return entries;
}

/**
 * Converts a field to pairs like PHP's `http_build_query`. Nested names are in brackets, nulls are
 * omitted, and booleans become 1 and 0.
 */
function pairsOf(name: string, value: unknown): Array<[string, string]> {
	if (value === null) return [];
	if (typeof value === 'object') {
		return fieldEntries(value).flatMap(([inner, its]) => pairsOf(`${name}[${inner}]`, its));
	}
	return [[name, String(typeof value === 'boolean' ? Number(value) : (value as string | number))]];
}

/**
 * Returns the text that *Sorted Fields* signs. It contains the fields of the payload, `app_secret`
 * and `sign_ver=1.0`, encoded like a token request.
 *
 * @returns undefined if the payload is not an object, if a name is reserved or contains a bracket,
 * if the names are too long in total, or if a string contains a lone surrogate
 */
export function sortedFields(payload: unknown, appSecret: string) {
	if (!isJsonObject(payload) || 'app_secret' in payload || 'sign_ver' in payload) {
		return undefined;
	}
	try {
		// Names are sorted by their UTF-8 bytes, which `latin1` turns into one character each.
		const pairs = fieldEntries({ ...payload, app_secret: appSecret, sign_ver: '1.0' })
			.map(([name, value]) => [Buffer.from(name).toString('latin1'), name, value] as const)
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.flatMap(([, name, value]) => pairsOf(name, value));
		const characters = pairs.reduce((sum, [name]) => sum + name.length, 0);
		return characters > MAX_NAME_CHARACTERS ? undefined : encodePairs(pairs);
	} catch {
		return undefined;
	}
}

/**
 * Returns the part of a payload that a *Sorted Fields* signature covers. Nulls, empty lists and
 * empty objects are omitted, because the signed text does not contain them and anyone could add
 * them. An object with the names 0, 1, 2 becomes a list, because both have the same signed text.
 */
export function signedPart(value: unknown): unknown {
	if (value === null) return undefined;
	if (typeof value !== 'object') return value;
	const entries = Object.entries(value)
		.map(([name, inner]) => [name, signedPart(inner)] as const)
		.filter(([, inner]) => inner !== undefined);
	if (entries.length === 0) return undefined;
	const isList = entries.every(([name], index) => name === String(index));
	return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
