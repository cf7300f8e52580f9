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

/** Room for as many, each with those of other kinds beside it. Anyone can send a header. */
const MAX_LENGTH = 8_000;
const MAX_ENTRIES = 64;

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

/** What a header says before its digests are decoded. */
interface Reading {
	texts: string[];
	timestamp?: string;
}

/** Whether a label is in the midst of a digest: two entries without anything between. */
const holdsAnother = (digest: string): boolean => /=[^=]/.test(digest);

/** `t=1700000000,v1=<digest>[,v1=<digest>]`: other versions are not ours to check. */
function readTimed(text: string): Reading | undefined {
	const parts = text.split(/, ?/).map((part) => /^(t|v\d)=(.+)$/.exec(part));
	const valuesOf = (name: string) =>
		parts.flatMap((part) => (part?.[1] === name ? [String(part[2])] : []));
	const [timestamp, another] = valuesOf('t');
	if (timestamp === undefined || another !== undefined) return undefined;
	const texts = valuesOf('v1');
	return { timestamp, texts: texts.some((one) => holdsAnother(one)) ? [] : texts };
}

/** Only Standard Webhooks sign an id, and only they write a comma behind the version. */
const isStandardWebhook = (recipe: SignatureRecipe): boolean => holds(recipe, 'id');

/** `v1,<base64>`, several of them with spaces between; other versions are not ours to check. */
function readVersioned(text: string): Reading | undefined {
	const parts = text.split(' ').map((part) => /^(v\d[a-z]?),(.+)$/.exec(part));
	if (!parts.some((part) => part !== null && !HEX.test(String(part[2])))) return undefined;
	return { texts: parts.flatMap((part) => (part?.[1] === 'v1' ? [String(part[2])] : [])) };
}

/** What a signer writes before a digest; in one case or the other, never in both. */
const LABEL = /^(?:sha(?:256|512|1)|SHA(?:256|512|1)|md5|MD5|v\d)$/;

/** A label that has lost its digest, or the like: the header was changed on its way. */
const isDamaged = (part: string, recipe: SignatureRecipe): boolean =>
	LABEL.test(part) ||
	holdsAnother(part.replace(/^\w+=/, '')) ||
	(isStandardWebhook(recipe) && part !== '' && part.length <= 3);

/** A digest alone, or behind `sha256=` or `v1=`; several with commas or spaces between. */
function readPlain(text: string, recipe: SignatureRecipe): Reading {
	const version = versionOf(recipe);
	const parts = text.split(/, ?| /);
	if (parts.some((part) => isDamaged(part, recipe))) return { texts: [] };
	const texts = parts.flatMap((part) => {
		const [, label, value = part] = /^(\w+)=([^=].*)$/.exec(part) ?? [];
		const isOurs =
			label === undefined || label === recipe.digest || label === recipe.digest.toUpperCase();
		// Where `v1,` before base64 is the form, `v1=` before it would be a changed character.
		const isVersioned = label === version && (HEX.test(value) || !isStandardWebhook(recipe));
		return isOurs || isVersioned ? value : [];
	});
	return { texts };
}

/**
 * Reads a signature header in whichever of the usual forms it is written: hex in either case, base64,
 * base64url, `sha256=` or `v1=` before it, `v1,…` (https://www.standardwebhooks.com), `t=…,v1=…`, and
 * lists of these (contract, "The webhook signature"). Entries of a list that cannot be ours are left
 * out: other digests and versions, and what cannot be read.
 *
 * @returns undefined when no digest of the recipe's length is left, or too many are
 */
export function readSignature(text: string, recipe: SignatureRecipe): SignatureText | undefined {
	if (text.length > MAX_LENGTH || text.split(/[ ,]/, MAX_ENTRIES + 1).length > MAX_ENTRIES) {
		return undefined;
	}
	const reading =
		(holds(recipe, 'timestamp') ? readTimed(text) : undefined) ??
		(isStandardWebhook(recipe) ? readVersioned(text) : undefined) ??
		readPlain(text, recipe);
	const digests = reading.texts.flatMap((one) => decode(one, BYTES[recipe.digest]) ?? []);
	if (digests.length === 0 || digests.length > MAX_SIGNATURES) return undefined;
	return { digests, timestamp: reading.timestamp };
}
