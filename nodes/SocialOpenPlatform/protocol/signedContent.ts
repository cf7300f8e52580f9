import type { BinaryLike } from 'node:crypto';
import { hasUnsignedNames } from './callbackFields';
import { holds, templateParts, type Placeholder, type SignatureRecipe } from './signatureRecipe';
import { HEADER_SAFE } from './token';
import type { WebhookBody } from './webhookBody';
import { WebhookRejected } from './webhookRejected';
import { readTimestamp } from './webhookTime';

/** A delivery as it came in, and by what it is judged. */
export interface Received {
	/** Names in any case, as Node gives them or as the sender wrote them. */
	headers: Record<string, string | string[] | undefined>;
	/** The bytes of the body, before anything has parsed them. */
	rawBody: Buffer;
	appSecret: string;
	recipe: SignatureRecipe;
	now: Date;
}

/** The text of a header, several of one name joined as Node joins them. */
export function header({ headers }: Received, name: string): string | undefined {
	const wanted = name.toLowerCase();
	const values = Object.entries(headers).flatMap(([key, value]) =>
		key.toLowerCase() === wanted ? (value ?? []) : [],
	);
	return values.length === 0 ? undefined : values.join(', ');
}

function signedHeader(
	received: Received,
	name: string,
	missing: 'missing-id' | 'missing-nonce',
): string {
	const text = header(received, name);
	if (text !== undefined && HEADER_SAFE.test(text)) return text;
	throw new WebhookRejected(
		missing,
		`The header ${name}, which is signed, is missing or not plain text.`,
	);
}

/** The signed time as text, once it is known to lie within the window. */
function timestampOf(received: Received, inSignature: string | undefined): string {
	const { recipe, now } = received;
	const text = inSignature ?? header(received, recipe.timestampHeader);
	if (text === undefined) {
		throw new WebhookRejected(
			'missing-timestamp',
			`The header ${recipe.timestampHeader}, which is signed, is missing.`,
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

/**
 * What the signature covers, in the order of the template.
 *
 * @param body the one received
 * @param inSignature the time that stands in the signature header itself, if one does
 * @throws WebhookRejected when a part of it is missing, or the time is not within the window
 */
export function signedContent(
	received: Received,
	body: WebhookBody,
	inSignature: string | undefined,
): BinaryLike[] {
	const { recipe, rawBody, appSecret } = received;
	const values: Record<Placeholder, () => BinaryLike> = {
		body: () => rawBody,
		timestamp: () => timestampOf(received, inSignature),
		id: () => signedHeader(received, recipe.idHeader, 'missing-id'),
		nonce: () => signedHeader(received, recipe.nonceHeader, 'missing-nonce'),
		secret: () => appSecret,
		fields: () => fieldsOf(body, appSecret),
	};
	return templateParts(recipe.template).map((part) =>
		'text' in part ? part.text : values[part.placeholder](),
	);
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
		'The body has a field named app_secret or sign_ver, or a bracket in the name of a field. The signature does not cover these.',
	);
}

/**
 * What the signature covers and a repetition repeats. The time is no part of it, because a repetition
 * is signed anew; nor is the secret, because a digest of this is shown.
 */
export const coveredContent = ({ recipe, rawBody }: Received, body: WebhookBody): BinaryLike =>
	holds(recipe, 'body') ? rawBody : (body.fields('') ?? rawBody);
