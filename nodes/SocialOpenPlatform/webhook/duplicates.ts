import type { EventIdentity } from './signature/event';

/** At most this many events are kept, which take about 50 MB. The oldest are dropped. */
const MAX_REMEMBERED = 100_000;

/** The part of Express's response that shows whether n8n has stored the execution. */
export interface EndedResponse {
	statusCode: number;
	end(...content: unknown[]): unknown;
}

/** A subject keeps its status during a period. Each period is an object of its own. */
interface Period {
	status: string;
}

interface Claim {
	period: Period;
	/** All events of the delivery share this object. */
	handover: Handover;
}

interface Handover {
	/**
	 * Unix time in milliseconds at which the execution was stored: Infinity until the result is known,
	 * and -Infinity if it was not stored.
	 */
	storedAt: number;
}

/**
 * The maps hold the events that have started a workflow, and the latest status of each subject, so
 * that a change of status is never treated as a duplicate. Each n8n process has its own memory,
 * which is lost when the process ends.
 */
const claims = new Map<string, Claim>();
const periods = new Map<string, Period>();

/** Adds or moves an entry to the end of a map, which keeps the order of insertion. */
function remember<T>(map: Map<string, T>, name: string, value: T) {
	map.delete(name);
	map.set(name, value);
	const [oldest = name] = map.keys();
	if (map.size > MAX_REMEMBERED) map.delete(oldest);
}

/**
 * Selects the events of a delivery that start a workflow: all that are neither excluded nor
 * duplicates. They are remembered once n8n has stored the execution. If n8n could not store it, its
 * sender will send the events again. No part may wait, or two deliveries could claim the same event.
 *
 * @param triggerKey identifies the trigger
 * @param windowMs how long to remember events; 0 accepts every duplicate
 * @returns 'busy' if another delivery is still handing over one of the events, so that it is not
 * known whether it is a duplicate
 */
export function claimEvents<T extends { identity: EventIdentity; excludedBy?: string }>(
	triggerKey: string,
	events: T[],
	windowMs: number,
	response: EndedResponse,
): T[] | 'busy' {
	if (windowMs === 0) return events.filter(({ excludedBy }) => !excludedBy);
	const claimOf = ({ identity }: T) => claims.get(triggerKey + identity.key);
	if (events.some((event) => claimOf(event)?.handover.storedAt === Infinity)) return 'busy';
	const handover = handoverOf(response);
	return events.filter((event) => {
		// A status of an excluded event is noted, too: after a change of status, a later event is no
		// duplicate.
		const { subject, status, key } = event.identity;
		const current = periods.get(triggerKey + subject);
		const period = current?.status === status ? current : { status };
		remember(periods, triggerKey + subject, period);
		const known = claimOf(event);
		const isDuplicate = known?.period === period && Date.now() - known.handover.storedAt < windowMs;
		const isClaimed = !event.excludedBy && !isDuplicate;
		if (isClaimed) remember(claims, triggerKey + key, { period, handover });
		return isClaimed;
	});
}

/**
 * Notes whether n8n has stored the execution, once n8n responds. n8n also ends a response whose
 * connection is closed. With a concurrency limit, it may respond hours after storing the execution.
 */
function handoverOf(response: EndedResponse): Handover {
	const handover = { storedAt: Infinity };
	const end = response.end.bind(response);
	response.end = (...content) => {
		handover.storedAt = response.statusCode < 300 ? Date.now() : -Infinity;
		return end(...content);
	};
	return handover;
}
