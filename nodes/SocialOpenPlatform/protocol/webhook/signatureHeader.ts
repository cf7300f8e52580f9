import { signs, type SignatureRecipe } from './recipe';

interface SignatureHeader {
	/** The digests with the length that the recipe requires. One of them must match. */
	digests: Buffer[];
	/** The time in the header, as in `t=1700000000,v1=…`. */
	timestamp?: string;
}

const BYTES = { sha256: 32, sha512: 64, sha1: 20, md5: 16 };

/** Maximum number of digests. A sender needs several while it changes its secret. */
const MAX_SIGNATURES = 16;

/**
 * Maximum length of the header, with room for these digests and for others. Anyone can send a
 * header.
 */
const MAX_LENGTH = 8_000;
const MAX_ENTRIES = 64;

const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;

/**
 * Decodes the text of a digest. Each encoding is read strictly: mixed case, unused bits and mixed
 * alphabets are refused, so that a changed character is always detected.
 */
function decode(text: string, length: number): Buffer | undefined {
	if (HEX.test(text) && text.length === 2 * length) return Buffer.from(text, 'hex');
	const bytes = Buffer.from(text, 'base64');
	const isCanonical = text === bytes.toString('base64') || text === bytes.toString('base64url');
	return isCanonical && bytes.length === length ? bytes : undefined;
}

/** The version before a digest: the one at the beginning of the template (`v0:`), or `v1`. */
const versionOf = ({ template }: SignatureRecipe): string => /^(v\d)\b/.exec(template)?.[1] ?? 'v1';

/** A signature header that is parsed but not decoded. */
interface EncodedHeader {
	texts: string[];
	timestamp?: string;
}

/** Whether a digest contains a second label because a separator is missing. */
const hasSecondLabel = (digest: string): boolean => /=[^=]/.test(digest);

/** Parses `t=1700000000,v1=<digest>[,v1=<digest>]`. Other versions are ignored. */
function readTimed(text: string): EncodedHeader | undefined {
	const parts = text.split(/, ?/).map((part) => /^(t|v\d)=(.+)$/.exec(part));
	const valuesOf = (name: string) =>
		parts.flatMap((part) => (part?.[1] === name ? [String(part[2])] : []));
	const [timestamp, another] = valuesOf('t');
	if (timestamp === undefined || another !== undefined) return undefined;
	const texts = valuesOf('v1');
	return { timestamp, texts: texts.some((one) => hasSecondLabel(one)) ? [] : texts };
}

/**
 * The template of Standard Webhooks: only this method signs an ID, and only this method puts a
 * comma after the version.
 */
const isStandardWebhook = (recipe: SignatureRecipe): boolean => signs(recipe, 'id');

/** Parses `v1,<base64>`, with spaces between several digests. Other versions are ignored. */
function readVersioned(text: string): EncodedHeader | undefined {
	const parts = text.split(' ').map((part) => /^(v\d[a-z]?),(.+)$/.exec(part));
	if (!parts.some((part) => part !== null && !HEX.test(String(part[2])))) return undefined;
	return { texts: parts.flatMap((part) => (part?.[1] === 'v1' ? [String(part[2])] : [])) };
}

/** The label before a digest, in upper or lower case, but not mixed. */
const LABEL = /^(?:sha(?:256|512|1)|SHA(?:256|512|1)|md5|MD5|v\d)$/;

/** Whether a part of the header was changed in transit, such as a label without its digest. */
const isDamaged = (part: string, recipe: SignatureRecipe): boolean =>
	LABEL.test(part) ||
	hasSecondLabel(part.replace(/^\w+=/, '')) ||
	(isStandardWebhook(recipe) && part !== '' && part.length <= 3);

/**
 * Parses digests that are separated by commas or spaces, each with or without `sha256=` or `v1=`.
 */
function readPlain(text: string, recipe: SignatureRecipe): EncodedHeader {
	const version = versionOf(recipe);
	const parts = text.split(/, ?| /);
	if (parts.some((part) => isDamaged(part, recipe))) return { texts: [] };
	const texts = parts.flatMap((part) => {
		const [, label, value = part] = /^(\w+)=([^=].*)$/.exec(part) ?? [];
		const isOfRecipe =
			label === undefined || label === recipe.digest || label === recipe.digest.toUpperCase();
		// Standard Webhooks use `v1,` before a base64 digest, so `v1=` means that a character was
		// changed.
		const isVersioned = label === version && (HEX.test(value) || !isStandardWebhook(recipe));
		return isOfRecipe || isVersioned ? value : [];
	});
	return { texts };
}

/**
 * Reads a signature header in any of the usual formats: hex in upper or lower case, base64 or
 * base64url; with `sha256=` or `v1=` before it, as `v1,…` (https://www.standardwebhooks.com) or as
 * `t=…,v1=…`; and lists of these (contract, "The webhook signature"). Other digests and versions in
 * a list are ignored.
 *
 * @returns undefined if the header has no digest of the required length, or too many
 */
export function readSignature(text: string, recipe: SignatureRecipe): SignatureHeader | undefined {
	if (text.length > MAX_LENGTH || text.split(/[ ,]/, MAX_ENTRIES + 1).length > MAX_ENTRIES) {
		return undefined;
	}
	const encoded =
		(signs(recipe, 'timestamp') ? readTimed(text) : undefined) ??
		(isStandardWebhook(recipe) ? readVersioned(text) : undefined) ??
		readPlain(text, recipe);
	const digests = encoded.texts.flatMap((one) => decode(one, BYTES[recipe.digest]) ?? []);
	if (digests.length === 0 || digests.length > MAX_SIGNATURES) return undefined;
	return { digests, timestamp: encoded.timestamp };
}
