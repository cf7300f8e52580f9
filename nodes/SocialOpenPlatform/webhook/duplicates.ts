import { sleep } from 'n8n-workflow';
import { putNewest } from '../platform/bounded';
import type { EventIdentity } from './signature/event';

/** A duplicate waits this long for the result of the first delivery. After that, it is refused. */
const WAIT_FOR_FIRST_MS = 800;

const CHECK_INTERVAL_MS = 50;

/** At most this many events are kept, which take about 50 MB. The oldest are dropped. */
const MAX_EVENTS = 100_000;

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
	/** All events of the delivery share this object. */
	handover: {
		/**
		 * Unix time in milliseconds at which the execution was stored: Infinity until the result is
		 * known, and -Infinity if it was not stored.
		 */
		storedAt: number;
	};
	period: Period;
}

/**
 * The maps hold the events that have started a workflow, and the latest status of each subject, so
 * that a change of status is never treated as a duplicate. Each n8n process has its own memory,
 * which is lost when the process ends.
 */
const claims = new Map<string, Claim>();
const periods = new Map<string, Period>();

/**
 * Selects the events of a delivery that start a workflow: all wanted events that are not
 * duplicates. They are remembered once n8n has stored the execution. If n8n could not store it, its
 * sender will send the events again.
 *
 * @param triggerKey identifies the trigger
 * @param windowMs how long to remember events; 0 accepts every duplicate
 * @returns 'busy' if another delivery is still handing over one of the events, so that it is not
 * known whether it is a duplicate
 */
export async function claimEvents<T extends { identity: EventIdentity; isWanted: boolean }>(
	triggerKey: string,
	events: T[],
	windowMs: number,
	response: EndedResponse,
): Promise<T[] | 'busy'> {
	if (windowMs === 0) return events.filter(({ isWanted }) => isWanted);
	const nameOf = ({ subject, status, content }: EventIdentity) =>
		[triggerKey, subject, status, content].join();
	const isPending = () =>
		events.some(({ identity }) => claims.get(nameOf(identity))?.handover.storedAt === Infinity);
	for (let waited = 0; isPending(); waited += CHECK_INTERVAL_MS) {
		if (waited >= WAIT_FOR_FIRST_MS) return 'busy';
		await sleep(CHECK_INTERVAL_MS);
	}
	// There must be no await between the last check and the claim, or two deliveries could claim the
	// same event.
	const handover = { storedAt: Infinity };
	void isHandedOver(response).then((isStored) => {
		handover.storedAt = isStored ? Date.now() : -Infinity;
	});
	return events.filter(({ identity, isWanted }) => {
		// A status of an unwanted event is noted, too: after a change of status, a later event is no
		// duplicate.
		const period = periodOf(triggerKey, identity);
		const name = nameOf(identity);
		const known = claims.get(name);
		const isDuplicate = known?.period === period && Date.now() - known.handover.storedAt < windowMs;
		const isClaimed = isWanted && !isDuplicate;
		if (isClaimed) putNewest(claims, name, { handover, period }, MAX_EVENTS);
		return isClaimed;
	});
}

/** Notes the status of an event, and returns its period. */
function periodOf(triggerKey: string, { subject, status }: EventIdentity) {
	const name = `${triggerKey} ${subject}`;
	const known = periods.get(name);
	const period = known?.status === status ? known : { status };
	putNewest(periods, name, period, MAX_EVENTS);
	return period;
}

/**
 * Resolves to whether n8n has stored the execution, once n8n responds. n8n also ends a response whose
 * connection is closed. With a concurrency limit, it may respond hours after storing the execution.
 */
async function isHandedOver(response: EndedResponse): Promise<boolean> {
	const end = response.end.bind(response);
	return await new Promise((resolve) => {
		response.end = (...content) => {
			resolve(response.statusCode < 300);
			return end(...content);
		};
	});
}
