import { createHash } from 'node:crypto';
import { identityOf, readEvents, type EventIdentity, type StatusEvent } from './event';
import { recipes } from './methods';
import { signedPart } from './sortedFields';
import {
	assertBounded,
	assertSigned,
	headerOf,
	parseBody,
	signs,
	WebhookRejected,
	type ReceivedDelivery,
} from './verify';

// Programs that test this package from outside load these names and `verifyWebhook`.
export { recipes, type SignatureRecipe } from './methods';
export { WebhookRejected, type ReceivedDelivery } from './verify';

/** An event of a verified delivery. */
export interface VerifiedEvent {
	event: StatusEvent;
	identity: EventIdentity;
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
	// With other templates, characters could be moved between the ID and the text next to it without
	// changing the signature.
	const signedId =
		recipe.template === recipes.standardWebhooks.template
			? headerOf(received, recipe.idHeader)
			: undefined;
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
