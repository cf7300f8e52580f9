import { encodePairs } from './signature';

/** In the form, a field deep down repeats the names of all above it; this many characters of names. */
const MAX_NAMES = 1_000_000;

/** What the recipe adds to the fields of the callback. */
const ADDED = ['app_secret', 'sign_ver'];

interface Pair {
	/** By which the field of the top level is sorted; those within it stay as they are. */
	order: string;
	pair: [key: string, value: string];
}

/** The pairs of a payload as PHP's `http_build_query` makes them, up to the bound above. */
class Pairs {
	readonly all: Pair[] = [];
	private names = 0;

	/** Nested names go in brackets; nulls are dropped, booleans are 1 and 0. */
	add(name: string, value: unknown, order: string): void {
		if (value === null || value === undefined) return;
		if (typeof value !== 'object') {
			const text = typeof value === 'boolean' ? Number(value) : (value as string | number);
			this.push(name, String(text), order);
			return;
		}
		for (const [inner, of] of Object.entries(value)) {
			this.add(`${name}[${inner}]`, of, order);
		}
	}

	private push(name: string, value: string, order: string): void {
		this.names += name.length;
		if (this.names > MAX_NAMES) throw new RangeError('longer names than a callback has');
		this.all.push({ order, pair: [name, value] });
	}
}

const byOrder = (a: { order: string }, b: { order: string }): number =>
	a.order < b.order ? -1 : Number(a.order > b.order);

const isFields = (payload: unknown): payload is Record<string, unknown> =>
	typeof payload === 'object' && payload !== null && !Array.isArray(payload);

/** Bytes in the order of their values, as text whose characters are in the same order. */
const bytesOf = (name: string): string => Buffer.from(name).toString('latin1');

/**
 * What the Sorted Fields recipe signs: the token request's own recipe over the callback's payload,
 * `app_secret` and `sign_ver=1.0` (contract, "The webhook signature").
 *
 * @returns the form by the App Secret; undefined when the payload is not a JSON object that has one
 */
export function callbackFields(payload: unknown): ((appSecret: string) => string) | undefined {
	if (!isFields(payload)) return undefined;
	try {
		const pairs = new Pairs();
		for (const [name, value] of Object.entries(payload)) {
			if (!ADDED.includes(name)) pairs.add(name, value, bytesOf(name));
		}
		const encoded = pairs.all.map(({ order, pair }) => ({ order, text: encodePairs([pair]) }));
		// Sorted once here, so that sorting again with each App Secret is quick.
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

const holdsBracket = (value: unknown): boolean =>
	typeof value === 'object' &&
	value !== null &&
	Object.entries(value).some(([name, of]) => /[[\]]/.test(name) || holdsBracket(of));

/**
 * Whether a payload has names that the form does not cover: those of the two fields that the recipe
 * adds by itself, and those with a bracket, which in the form look like a field within another.
 */
export const hasUnsignedNames = (payload: unknown): boolean =>
	isFields(payload) &&
	(ADDED.some((name) => Object.hasOwn(payload, name)) || holdsBracket(payload));

/**
 * What of a payload the form covers. Nulls and empty lists leave no trace in it, so anyone can add
 * them; a list and an object whose names are 0, 1, 2 look the same.
 */
export function signedPart(value: unknown): unknown {
	if (value === null) return undefined;
	if (typeof value !== 'object') return value;
	const entries = Object.entries(value)
		.map(([name, of]): [string, unknown] => [name, signedPart(of)])
		.filter(([, of]) => of !== undefined);
	if (entries.length === 0) return undefined;
	const isList = entries.every(([name], index) => name === String(index));
	return isList ? entries.map(([, of]) => of) : Object.fromEntries(entries);
}
