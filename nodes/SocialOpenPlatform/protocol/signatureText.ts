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

/** What a header says before its digests are decoded. */
interface Reading {
	texts: string[];
	timestamp?: string;
}

/** `t=1700000000,v1=<digest>[,v1=<digest>]`: other versions are not ours to check. */
function readTimed(text: string): Reading | undefined {
	const parts = text.split(/, ?/).map((part) => /^(t|v\d)=(.+)$/.exec(part));
	if (parts.includes(null)) return undefined;
	const valuesOf = (name: string) =>
		parts.flatMap((part) => (part?.[1] === name ? [String(part[2])] : []));
	const [timestamp, another] = valuesOf('t');
	if (timestamp === undefined || another !== undefined) return undefined;
	return { timestamp, texts: valuesOf('v1') };
}

/** Only Standard Webhooks sign an id, and only they write a comma behind the version. */
const isStandardWebhook = (recipe: SignatureRecipe): boolean => holds(recipe, 'id');

/** `v1,<base64>`, several of them with spaces between; other versions are not ours to check. */
function readVersioned(text: string): Reading | undefined {
	const parts = text.split(' ').map((part) => /^(v\d[a-z]?),(.+)$/.exec(part));
	if (parts.some((part) => part === null || HEX.test(String(part[2])))) return undefined;
	return { texts: parts.flatMap((part) => (part?.[1] === 'v1' ? [String(part[2])] : [])) };
}

/** Other digests and versions beside ours are not ours to check. */
const OTHER_LABEL = /^(?:sha256|sha512|sha1|md5|v\d)$/;

/** A digest alone, or behind `sha256=` or `v1=`; several with commas or spaces between. */
function readPlain(text: string, recipe: SignatureRecipe): Reading {
	const version = versionOf(recipe);
	const texts = text.split(/, ?| /).flatMap((part) => {
		const [, label, value = part] = /^(\w+)=([^=].*)$/.exec(part) ?? [];
		const isOurs = label === undefined || label === recipe.digest;
		// Where `v1,` before base64 is the form, `v1=` before it would be a changed character.
		const isVersioned = label === version && (HEX.test(value) || !isStandardWebhook(recipe));
		if (isOurs || isVersioned) return value;
		return label !== version && OTHER_LABEL.test(label) ? [] : '';
	});
	return { texts };
}

/**
 * Reads a signature header in whichever of the usual forms it is written: hex in either case, base64,
 * base64url, `sha256=` or `v1=` before it, `v1,…` (https://www.standardwebhooks.com), `t=…,v1=…`, and
 * lists of these (contract, "The webhook signature").
 *
 * @returns undefined when it is written otherwise, or holds anything but digests of the recipe's length
 */
export function readSignature(text: string, recipe: SignatureRecipe): SignatureText | undefined {
	const reading =
		(holds(recipe, 'timestamp') ? readTimed(text) : undefined) ??
		(isStandardWebhook(recipe) ? readVersioned(text) : undefined) ??
		readPlain(text, recipe);
	if (reading.texts.length > MAX_SIGNATURES) return undefined;
	const digests = reading.texts.map((one) => decode(one, BYTES[recipe.digest]));
	if (digests.length === 0 || digests.includes(undefined)) return undefined;
	return { digests: digests as Buffer[], timestamp: reading.timestamp };
}
