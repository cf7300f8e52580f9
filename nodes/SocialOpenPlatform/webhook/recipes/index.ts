import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import {
	assertBounded,
	headerOf,
	parseBody,
	WebhookRejected,
	type ReceivedDelivery,
} from './delivery';
import { identityOf, readEvents, type EventIdentity, type StatusEvent } from '../event';
import { keyBytes, recipeProblem, recipes, signs } from './recipe';
import { readSignature } from './signatureHeader';
import { signedContent } from './signedContent';
import { signedPart } from './sortedFields';

// Checks outside the repository load these names from this folder.
export { WebhookRejected } from './delivery';
export { recipes, type SignatureRecipe } from './recipe';

/** An event of a verified delivery. */
export interface VerifiedEvent {
	event: StatusEvent;
	identity: EventIdentity;
}

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
 * Verifies a delivery, then reads its events (platform interface, "Events"; contract, "The webhook
 * signature").
 *
 * @throws WebhookRejected; its `isAuthentic` says whether the signature was valid
 */
export function verifyDelivery(received: ReceivedDelivery): VerifiedEvent[] {
	const { recipe, rawBody, now } = received;
	assertBounded(rawBody);
	assertSigned(received);
	const json = parseBody(rawBody);
	const payload = signs(recipe, 'body') ? json : (signedPart(json) ?? {});
	// In other contents, characters of the ID could be moved without changing the signature.
	const isIdSigned = recipe.template === recipes.standardWebhooks.template;
	const signedId = isIdSigned ? headerOf(received, recipe.idHeader) : undefined;
	const id = signedId ?? `sha256:${createHash('sha256').update(rawBody).digest('hex')}`;
	const events = readEvents(payload, id, now);
	if (events) {
		return events.map((event, index) => ({ event, identity: identityOf(event, signedId, index) }));
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
	const [first] = verifyDelivery(received);
	if (first) return first.event;
	throw new WebhookRejected('not-json', 'The body is signed, but contains no event.');
}
