import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { readEvents, type StatusEvent } from './event';
import { parseJson, withoutByteOrderMark } from './json';
import { keyBytes, recipeFault } from './recipeFault';
import { holds } from './signatureRecipe';
import { readSignature } from './signatureText';
import { coveredContent, header, signedContent, type Received } from './signedContent';
import { WebhookRejected } from './webhookRejected';

export { recipes, type SignatureRecipe } from './signatureRecipe';
export type { Received } from './signedContent';
export { WebhookRejected } from './webhookRejected';

/** What a verified delivery says. Of one that is not verified there is nothing. */
export interface Delivery {
	events: StatusEvent[];
	/** The same for each repetition of the delivery; where no id is signed, for each that says the same. */
	key: string;
}

/** @throws WebhookRejected unless an owner of the secret has signed exactly this delivery */
export function assertSigned(received: Received): void {
	const { recipe, appSecret } = received;
	if (appSecret === '') throw new WebhookRejected('no-secret', 'The App Secret is empty.');
	const fault = recipeFault(recipe, appSecret);
	if (fault !== undefined) throw new WebhookRejected('unusable-recipe', fault);
	const text = header(received, recipe.signatureHeader);
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
			`The header ${recipe.signatureHeader} holds no ${recipe.digest.toUpperCase()} digest.`,
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
 * What tells a delivery from others: its id where that is signed, else what the signature covers. Next
 * to a nonce, an id is not certain: characters could be moved from one to the other.
 */
function keyOf(received: Received): string {
	const { recipe } = received;
	if (holds(recipe, 'id') && !holds(recipe, 'nonce'))
		return `id:${header(received, recipe.idHeader)}`;
	return `sha256:${createHash('sha256').update(coveredContent(received)).digest('hex')}`;
}

/** @returns undefined, which JSON cannot say, when the body is not JSON */
function readJson(rawBody: Buffer): unknown {
	try {
		return parseJson(withoutByteOrderMark(rawBody.toString('utf8')));
	} catch {
		return undefined;
	}
}

/**
 * Verifies a delivery, then reads it (platform interface, "Events"; contract, "The webhook
 * signature"): headers, time window, comparison of bytes in constant time, JSON.
 *
 * @throws WebhookRejected with a `reason`; only `not-json` speaks of a delivery that is authentic
 */
export function openDelivery(received: Received): Delivery {
	assertSigned(received);
	const key = keyOf(received);
	const events = readEvents(readJson(received.rawBody), key.replace(/^id:/, ''), received.now);
	if (events) return { events, key };
	throw new WebhookRejected(
		'not-json',
		'The body is signed but is no JSON object or list of them.',
	);
}

/**
 * Verifies a delivery that holds one event, and returns that event; the first of several.
 *
 * @throws WebhookRejected with a `reason`, also for a list without events
 */
export function verifyWebhook(received: Received): StatusEvent {
	const [event] = openDelivery(received).events;
	if (event) return event;
	throw new WebhookRejected('not-json', 'The body is signed but holds no event.');
}
