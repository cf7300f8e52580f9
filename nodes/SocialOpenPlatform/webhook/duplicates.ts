import { digest, type VerifiedEvent } from './signature/event';

/** Maximum number of subjects to keep, which take about 25 MB. The oldest ones are dropped. */
const MAX_REMEMBERED = 100_000;

/** The trigger uses only this part of Express's response. */
export interface WebhookResponse {
	statusCode: number;
	status(code: number): WebhookResponse;
	json(body: object): WebhookResponse;
	end(...content: unknown[]): unknown;
}

/**
 * The latest state of each subject: a post, together with the ID of the event if it has one. An event
 * that changes the state is never a duplicate.
 * Each n8n process has its own memory, which is lost when the process ends.
 */
const latest = new Map<
	string,
	{
		state: string;
		/** When n8n responded. All events of a delivery share this object. */
		handover: {
			/**
			 * Unix time of the response in milliseconds: Infinity before it, and -Infinity if n8n has not
			 * stored the execution.
			 */
			respondedAt: number;
		};
	}
>();

/**
 * Selects the events of a delivery that start a workflow: all that are neither excluded nor
 * duplicates. All events are remembered once n8n has stored the execution. If n8n could not store it,
 * the platform sends the delivery again.
 *
 * @param triggerKey identifies the trigger
 * @param windowMs how long to remember events; 0 accepts every duplicate
 * @returns 'busy' if another delivery is still handing over one of the events, so that it is not
 * known whether it is a duplicate
 */
export function claimEvents(
	triggerKey: string,
	events: Array<VerifiedEvent & { excludedBy?: string }>,
	windowMs: number,
	response: WebhookResponse,
) {
	if (windowMs === 0) return events.filter(({ excludedBy }) => !excludedBy);
	// An excluded event changes the state, too. It is no duplicate once the filter includes it.
	const claims = events.map((one) => ({ ...one, state: `${!one.excludedBy}${one.state}` }));
	// The events of a post change its state one after the other, so only all of them together show
	// that a delivery is repeated. Their digest is remembered like a subject.
	const content = digest(claims.map(({ subject, state }) => [subject, state]));
	const respondedAt = (subject: string, state: string) => {
		const known = latest.get(triggerKey + subject);
		return known?.state === state ? known.handover.respondedAt : -Infinity;
	};
	if (claims.some(({ subject, state }) => respondedAt(subject, state) === Infinity)) return 'busy';
	const handover = { respondedAt: Infinity };
	// n8n also ends a response whose connection is closed. With a concurrency limit, it may respond
	// hours after storing the execution.
	const end = response.end.bind(response);
	response.end = (...sent) => {
		handover.respondedAt = response.statusCode < 300 ? Date.now() : -Infinity;
		return end(...sent);
	};
	/** Remembers the state of a subject. Returns false for a duplicate. */
	const remember = (subject: string, state: string) => {
		if (Date.now() - respondedAt(subject, state) < windowMs) return false;
		// A map keeps the order of insertion.
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
