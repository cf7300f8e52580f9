import { createHash, createHmac, timingSafeEqual, type BinaryLike } from 'node:crypto';
import { measureJson, parseJson, withoutByteOrderMark } from '../../platform/json';
import { HEADER_SAFE } from '../../platform/settings';
import type { SignatureRecipe } from './methods';
import { sortedFields } from './sortedFields';

/** A body has room for a thousand events of one kilobyte, and a status is smaller. */
const MAX_BYTES = 1024 * 1024;

/** A body has room for a thousand events of thirty fields. */
const MAX_VALUES = 30_000;

const MAX_DEPTH = 32;

/** A sender needs several signatures while it changes its secret. */
const MAX_ENTRIES = 16;

const PLACEHOLDER = /(\{\w+\})/;
const UNKNOWN_PLACEHOLDER = /\{(?!(?:body|timestamp|id|nonce|secret|fields)\})\w+\}/;

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The prefix of secrets in Standard Webhooks is not part of the key itself. */
const SECRET_PREFIX = /^whsec_/;

const DIGEST_BYTES = { sha256: 32, sha512: 64, sha1: 20, md5: 16 };

const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;

/** An entry is a value, with or without a label such as `sha-256=`, `v1=` or `v1,` before it. */
const ENTRY = /^([\w-]+[=,])?([\w+/-]+={0,2})$/;

/**
 * A time in seconds has up to eleven digits until the year 5138. A time in milliseconds has had at
 * least twelve since 1973.
 */
const SECONDS = /^\d{1,11}$/;
const MILLISECONDS = /^\d{12,15}$/;

/** An ISO 8601 time must have a time zone, because it would be ambiguous without one. */
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** A delivery as it was received, and the data for its verification. */
export interface ReceivedDelivery {
	/** The names can be in upper or lower case. */
	headers: Record<string, string | string[] | undefined>;
	/** The bytes of the body, before they are parsed. */
	rawBody: Buffer;
	appSecret: string;
	recipe: SignatureRecipe;
	now: Date;
}

/**
 * The reasons for refusing a delivery. Only the last two can occur after the signature was
 * verified.
 */
type RejectionReason =
	| 'no-secret'
	| 'unusable-recipe'
	| 'no-body'
	| 'too-large'
	| 'missing-signature'
	| 'unreadable-signature'
	| 'missing-timestamp'
	| 'unreadable-timestamp'
	| 'stale-timestamp'
	| 'missing-id'
	| 'missing-nonce'
	| 'no-fields'
	| 'wrong-signature'
	| 'not-json'
	| 'too-many-events';

/**
 * The error of a refused delivery. `reason` is for programs, and the message is a sentence for
 * people. Neither contains any part of the secret, the signature or the body.
 */
export class WebhookRejected extends Error {
	override name = 'WebhookRejected';

	constructor(
		readonly reason: RejectionReason,
		message: string,
	) {
		super(message);
	}

	/** Whether the signature is valid, so that the delivery certainly comes from the platform. */
	get isAuthentic() {
		return this.reason === 'not-json' || this.reason === 'too-many-events';
	}
}

/**
 * Checks the limits of a body. Anyone can send a delivery, so this happens before it is parsed.
 *
 * @throws WebhookRejected naming the limit that the body exceeds
 */
export function assertBounded(body: Buffer) {
	const reject = (message: string): never => {
		throw new WebhookRejected('too-large', message);
	};
	if (body.length > MAX_BYTES) reject('The body is larger than 1 MB.');
	const { values, depth } = measureJson(body.toString('latin1'));
	if (depth > MAX_DEPTH) reject(`The body is nested more than ${MAX_DEPTH} levels deep.`);
	if (values > MAX_VALUES) reject('The body contains more than 30,000 values.');
}

/**
 * Verifies the signature: first the headers and the time window, then the digest, in constant time.
 * The limits of the body must have been checked before.
 *
 * @throws WebhookRejected unless exactly this delivery was signed with the App Secret
 */
export function assertSigned(received: ReceivedDelivery) {
	const { recipe, appSecret } = received;
	const { digest, signatureHeader } = recipe;
	if (appSecret === '') throw new WebhookRejected('no-secret', 'The App Secret is empty.');
	const issue = recipeIssue(recipe, appSecret);
	if (issue !== undefined) throw new WebhookRejected('unusable-recipe', issue);
	const text = headerOf(received, signatureHeader);
	if (!text) {
		throw new WebhookRejected('missing-signature', `The header ${signatureHeader} is missing.`);
	}
	const signature = readSignature(text, recipe);
	if (!signature) {
		throw new WebhookRejected(
			'unreadable-signature',
			`The header ${signatureHeader} contains no ${digest.toUpperCase()} digest.`,
		);
	}
	const key = keyBytes(recipe, appSecret) ?? '';
	const hash = recipe.keyed ? createHmac(digest, key) : createHash(digest);
	for (const part of recipe.template.split(PLACEHOLDER)) {
		hash.update(signedValue(received, part, signature.timestamp));
	}
	const expected = hash.digest();
	if (!signature.digests.some((one) => timingSafeEqual(one, expected))) {
		throw new WebhookRejected('wrong-signature', 'The signature does not match.');
	}
}

/** Parses a body whose limits were checked. It is undefined if it is not JSON. */
export function parseBody(body: Buffer): unknown {
	try {
		return parseJson(withoutByteOrderMark(body.toString('utf8')));
	} catch {
		return undefined;
	}
}

/** Returns the value of a header. Several headers with the same name are joined as in Node.js. */
export function headerOf({ headers }: ReceivedDelivery, name: string) {
	const wanted = name.toLowerCase();
	const values = Object.entries(headers).flatMap(([key, value]) =>
		key.toLowerCase() === wanted ? (value ?? []) : [],
	);
	return values.length === 0 ? undefined : values.join(', ');
}

/** Whether a recipe signs the value of a placeholder. */
export const signs = (
	{ template }: SignatureRecipe,
	name: 'body' | 'timestamp' | 'id' | 'secret' | 'fields',
) => template.includes(`{${name}}`);

/**
 * Returns why a recipe does not protect webhooks, as sentences; undefined if it does. A signature
 * must cover the body: otherwise, anyone who has seen a signature could send another body with it.
 * It must involve the secret: otherwise, anyone could sign.
 */
export function recipeIssue(recipe: SignatureRecipe, appSecret: string) {
	const unknown = UNKNOWN_PLACEHOLDER.exec(recipe.template)?.[0];
	if (unknown) return `'Signed Content' cannot be read: ${unknown} is not a placeholder.`;
	if (!signs(recipe, 'body') && !signs(recipe, 'fields')) {
		return "'Signed Content' contains neither {body} nor {fields}, so the signature does not cover the body, and anyone who has seen one delivery could send others. Add one of them.";
	}
	if (!recipe.keyed && !signs(recipe, 'secret') && !signs(recipe, 'fields')) {
		return "The signature does not involve the App Secret, so anyone could create a valid signature. Turn on 'Keyed', or add {secret} to 'Signed Content'.";
	}
	if (keyBytes(recipe, appSecret)?.length) return undefined;
	return recipe.keyed && recipe.key === 'base64'
		? 'The signature method requires the App Secret in base64, but it is not base64. Check the App Secret, or choose another method.'
		: "'App Secret' contains an incomplete character (a lone surrogate); copy it again.";
}

/**
 * Returns the key of a recipe's HMAC.
 *
 * @returns undefined if the App Secret is not encoded as the recipe requires
 */
function keyBytes({ key, keyed }: SignatureRecipe, appSecret: string): Buffer | undefined {
	if (key === 'utf8' || !keyed) {
		return appSecret.isWellFormed() ? Buffer.from(appSecret, 'utf8') : undefined;
	}
	const text = appSecret.replace(SECRET_PREFIX, '');
	return BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/**
 * Reads a signature header in any of the usual formats: hex in upper or lower case, base64 or
 * base64url; with `sha256=`, `hmac-sha256=` or `v1=` before it, as `v1,…`
 * (https://www.standardwebhooks.com) or as `t=…,v1=…`; and lists of these (contract, "The webhook
 * signature"). Entries with other labels are ignored.
 *
 * @returns the digests, one of which must match, and the time if the header contains one;
 * undefined if the header has no digest of the required length, or is damaged
 */
function readSignature(
	text: string,
	recipe: SignatureRecipe,
): { digests: Buffer[]; timestamp?: string } | undefined {
	// Only Standard Webhooks sign an ID, and only they put a comma after the version.
	const isStandard = signs(recipe, 'id');
	const separator = isStandard ? ' ' : text.startsWith('t=') ? /, ?/ : /, ?| /;
	const entries = text.split(separator, MAX_ENTRIES + 1);
	if (entries.length > MAX_ENTRIES) return undefined;
	const { digest, template } = recipe;
	const version = template.startsWith('v0:') ? 'v0=' : 'v1=';
	const names = [digest, `hmac${digest}`].map((name) => `${name}=`);
	const labels = [...names, ...names.map((name) => name.toUpperCase())];
	labels.push(isStandard ? 'v1,' : version);
	const digests: Buffer[] = [];
	let timestamp: string | undefined;
	for (const entry of entries) {
		const [, label, value = ''] = ENTRY.exec(entry) ?? [];
		if (label === 't=') timestamp = value;
		if (label && !labels.includes(label.replaceAll('-', ''))) continue;
		const bytes = decode(value, DIGEST_BYTES[digest]);
		if (!bytes) return undefined;
		digests.push(bytes);
	}
	return digests.length > 0 ? { digests, timestamp } : undefined;
}

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

/**
 * Returns the signed value of a part of the template. A part that is not a placeholder is signed
 * itself.
 *
 * @param timestamp the time in the signature header, if it contains one
 * @throws WebhookRejected if the value is missing, or the time is outside the window
 */
function signedValue(
	received: ReceivedDelivery,
	part: string,
	timestamp: string | undefined,
): BinaryLike {
	const { recipe, rawBody, appSecret } = received;
	switch (part) {
		case '{body}':
			return rawBody;
		case '{timestamp}':
			return signedTime(received, timestamp ?? headerOf(received, recipe.timestampHeader));
		case '{id}':
			return signedHeader(received, recipe.idHeader, 'missing-id');
		case '{nonce}':
			return signedHeader(received, recipe.nonceHeader, 'missing-nonce');
		case '{secret}':
			return appSecret;
		case '{fields}':
			return signedFields(rawBody, appSecret);
		default:
			return part;
	}
}

/** @throws WebhookRejected if the time is missing, or outside the time window */
function signedTime({ recipe, now }: ReceivedDelivery, text: string | undefined) {
	if (text === undefined) {
		throw new WebhookRejected(
			'missing-timestamp',
			`The signed header ${recipe.timestampHeader} is missing.`,
		);
	}
	const seconds = (now.getTime() - readTime(text)) / 1000;
	if (Number.isNaN(seconds)) {
		throw new WebhookRejected(
			'unreadable-timestamp',
			'The signed timestamp is not a time in seconds, in milliseconds or as an ISO date.',
		);
	}
	if (Math.abs(seconds) <= recipe.toleranceSeconds) return text;
	const distance = `${Math.round(Math.abs(seconds))} seconds ${seconds > 0 ? 'old' : 'ahead'}`;
	throw new WebhookRejected(
		'stale-timestamp',
		`The signed timestamp is ${distance}; ${recipe.toleranceSeconds} are allowed.`,
	);
}

/** Returns Unix time in milliseconds. The sender may use seconds, milliseconds or an ISO date. */
function readTime(text: string) {
	if (SECONDS.test(text)) return Number(text) * 1000;
	if (MILLISECONDS.test(text)) return Number(text);
	return ISO_DATE.test(text) ? Date.parse(text) : NaN;
}

function signedHeader(received: ReceivedDelivery, name: string, missing: RejectionReason) {
	const text = headerOf(received, name);
	if (text !== undefined && HEADER_SAFE.test(text)) return text;
	throw new WebhookRejected(missing, `The signed header ${name} is missing or not plain text.`);
}

function signedFields(rawBody: Buffer, appSecret: string) {
	const fields = sortedFields(parseBody(rawBody), appSecret);
	if (fields !== undefined) return fields;
	throw new WebhookRejected(
		'no-fields',
		'The body is not a JSON object, or it has a field that the signature does not cover: app_secret, sign_ver, or a name with a bracket.',
	);
}
