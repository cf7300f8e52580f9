import { signs, type SignatureRecipe } from './recipe';

interface SignatureHeader {
	/** The digests with the length that the recipe requires. One of them must match. */
	digests: Buffer[];
	/** The time in the header, as in `t=1700000000,v1=…`. */
	timestamp?: string;
}

const BYTES = { sha256: 32, sha512: 64, sha1: 20, md5: 16 };

/** Maximum number of entries. A sender needs several while it changes its secret. */
const MAX_ENTRIES = 16;

const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;

/** An entry: a value, with or without a label such as `sha256=`, `v1=` or `v1,` before it. */
const ENTRY = /^(?:(\w+)([=,]))?([\w+/-]+={0,2})$/;

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

/** The labels of a recipe's digest: its name, and the version that its template or else `v1` names. */
function labelsOf({ digest, template }: SignatureRecipe): string[] {
	return [digest, digest.toUpperCase(), /^v\d(?=:)/.exec(template)?.[0] ?? 'v1'];
}

/**
 * Reads a signature header in any of the usual formats: hex in upper or lower case, base64 or
 * base64url; with `sha256=` or `v1=` before it, as `v1,…` (https://www.standardwebhooks.com) or as
 * `t=…,v1=…`; and lists of these (contract, "The webhook signature"). Entries with other labels are
 * ignored.
 *
 * @returns undefined if the header has no digest of the required length, or is damaged
 */
export function readSignature(text: string, recipe: SignatureRecipe): SignatureHeader | undefined {
	// Only Standard Webhooks sign an ID, and only they put a comma after the version.
	const isStandard = signs(recipe, 'id');
	const separator = isStandard ? ' ' : text.startsWith('t=') ? /, ?/ : /, ?| /;
	const entries = text.split(separator, MAX_ENTRIES + 1);
	if (entries.length > MAX_ENTRIES) return undefined;
	const labels = labelsOf(recipe);
	const digests: Buffer[] = [];
	let timestamp: string | undefined;
	for (const entry of entries) {
		const [, label, mark, value] = ENTRY.exec(entry) ?? [];
		if (value === undefined) return undefined;
		// A base64 digest of Standard Webhooks with another mark was changed in transit.
		const isChanged = isStandard && mark === '=' && !HEX.test(value);
		if (label === 't') timestamp = value;
		if (isChanged || (label !== undefined && !labels.includes(label))) continue;
		const digest = decode(value, BYTES[recipe.digest]);
		if (digest) digests.push(digest);
		else if (label === undefined) return undefined;
	}
	return digests.length > 0 ? { digests, timestamp } : undefined;
}
