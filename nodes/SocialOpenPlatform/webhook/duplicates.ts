import { digest, type VerifiedEvent } from './signature/event';

/** Maximum number of remembered states, which take about 25 MB. The oldest ones are dropped. */
const MAX_REMEMBERED = 100_000;

/** The trigger uses only this part of Express's response. */
export interface WebhookResponse {
	statusCode: number;
	status(code: number): WebhookResponse;
	json(body: object): WebhookResponse;
	end(...content: unknown[]): unknown;
}

/**
 * The latest state of each subject, by trigger and subject. A subject is a post, together with the
 * ID of the event if the event has one. An event that changes the state is never a duplicate. Each
 * n8n process has its own map, which is lost when the process ends.
 */
const latest = new Map<
	string,
	{
		state: string;
		/** When n8n responded. All events of a delivery share this object. */
		handover: {
			/**
			 * Unix time of the response in milliseconds: Infinity before the response, and -Infinity if
			 * n8n has not stored the execution.
			 */
			respondedAt: number;
		};
	}
>();

/**
 * Selects the events of a delivery that start a workflow: all that are neither excluded nor
 * duplicates. If n8n cannot store the execution, the same events are not duplicates when they arrive
 * again, because the platform may repeat the delivery.
 *
 * @param triggerKey identifies the trigger
 * @param windowMs how many milliseconds to remember events; 0 accepts every duplicate
 * @returns the selected events, or 'busy' while n8n is still processing another delivery of one of
 * the events, so that it is not known whether this one is a duplicate
 */
export function claimEvents(
	triggerKey: string,
	events: Array<VerifiedEvent & { excludedBy?: string }>,
	windowMs: number,
	response: WebhookResponse,
) {
	if (windowMs === 0) return events.filter(({ excludedBy }) => !excludedBy);
	// An excluded event also changes the state. `excludedBy` is part of the state, so that the same
	// event is not a duplicate after the filter has changed.
	const claims = events.map((one) => ({ ...one, state: `${!one.excludedBy}${one.state}` }));
	// A delivery may contain several events of one post, which change its state one after the other. A
	// repetition of the delivery is therefore recognized by the digest of all events, which is
	// remembered like a subject.
	const content = digest(claims.map(({ subject, state }) => [subject, state]));
	const respondedAt = (subject: string, state: string) => {
		const known = latest.get(triggerKey + subject);
		return known?.state === state ? known.handover.respondedAt : -Infinity;
	};
	if (claims.some(({ subject, state }) => respondedAt(subject, state) === Infinity)) return 'busy';
	const handover = { respondedAt: Infinity };
	// n8n also calls `end` if the connection was closed. With a concurrency limit, n8n may respond
	// hours after it has stored the execution.
	const end = response.end.bind(response);
	response.end = (...sent) => {
		handover.respondedAt = response.statusCode < 300 ? Date.now() : -Infinity;
		return end(...sent);
	};
	/** Remembers the state of a subject. Returns false for a duplicate. */
	const remember = (subject: string, state: string) => {
		if (Date.now() - respondedAt(subject, state) < windowMs) return false;
		// A map keeps the order of insertion, so the state becomes the newest one.
		const name = triggerKey + subject;
		latest.delete(name);
		latest.set(name, { state, handover });
		const [oldest = name] = latest.keys();
		if (latest.size > MAX_REMEMBERED) latest.delete(oldest);
		return true;
	};
	if (claims.length > 1 && !remember(content, '')) return [];
	return claims.filter((one) => remember(one.subject, one.state) && !one.excludedBy);
}
