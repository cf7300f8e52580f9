import { createHash, createHmac, timingSafeEqual, type BinaryLike } from 'node:crypto';
import { HEADER_SAFE } from '../../platform/settings';
import { measureJson, parseJson, withoutByteOrderMark } from '../../platform/json';
import { keyBytes, recipeProblem, signs, type SignatureRecipe } from './recipe';
import { sortedFields } from './sortedFields';

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
	get isAuthentic(): boolean {
		return this.reason === 'not-json' || this.reason === 'too-many-events';
	}
}

/**
 * Maximum size of a body. It has room for a thousand events of one kilobyte, and a status is
 * smaller.
 */
const MAX_BYTES = 1024 * 1024;

/** Maximum number of values in a body. It has room for a thousand events of thirty fields. */
const MAX_VALUES = 30_000;

const MAX_DEPTH = 32;

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
 * A time in seconds has up to eleven digits until the year 5138. A time in milliseconds has had at
 * least twelve since 1973.
 */
const SECONDS = /^\d{1,11}$/;
const MILLISECONDS = /^\d{12,15}$/;

/** ISO 8601 with a time zone. Without a time zone, the time would be ambiguous. */
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;

/**
 * Verifies the signature: first the headers and the time window, then the digest, in constant time.
 * The limits of the body must have been checked before.
 *
 * @throws WebhookRejected unless exactly this delivery was signed with the App Secret
 */
export function assertSigned(received: ReceivedDelivery): void {
	const { recipe, appSecret } = received;
	if (appSecret === '') throw new WebhookRejected('no-secret', 'The App Secret is empty.');
	const problem = recipeProblem(recipe, appSecret);
	if (problem !== undefined) throw new WebhookRejected('unusable-recipe', problem);
	const text = headerOf(received, recipe.signatureHeader);
	if (text === undefined || text === '') {
		throw new WebhookRejected(
			'missing-signature',
			`The header ${recipe.signatureHeader} is missing.`,
		);
	}
	const signature = readSignature(text, recipe);
	if (signature === undefined) {
		throw new WebhookRejected(
			'unreadable-signature',
			`The header ${recipe.signatureHeader} contains no ${recipe.digest.toUpperCase()} digest.`,
		);
	}
	const key = keyBytes(recipe, appSecret) ?? '';
	const hash = recipe.keyed ? createHmac(recipe.digest, key) : createHash(recipe.digest);
	for (const part of signedContent(received, signature.timestamp)) hash.update(part);
	const expected = hash.digest();
	if (!signature.digests.some((digest) => timingSafeEqual(digest, expected))) {
		throw new WebhookRejected('wrong-signature', 'The signature does not match.');
	}
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
function readSignature(text: string, recipe: SignatureRecipe): SignatureHeader | undefined {
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

/**
 * The content that the signature covers, as parts in the order of the recipe's template.
 *
 * @param timestamp the time in the signature header, if it contains one
 * @throws WebhookRejected if a signed value is missing, or the time is outside the window
 */
function signedContent(received: ReceivedDelivery, timestamp: string | undefined): BinaryLike[] {
	const { recipe, rawBody, appSecret } = received;
	const values = new Map<string, () => BinaryLike>([
		['{body}', () => rawBody],
		['{timestamp}', () => timestampOf(received, timestamp)],
		['{id}', () => signedHeader(received, recipe.idHeader, 'missing-id')],
		['{nonce}', () => signedHeader(received, recipe.nonceHeader, 'missing-nonce')],
		['{secret}', () => appSecret],
		['{fields}', () => fieldsOf(received)],
	]);
	return recipe.template.split(/(\{\w+\})/).map((part) => values.get(part)?.() ?? part);
}

/** Unix time in milliseconds of a time in seconds, in milliseconds or as an ISO date. */
function readTimestamp(text: string): number {
	if (SECONDS.test(text)) return Number(text) * 1000;
	if (MILLISECONDS.test(text)) return Number(text);
	return ISO_DATE.test(text) ? Date.parse(text) : NaN;
}

/**
 * The signed time as text.
 *
 * @throws WebhookRejected if it is missing, or outside the time window
 */
function timestampOf(received: ReceivedDelivery, inSignature: string | undefined): string {
	const { recipe, now } = received;
	const text = inSignature ?? headerOf(received, recipe.timestampHeader);
	if (text === undefined) {
		throw new WebhookRejected(
			'missing-timestamp',
			`The signed header ${recipe.timestampHeader} is missing.`,
		);
	}
	const seconds = (now.getTime() - readTimestamp(text)) / 1000;
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

function signedHeader(
	received: ReceivedDelivery,
	name: string,
	missing: 'missing-id' | 'missing-nonce',
): string {
	const text = headerOf(received, name);
	if (text !== undefined && HEADER_SAFE.test(text)) return text;
	throw new WebhookRejected(missing, `The signed header ${name} is missing or not plain text.`);
}

function fieldsOf({ rawBody, appSecret }: ReceivedDelivery): string {
	const fields = sortedFields(parseBody(rawBody), appSecret);
	if (fields !== undefined) return fields;
	throw new WebhookRejected(
		'no-fields',
		'The body is not a JSON object, or it has a field that the signature does not cover: app_secret, sign_ver, or a name with a bracket.',
	);
}

/** The value of a header. Several headers with the same name are joined as in Node.js. */
export function headerOf(
	{ headers }: Pick<ReceivedDelivery, 'headers'>,
	name: string,
): string | undefined {
	const wanted = name.toLowerCase();
	const values = Object.entries(headers).flatMap(([key, value]) =>
		key.toLowerCase() === wanted ? (value ?? []) : [],
	);
	return values.length === 0 ? undefined : values.join(', ');
}

/**
 * Checks the limits of a body. Anyone can send a delivery, so this happens before it is parsed.
 *
 * @throws WebhookRejected naming the limit that the body exceeds
 */
export function assertBounded(body: Buffer): void {
	const reject = (message: string): never => {
		throw new WebhookRejected('too-large', message);
	};
	if (body.length > MAX_BYTES) reject('The body is larger than 1 MB.');
	const { values, depth } = measureJson(body.toString('latin1'));
	if (depth > MAX_DEPTH) reject(`The body is nested more than ${MAX_DEPTH} levels deep.`);
	if (values > MAX_VALUES) reject('The body contains more than 30,000 values.');
}

/** Parses a body whose limits were checked. It is undefined if it is not JSON. */
export function parseBody(body: Buffer): unknown {
	try {
		return parseJson(withoutByteOrderMark(body.toString('utf8')));
	} catch {
		return undefined;
	}
}
