import type { BinaryLike } from 'node:crypto';
import { HEADER_SAFE } from '../token';
import { headerOf, WebhookRejected, type ReceivedDelivery, type WebhookBody } from './delivery';
import { signs, templateParts, type Placeholder } from './recipe';
import { hasUnsignedNames } from './sortedFields';

/**
 * A time in seconds has up to eleven digits until the year 5138. A time in milliseconds has had at
 * least twelve since 1973.
 */
const SECONDS = /^\d{1,11}$/;
const MILLISECONDS = /^\d{12,15}$/;

/** ISO 8601 with a time zone. Without a time zone, the time would be ambiguous. */
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;

/**
 * The content that the signature covers, as parts in the order of the recipe's template.
 *
 * @param body the parsed body of the same delivery
 * @param timestamp the time in the signature header, if it contains one
 * @throws WebhookRejected if a signed value is missing, or the time is outside the window
 */
export function signedContent(
	received: ReceivedDelivery,
	body: WebhookBody,
	timestamp: string | undefined,
): BinaryLike[] {
	const { recipe, rawBody, appSecret } = received;
	const values: Record<Placeholder, () => BinaryLike> = {
		body: () => rawBody,
		timestamp: () => timestampOf(received, timestamp),
		id: () => signedHeader(received, recipe.idHeader, 'missing-id'),
		nonce: () => signedHeader(received, recipe.nonceHeader, 'missing-nonce'),
		secret: () => appSecret,
		fields: () => fieldsOf(body, appSecret),
	};
	return templateParts(recipe.template).map((part) =>
		'text' in part ? part.text : values[part.placeholder](),
	);
}

/**
 * The part of the signed content that is the same in each repetition of a delivery. It does not
 * contain the time, because a repetition is signed with a new time. It does not contain the secret,
 * because a digest of this content is part of the output.
 */
export const repeatedContent = (
	{ recipe, rawBody }: ReceivedDelivery,
	body: WebhookBody,
): BinaryLike => (signs(recipe, 'body') ? rawBody : (body.fields('') ?? rawBody));

/**
 * Reads the time of a delivery: Unix time in seconds or milliseconds, or an ISO date with a time
 * zone.
 *
 * @returns Unix time in milliseconds, or undefined if the text is not a time
 */
export function readTimestamp(text: string): number | undefined {
	if (SECONDS.test(text)) return Number(text) * 1000;
	if (MILLISECONDS.test(text)) return Number(text);
	const time = ISO_DATE.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(time) ? undefined : time;
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
	const time = readTimestamp(text);
	if (time === undefined) {
		throw new WebhookRejected(
			'unreadable-timestamp',
			'The signed timestamp is not a time in seconds, in milliseconds or as an ISO date.',
		);
	}
	const seconds = (now.getTime() - time) / 1000;
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

function fieldsOf(body: WebhookBody, appSecret: string): string {
	const fields = body.fields(appSecret);
	if (fields === undefined) {
		throw new WebhookRejected(
			'no-fields',
			'The body is not a JSON object, so it has no fields that could be signed.',
		);
	}
	if (!hasUnsignedNames(body.json)) return fields;
	throw new WebhookRejected(
		'unsigned-fields',
		'The body has a field named app_secret or sign_ver, or a field name with a bracket. The signature does not cover these fields.',
	);
}
