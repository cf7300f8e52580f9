import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { headerOf, WebhookBody, WebhookRejected, type ReceivedDelivery } from './delivery';
import { identityOf, readEvents, type EventIdentity, type StatusEvent } from './event';
import { keyBytes, recipeProblem, signs } from './recipe';
import { readSignature } from './signatureHeader';
import { repeatedContent, signedContent } from './signedContent';
import { signedPart } from './sortedFields';

// Checks outside the repository load these names from this folder.
export { WebhookRejected } from './delivery';
export { recipes, type SignatureRecipe } from './recipe';

/** The content of a verified delivery. */
export interface VerifiedDelivery {
	events: StatusEvent[];
	/** The identity of each event, in the same order. */
	identities: EventIdentity[];
}

/**
 * Verifies the signature: first the headers and the time window, then the digest, in constant time.
 *
 * @param body the body of the same delivery
 * @throws WebhookRejected unless exactly this delivery was signed with the App Secret
 */
export function assertSigned(received: ReceivedDelivery, body: WebhookBody): void {
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
	for (const part of signedContent(received, body, signature.timestamp)) hash.update(part);
	const expected = hash.digest();
	if (!signature.digests.some((digest) => timingSafeEqual(digest, expected))) {
		throw new WebhookRejected('wrong-signature', 'The signature does not match.');
	}
}

/**
 * The ID of a delivery, if the signature proves it. The signature does not prove an ID that is signed
 * together with a nonce, or directly after the time: characters could then be moved between the two
 * values without changing the signature.
 */
function signedIdOf(received: ReceivedDelivery): string | undefined {
	const { recipe } = received;
	const isCertain =
		signs(recipe, 'id') && !signs(recipe, 'nonce') && !recipe.template.includes('{timestamp}{id}');
	return isCertain ? headerOf(received, recipe.idHeader) : undefined;
}

/**
 * Verifies a delivery, then reads its events (platform interface, "Events"; contract, "The webhook
 * signature").
 *
 * @param body the parsed body, if the delivery is verified more than once
 * @throws WebhookRejected; its `isAuthentic` says whether the signature was valid
 */
export function verifyDelivery(
	received: ReceivedDelivery,
	body = new WebhookBody(received.rawBody),
): VerifiedDelivery {
	assertSigned(received, body);
	const { json } = body;
	const payload = signs(received.recipe, 'body') ? json : (signedPart(json) ?? {});
	const signedId = signedIdOf(received);
	const digest = () => createHash('sha256').update(repeatedContent(received, body)).digest('hex');
	const id = signedId ?? `sha256:${digest()}`;
	const events = readEvents(payload, id, received.now);
	if (events) {
		const identities = events.map((event, index) => identityOf(event, signedId, index));
		return { events, identities };
	}
	throw new WebhookRejected(
		'not-json',
		'The body is signed, but is not a JSON object or a list of JSON objects.',
	);
}

/**
 * Verifies a delivery and returns its first event.
 *
 * @throws WebhookRejected, also if there is no event
 */
export function verifyWebhook(received: ReceivedDelivery): StatusEvent {
	const [event] = verifyDelivery(received).events;
	if (event) return event;
	throw new WebhookRejected('not-json', 'The body is signed, but contains no event.');
}
