import { isJsonObject } from '../../platform/json';
import { encodePairs } from '../../platform/signature';

/**
 * Maximum length of all names together. There is a limit, because the name of a nested field repeats
 * the names around it.
 */
const MAX_NAME_CHARACTERS = 1_000_000;

/**
 * @throws RangeError for a name with a bracket, because it would look like a nested field when it is
 * signed
 */
function fieldEntries(value: object): Array<[string, unknown]> {
	const entries = Object.entries(value);
	if (entries.some(([name]) => /[[\]]/.test(name))) throw new RangeError('A name has a bracket');
	return entries;
}

/**
 * Returns the pairs of a value as PHP's `http_build_query` creates them: nested names are put in
 * brackets, nulls are left out, and booleans become 1 and 0.
 */
function pairsOf(name: string, value: unknown): Array<[string, string]> {
	if (value === null) return [];
	if (typeof value === 'object') {
		return fieldEntries(value).flatMap(([inner, its]) => pairsOf(`${name}[${inner}]`, its));
	}
	return [[name, String(typeof value === 'boolean' ? Number(value) : (value as string | number))]];
}

/**
 * Returns the text that the Sorted Fields method signs: the fields of the payload, `app_secret` and
 * `sign_ver=1.0`, encoded like a token request (docs/platform-assumptions.md).
 *
 * @returns undefined if the payload is not an object, or if its names are reserved, contain
 * brackets, or are too long together
 */
export function sortedFields(payload: unknown, appSecret: string) {
	if (!isJsonObject(payload) || 'app_secret' in payload || 'sign_ver' in payload) {
		return undefined;
	}
	try {
		// Each name becomes its UTF-8 bytes, one per character, because the names are sorted by these bytes.
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
 * Returns the part of a payload that the signature covers with Sorted Fields. Nulls, empty lists and
 * empty objects are left out, because the signed text does not contain them, and anyone could add
 * them. A list is treated like an object with the names 0, 1, 2, because their signed text is the
 * same.
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
