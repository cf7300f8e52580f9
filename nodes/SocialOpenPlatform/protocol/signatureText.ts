import { holds, type SignatureRecipe } from './signatureRecipe';

/** What a signature header says. */
export interface SignatureText {
	/** The digests it holds, of the recipe's length; one of them has to match. */
	digests: Buffer[];
	/** The time in it, as in `t=1700000000,v1=…`. */
	timestamp?: string;
}

const BYTES = { sha256: 32, sha512: 64, sha1: 20, md5: 16 };

/** More signatures than a sender has while it rotates its secret. */
const MAX_SIGNATURES = 16;

const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;

/**
 * The bytes behind one digest's text. Each text is read in one way, and each way is strict: mixed case,
 * spare bits and a foreign alphabet are refused, so that no changed character goes unnoticed.
 */
function decode(text: string, length: number): Buffer | undefined {
	if (HEX.test(text) && text.length === 2 * length) return Buffer.from(text, 'hex');
	const bytes = Buffer.from(text, 'base64');
	const isCanonical = text === bytes.toString('base64') || text === bytes.toString('base64url');
	return isCanonical && bytes.length === length ? bytes : undefined;
}

/** The version that stands before a digest: the one its template starts with (`v0:`), else `v1`. */
const versionOf = ({ template }: SignatureRecipe): string => /^(v\d)\b/.exec(template)?.[1] ?? 'v1';

/** `t=1700000000,v1=<digest>[,v1=<digest>]`: other versions are not ours to check. */
function readTimed(text: string, length: number): SignatureText | undefined {
	const pairs = text.split(/, ?/).map((part) => /^(t|v\d)=(.+)$/.exec(part));
	if (pairs.some((pair) => pair === null)) return undefined;
	const valuesOf = (name: string) =>
		pairs.flatMap((pair) => (pair?.[1] === name ? [pair[2] ?? ''] : []));
	const [timestamp, ...more] = valuesOf('t');
	if (timestamp === undefined || more.length > 0) return undefined;
	const digests = valuesOf('v1').map((value) => decode(value, length));
	return { timestamp, digests: digests.filter((digest) => digest !== undefined) };
}

/** Only Standard Webhooks sign an id, and only they write a comma behind the version. */
const isStandardWebhook = (recipe: SignatureRecipe): boolean => holds(recipe, 'id');

/** `v1,<base64>`, several of them with spaces between; other versions are not ours to check. */
function readVersioned(text: string, length: number): SignatureText | undefined {
	const pairs = text.split(' ').map((part) => /^(v\d[a-z]?),(.+)$/.exec(part));
	if (pairs.some((pair) => pair === null)) return undefined;
	const digests = pairs.map((pair) => {
		return pair?.[1] === 'v1' && !HEX.test(pair[2] ?? '')
			? decode(pair[2] ?? '', length)
			: undefined;
	});
	return { digests: digests.filter((digest) => digest !== undefined) };
}

/** A digest alone, or behind `sha256=` or `v1=`; several with commas or spaces between. */
function readPlain(text: string, recipe: SignatureRecipe): SignatureText | undefined {
	const version = versionOf(recipe);
	const digests = text.split(/, ?| /).map((part) => {
		const [, label, value = part] = /^(\w+)=([^=].*)$/.exec(part) ?? [];
		const isOurs = label === undefined || label === recipe.digest;
		// Where `v1,` before base64 is the form, `v1=` before it would be a changed character.
		const isVersioned = label === version && (HEX.test(value) || !isStandardWebhook(recipe));
		return isOurs || isVersioned ? decode(value, BYTES[recipe.digest]) : undefined;
	});
	return digests.includes(undefined) ? undefined : { digests: digests as Buffer[] };
}

/**
 * Reads a signature header in whichever of the usual forms it is written: hex in either case, base64,
 * base64url, `sha256=` or `v1=` before it, `v1,…` (https://www.standardwebhooks.com), `t=…,v1=…`, and
 * lists of these (contract, "The webhook signature").
 *
 * @returns undefined when it has none of these forms, or no digest of the recipe's length
 */
export function readSignature(text: string, recipe: SignatureRecipe): SignatureText | undefined {
	const length = BYTES[recipe.digest];
	const read =
		(holds(recipe, 'timestamp') ? readTimed(text, length) : undefined) ??
		(isStandardWebhook(recipe) ? readVersioned(text, length) : undefined) ??
		readPlain(text, recipe);
	return read && read.digests.length > 0 && read.digests.length <= MAX_SIGNATURES
		? read
		: undefined;
}
