import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { signedPart } from './callbackFields';
import { readEvents, type StatusEvent } from './event';
import { identityOf, type EventIdentity } from './eventIdentity';
import { keyBytes, recipeFault } from './recipeFault';
import { holds } from './signatureRecipe';
import { readSignature } from './signatureText';
import { coveredContent, header, signedContent, type Received } from './signedContent';
import { WebhookBody } from './webhookBody';
import { WebhookRejected } from './webhookRejected';

export { recipes, type SignatureRecipe } from './signatureRecipe';
export type { Received } from './signedContent';
export { WebhookRejected } from './webhookRejected';

/** What a verified delivery says. Of one that is not verified there is nothing. */
export interface Delivery {
	events: StatusEvent[];
	/** What tells each of the events from others. */
	identities: EventIdentity[];
	/** The same for each repetition of the delivery; where no id is signed, for each that says the same. */
	key: string;
}

/** @throws WebhookRejected unless an owner of the secret has signed exactly this delivery */
export function assertSigned(received: Received, body = new WebhookBody(received.rawBody)): void {
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
	for (const part of signedContent(received, body, signature.timestamp)) hash.update(part);
	const expected = hash.digest();
	if (!signature.digests.some((digest) => timingSafeEqual(digest, expected))) {
		throw new WebhookRejected('wrong-signature', 'The signature does not match.');
	}
}

/**
 * The id of a delivery, where it is signed. Next to a nonce or behind a time, an id is not certain:
 * characters could be moved from one to the other.
 */
function signedIdOf(received: Received): string | undefined {
	const { recipe } = received;
	const isCertain =
		holds(recipe, 'id') && !holds(recipe, 'nonce') && !recipe.template.includes('{timestamp}{id}');
	return isCertain ? header(received, recipe.idHeader) : undefined;
}

/**
 * Verifies a delivery, then reads it (platform interface, "Events"; contract, "The webhook
 * signature"): bounds, headers, time window, comparison of bytes in constant time, JSON.
 *
 * @param body the one received, where it is judged more than once
 * @throws WebhookRejected with a `reason`; `isAuthentic` tells whether the signature was right
 */
export function openDelivery(
	received: Received,
	body = new WebhookBody(received.rawBody),
): Delivery {
	assertSigned(received, body);
	const { json } = body;
	const payload = holds(received.recipe, 'body') ? json : (signedPart(json) ?? {});
	const signedId = signedIdOf(received);
	const digest = () => createHash('sha256').update(coveredContent(received, body)).digest('hex');
	const id = signedId ?? `sha256:${digest()}`;
	const events = readEvents(payload, id, received.now);
	if (events) {
		const identities = events.map((event, index) => identityOf(event, signedId, index));
		return { events, identities, key: signedId === undefined ? id : `id:${id}` };
	}
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
