import { isJsonObject } from '../json';
import { encodePairs } from '../signature';

/**
 * Maximum number of characters in all names together. The name of a nested field repeats the names
 * around it.
 */
const MAX_NAME_CHARACTERS = 1_000_000;

/** Fields that the Sorted Fields method adds to those of the payload. */
const ADDED = ['app_secret', 'sign_ver'];

interface Pair {
	/**
	 * The name of the top-level field. Pairs are sorted by this name, and pairs with the same name
	 * keep their order.
	 */
	order: string;
	pair: [key: string, value: string];
}

/** Creates the pairs of a payload as PHP's `http_build_query` does. */
class Pairs {
	readonly all: Pair[] = [];
	private nameCharacters = 0;

	/**
	 * Adds the pairs of a value. Nested names are put in brackets. Nulls are left out, and booleans
	 * become 1 and 0.
	 */
	add(name: string, value: unknown, order: string): void {
		if (value === null || value === undefined) return;
		if (typeof value !== 'object') {
			const text = typeof value === 'boolean' ? Number(value) : (value as string | number);
			this.push(name, String(text), order);
			return;
		}
		for (const [innerName, innerValue] of Object.entries(value)) {
			this.add(`${name}[${innerName}]`, innerValue, order);
		}
	}

	private push(name: string, value: string, order: string): void {
		this.nameCharacters += name.length;
		if (this.nameCharacters > MAX_NAME_CHARACTERS) throw new RangeError('The names are too long');
		this.all.push({ order, pair: [name, value] });
	}
}

const byOrder = (a: { order: string }, b: { order: string }): number =>
	a.order < b.order ? -1 : Number(a.order > b.order);

/** Converts a name to a text that JavaScript sorts in the order of the name's UTF-8 bytes. */
const bytesOf = (name: string): string => Buffer.from(name).toString('latin1');

/**
 * The text that the Sorted Fields method signs: the fields of the payload, `app_secret` and
 * `sign_ver=1.0`, encoded like a token request (contract, "The webhook signature").
 *
 * @returns a function from the App Secret to this text, or undefined if the payload cannot be
 * written in this form
 */
export function formOf(payload: unknown): ((appSecret: string) => string) | undefined {
	if (!isJsonObject(payload)) return undefined;
	try {
		const pairs = new Pairs();
		for (const [name, value] of Object.entries(payload)) {
			if (!ADDED.includes(name)) pairs.add(name, value, bytesOf(name));
		}
		const encoded = pairs.all.map(({ order, pair }) => ({ order, text: encodePairs([pair]) }));
		// The pairs are sorted here once, so that sorting them again with each App Secret is fast.
		encoded.sort(byOrder);
		return (appSecret) => {
			const added = Object.entries({ app_secret: appSecret, sign_ver: '1.0' });
			return [
				...encoded,
				...added.map((pair) => ({ order: bytesOf(pair[0]), text: encodePairs([pair]) })),
			]
				.sort(byOrder)
				.map(({ text }) => text)
				.join('&');
		};
	} catch {
		return undefined;
	}
}

const hasBracketInName = (value: unknown): boolean =>
	typeof value === 'object' &&
	value !== null &&
	Object.entries(value).some(([name, inner]) => /[[\]]/.test(name) || hasBracketInName(inner));

/**
 * Whether a payload has names that the signature does not cover: the two names that the method
 * adds, and names with a bracket, which look like nested fields in the signed text.
 */
export const hasUnsignedNames = (payload: unknown): boolean =>
	isJsonObject(payload) &&
	(ADDED.some((name) => Object.hasOwn(payload, name)) || hasBracketInName(payload));

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
