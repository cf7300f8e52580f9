import {
	createHash,
	createHmac,
	timingSafeEqual,
	type BinaryLike,
	type Hash,
	type Hmac,
} from 'node:crypto';
import { isTooComplex, parseJson } from '../../platform/json';
import { readEvents, type IdentifiedEvent, type StatusEvent } from './event';
import { recipes, type SignatureRecipe } from './methods';
import { signedPart, sortedFields } from './sortedFields';

/** Maximum size of a body, which is enough for 1,000 events of 1 KB each. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Maximum number of values in a body, which is enough for 1,000 events with 28 fields each. */
const MAX_BODY_VALUES = 30_000;

const MAX_BODY_DEPTH = 32;

const PLACEHOLDER = /(\{\w+\})/;
const UNKNOWN_PLACEHOLDER = /\{(?!(?:body|timestamp|id|nonce|secret|fields)\})\w+\}/;

/** Matches base64 or base64url with at least two characters, which encode one byte. */
const BASE64 = /^[A-Za-z0-9+/_-]{2,}={0,2}$/;

const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;

/**
 * Matches an entry of a signature header, which is a value after an optional label such as
 * `sha-256=`, `v1=` or `v1,`.
 */
const ENTRY = /^([\w-]+[=,])?([\w+/-]+={0,2})$/;

/**
 * Largest timestamp that is read as seconds. It is reached in the year 5138, and all times in
 * milliseconds since 1973 are larger.
 */
const MAX_SECONDS = 99_999_999_999;

/** A delivery as it was received, and the data for its verification. */
export interface ReceivedDelivery {
	/** Headers by name. The names may be in upper or lower case. */
	headers: Record<string, string | string[] | undefined>;
	rawBody: Buffer;
	appSecret: string;
	recipe: SignatureRecipe;
	now: Date;
}

/**
 * Thrown if a delivery is refused. `reason` is for programs, and the message is for people. Neither
 * contains any part of the secret, the signature or the body.
 */
export class WebhookRejected extends Error {
	override name = 'WebhookRejected';

	/** @param status the HTTP status of the response, which is 400 if the signature is valid */
	constructor(
		readonly reason: string,
		message: string,
		readonly status: 400 | 401 | 413 = 401,
	) {
		super(message);
	}
}

/**
 * Verifies a delivery, then reads its events (platform interface, "Events";
 * docs/platform-assumptions.md).
 *
 * @throws WebhookRejected
 */
export function verifyDelivery(received: ReceivedDelivery): IdentifiedEvent[] {
	const { recipe, rawBody, now } = received;
	assertBounded(rawBody);
	assertSigned(received);
	const json = parseBody(rawBody);
	const payload = recipe.template.includes('{body}') ? json : (signedPart(json) ?? {});
	// The ID is used only with the template of Standard Webhooks. With other templates, characters
	// could be moved between the ID and the text next to it without changing the signature.
	const signedId =
		recipe.template === recipes.standardWebhooks.template
			? headerOf(received, recipe.idHeader)
			: undefined;
	const events = readEvents(payload, signedId, now);
	if (events) return events;
	throw new WebhookRejected(
		'not-json',
		'The body is signed, but is not a JSON object or a list of at most 1,000 JSON objects.',
		400,
	);
}

/**
 * Verifies a delivery and returns its first event.
 *
 * @throws WebhookRejected, also if there is no event
 */
export function verifyWebhook(received: ReceivedDelivery): StatusEvent {
	const [first] = verifyDelivery(received);
	if (first) return first.event;
	throw new WebhookRejected('not-json', 'The body is signed, but contains no event.', 400);
}

/**
 * Checks a body against the limits before it is parsed, because anyone can send a delivery.
 *
 * @throws WebhookRejected if the body exceeds a limit
 */
function assertBounded(body: Buffer) {
	if (
		body.length > MAX_BODY_BYTES ||
		isTooComplex(body.toString('latin1'), MAX_BODY_VALUES, MAX_BODY_DEPTH)
	) {
		throw new WebhookRejected(
			'too-large',
			'The body is larger than 1 MB, or has more than 30,000 values or 32 levels.',
			413,
		);
	}
}

/**
 * Verifies the signature. The headers and the time window are checked first. Digests are compared
 * in constant time. The limits of the body must already have been checked.
 *
 * @param cache digests and encoded fields, for a delivery that is verified with many methods
 * @throws WebhookRejected if the signature is not valid
 */
export function assertSigned(received: ReceivedDelivery, cache: Record<string, Buffer> = {}) {
	const { recipe, appSecret } = received;
	const { digest, keyed, signatureHeader } = recipe;
	const issue = recipeIssue(recipe, appSecret);
	if (issue) throw new WebhookRejected('unusable-recipe', issue);
	const signature = readSignature(requiredHeader(received, 'signature'), recipe);
	if (!signature) {
		throw new WebhookRejected(
			'unreadable-signature',
			`The header ${signatureHeader} contains no ${digest.toUpperCase()} digest.`,
		);
	}
	const { timestamp } = signature;
	const signed = recipe.template
		.split(PLACEHOLDER)
		.map((part) => signedValue(received, part, timestamp, cache));
	// The digest does not depend on the signature header, so the key omits the header.
	const key = JSON.stringify({ ...recipe, signatureHeader: '', timestamp });
	cache[key] ??= signed
		.reduce<Hash | Hmac>(
			(hash, part) => hash.update(part),
			keyed ? createHmac(digest, hmacKey(recipe, appSecret)!) : createHash(digest),
		)
		.digest();
	const expected = cache[key];
	if (!signature.digests.some((one) => timingSafeEqual(one, expected))) {
		throw new WebhookRejected('wrong-signature', 'The signature does not match.');
	}
}

/** Parses a body whose limits were checked. The result is undefined if the body is not JSON. */
function parseBody(body: Buffer): unknown {
	try {
		// Unlike `toString`, `TextDecoder` omits a byte order mark.
		return parseJson(new TextDecoder().decode(body));
	} catch {
		return undefined;
	}
}

/** Returns the value of a header, whose name may be in any case. A list is joined with commas. */
export function headerOf({ headers }: ReceivedDelivery, name: string) {
	const wanted = name.toLowerCase();
	return Object.entries(headers)
		.find(([key]) => key.toLowerCase() === wanted)?.[1]
		?.toString();
}

/**
 * Returns sentences that explain why a signature method does not protect webhooks, or undefined.
 * The signature must cover the body, or anyone who has seen it could reuse it for another body. It
 * must involve the secret, or anyone could create one.
 */
export function recipeIssue(recipe: SignatureRecipe, appSecret: string) {
	if (Object.values({ ...recipe, empty: '' }).includes(appSecret.trim())) {
		return "'App Secret' is empty or the same as another field.";
	}
	if (UNKNOWN_PLACEHOLDER.test(recipe.template)) {
		return "'Signed Content' has a placeholder other than {body}, {timestamp}, {id}, {nonce}, {secret} and {fields}.";
	}
	if (!/\{(?:body|fields)\}/.test(recipe.template)) {
		return "'Signed Content' contains neither {body} nor {fields}, so the signature does not cover the body, and anyone who has seen one delivery could send others. Add one of them.";
	}
	if (!recipe.keyed && !/\{(?:secret|fields)\}/.test(recipe.template)) {
		return "The signature does not involve the App Secret, so anyone could create a valid signature. Turn on 'Keyed', or add {secret} to 'Signed Content'.";
	}
	if (!recipe.keyed || hmacKey(recipe, appSecret)) return undefined;
	return 'The signature method requires the App Secret in base64, but it is not base64. Check the App Secret, or choose another method.';
}

/** Returns the HMAC key, or undefined if the App Secret is not encoded as the method requires. */
function hmacKey({ key }: SignatureRecipe, appSecret: string) {
	if (key === 'utf8') return appSecret;
	// Secrets in Standard Webhooks have a prefix that is not part of the key.
	const text = appSecret.replace(/^whsec_/, '');
	return BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/**
 * Reads a signature header in any usual format, because the platform's interface does not show the
 * format. The header contains one or several digests in hex, base64 or base64url. A label such as
 * `sha256=`, `hmac-sha256=`, `v1=` or `v1,` (https://www.standardwebhooks.com) may precede a
 * digest, and `t=` precedes a time. Entries with other labels are ignored.
 *
 * @returns the digests, of which one must match, and the time, if the header contains one. The
 * result is undefined if there is no digest, or if an entry is not a digest of the required length
 */
function readSignature(text: string, recipe: SignatureRecipe) {
	const { digest, template } = recipe;
	// A method that signs an ID is assumed to use the header format of Standard Webhooks, with spaces
	// between entries and a comma after the version. A template that starts with `v0:` is Slack's,
	// whose header has the label `v0=`.
	const signsId = template.includes('{id}');
	const version = signsId ? 'v1,' : template.startsWith('v0:') ? 'v0=' : 'v1=';
	const own = [`${digest}=`, `hmac${digest}=`];
	const labels = [...own, ...own.map((label) => label.toUpperCase()), version];
	const { length } = createHash(digest).digest();
	const digests: Buffer[] = [];
	let timestamp: string | undefined;
	for (const entry of text.split(signsId ? ' ' : /, ?/)) {
		const [, label, value = ''] = ENTRY.exec(entry) ?? [];
		if (label === 't=') timestamp = value;
		if (label && !labels.includes(label.replaceAll('-', ''))) continue;
		const bytes = decodeDigest(value, length);
		if (!bytes) return undefined;
		digests.push(bytes);
	}
	return digests.length > 0 ? { digests, timestamp } : undefined;
}

/**
 * Decodes a digest. Hex in mixed case, base64 in mixed alphabets, and unused bits that are set are
 * refused, so that a changed character is always detected.
 */
function decodeDigest(text: string, length: number) {
	if (HEX.test(text) && text.length === 2 * length) return Buffer.from(text, 'hex');
	const bytes = Buffer.from(text, 'base64');
	const isCanonical = text === bytes.toString('base64') || text === bytes.toString('base64url');
	return isCanonical && bytes.length === length ? bytes : undefined;
}

/**
 * Returns the signed content for a part of the template. A part that is not a placeholder stays
 * unchanged.
 *
 * @param timestamp the time in the signature header, if it contains one
 * @throws WebhookRejected if the content is missing or cannot be signed, or if the time is outside
 * the window
 */
function signedValue(
	received: ReceivedDelivery,
	part: string,
	timestamp: string | undefined,
	cache: Record<string, Buffer>,
): BinaryLike {
	const { rawBody, appSecret } = received;
	switch (part) {
		case '{body}':
			return rawBody;
		case '{timestamp}':
			return signedTime(received, timestamp);
		case '{id}':
			return requiredHeader(received, 'id');
		case '{nonce}':
			return requiredHeader(received, 'nonce');
		case '{secret}':
			return appSecret;
		case '{fields}':
			cache.fields ??= Buffer.from(sortedFields(parseBody(rawBody), appSecret) ?? '');
			if (cache.fields.length > 0) return cache.fields;
			throw new WebhookRejected(
				'no-fields',
				'The body is not a JSON object, or it has a field that the signature does not cover: app_secret, sign_ver, or a name with a bracket.',
			);
		default:
			return part;
	}
}

function requiredHeader(
	received: ReceivedDelivery,
	what: 'signature' | 'timestamp' | 'id' | 'nonce',
) {
	const name = received.recipe[`${what}Header`];
	const text = headerOf(received, name);
	if (text) return text;
	throw new WebhookRejected(`missing-${what}`, `The header ${name} is missing.`);
}

/** @throws WebhookRejected if the time is missing, unreadable or outside the time window */
function signedTime(received: ReceivedDelivery, inSignature: string | undefined) {
	const { toleranceSeconds } = received.recipe;
	const text = inSignature ?? requiredHeader(received, 'timestamp');
	const time = Number(text);
	const age = received.now.getTime() / 1000 - (time > MAX_SECONDS ? time / 1000 : time);
	if (Math.abs(age) <= toleranceSeconds) return text;
	if (Number.isNaN(age)) {
		throw new WebhookRejected(
			'unreadable-timestamp',
			'The signed timestamp is not a time in seconds or in milliseconds.',
		);
	}
	const distance = `${Math.abs(Math.round(age))} seconds ${age > 0 ? 'old' : 'ahead'}`;
	throw new WebhookRejected(
		'stale-timestamp',
		`The signed timestamp is ${distance}; ${toleranceSeconds} are allowed.`,
	);
}
