import type { BinaryLike } from 'node:crypto';
import { HEADER_SAFE } from '../../platform/token';
import { headerOf, parseBody, WebhookRejected, type ReceivedDelivery } from './delivery';
import { sortedFields } from './sortedFields';

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
 * @param timestamp the time in the signature header, if it contains one
 * @throws WebhookRejected if a signed value is missing, or the time is outside the window
 */
export function signedContent(
	received: ReceivedDelivery,
	timestamp: string | undefined,
): BinaryLike[] {
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
