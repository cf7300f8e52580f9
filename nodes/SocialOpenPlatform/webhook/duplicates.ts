import { shortHash, type IdentifiedEvent } from './signature/event';

/** Maximum number of remembered states, which use about 25 MB. The oldest is removed first. */
const MAX_REMEMBERED = 100_000;

/** The parts of Express's response that the trigger uses. */
export interface WebhookResponse {
	statusCode: number;
	status(code: number): WebhookResponse;
	json(body: object): WebhookResponse;
	end(...content: unknown[]): unknown;
}

/**
 * The latest state of each subject (see `readEvent`), by trigger key and subject. An event that
 * repeats this state within the duplicate window is a duplicate. Each n8n process has its own map,
 * which is lost when the process ends.
 */
const latest = new Map<
	string,
	{
		state: string;
		/** All events of a delivery share this object. */
		handover: {
			/**
			 * Unix time of n8n's response, in milliseconds. The value is Infinity until n8n responds, and
			 * -Infinity if n8n could not store the execution.
			 */
			respondedAt: number;
		};
	}
>();

/**
 * Selects the events of a delivery that start the workflow. Excluded events and duplicates do not
 * start it. If n8n cannot store the execution, the events are not duplicates when the platform
 * sends them again. To learn when n8n responds, the function replaces `response.end`, so call it
 * before any response with status 200 is sent.
 *
 * @param triggerKey identifies the trigger and its credential
 * @param windowMs milliseconds for which an event is remembered; with 0, no event is a duplicate
 * @returns the selected events, or 'busy' if n8n has not yet responded to an earlier delivery of an
 * event, so that it is unknown whether the event is a duplicate
 */
export function claimEvents(
	triggerKey: string,
	events: Array<IdentifiedEvent & { excludedBy?: string }>,
	windowMs: number,
	response: WebhookResponse,
) {
	if (windowMs === 0) return events.filter(({ excludedBy }) => !excludedBy);
	// An excluded event also changes the state. The state includes whether the event is excluded, so
	// that the same event is not a duplicate after a change to the filter.
	const claims = events.map((one) => ({ ...one, state: `${!one.excludedBy}${one.state}` }));
	// Several events of one post replace each other's state, so a repeated delivery would seem new.
	// Such a delivery is recognized by the hash of all its events, which is remembered like a
	// subject.
	const content = shortHash(claims.map(({ subject, state }) => [subject, state]));
	const respondedAt = (subject: string, state: string) => {
		const known = latest.get(triggerKey + subject);
		return known?.state === state ? known.handover.respondedAt : -Infinity;
	};
	if (claims.some(({ subject, state }) => respondedAt(subject, state) === Infinity)) return 'busy';
	const handover = { respondedAt: Infinity };
	// n8n calls `end` even if the sender has closed the connection, for example because a concurrency
	// limit has delayed the response by hours. It does not if a user stops an execution that waits for
	// this limit: repetitions of its events are then refused as busy until n8n restarts.
	const end = response.end.bind(response);
	response.end = (...sent) => {
		handover.respondedAt = response.statusCode < 300 ? Date.now() : -Infinity;
		return end(...sent);
	};
	/** Remembers a subject's state. Returns false for a duplicate. */
	const remember = (subject: string, state: string) => {
		if (Date.now() - respondedAt(subject, state) < windowMs) return false;
		// A map keeps its insertion order, so the entry is deleted first to become the newest one.
		const key = triggerKey + subject;
		latest.delete(key);
		latest.set(key, { state, handover });
		const [oldest = key] = latest.keys();
		if (latest.size > MAX_REMEMBERED) latest.delete(oldest);
		return true;
	};
	if (claims.length > 1 && !remember(content, '')) {
		return respondedAt(content, '') === Infinity ? 'busy' : [];
	}
	// `remember` comes first, so that excluded events are remembered, too.
	return claims.filter((one) => remember(one.subject, one.state) && !one.excludedBy);
}
