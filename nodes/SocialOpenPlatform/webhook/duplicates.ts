import { sleep } from 'n8n-workflow';
import { putNewest } from '../platform/bounded';
import type { EventIdentity } from './event';

/** The part of Express's response that the trigger uses. */
export interface WebhookResponse {
	statusCode: number;
	status(code: number): WebhookResponse;
	json(body: object): WebhookResponse;
	end(...content: unknown[]): unknown;
}

/**
 * Milliseconds that a duplicate waits for the result of the first delivery. After that, it is
 * refused.
 */
const WAIT_FOR_FIRST_MS = 800;

/** Milliseconds between two checks of whether the result is known. */
const CHECK_INTERVAL_MS = 50;

/** Maximum number of events to remember. The oldest events are dropped. They take about 50 MB. */
const MAX_EVENTS = 100_000;

/** One delivery that is passed to n8n, with all its new events. */
interface Handover {
	/**
	 * Unix time in milliseconds at which the execution was stored: Infinity until the result is known,
	 * and -Infinity if it was not stored.
	 */
	storedAt: number;
}

/** The latest handover of an event, and the number of the period in which it arrived. */
interface Claim {
	handover: Handover;
	period: number;
}

/** The time during which a subject keeps its status. */
interface Period {
	status: string;
	/** Differs for all periods of all subjects. */
	number: number;
}

/** The data that decides whether an event starts a workflow. */
interface Claimable {
	identity: EventIdentity;
	isWanted: boolean;
}

/**
 * Which events have started a workflow, and the latest status of each subject, so that a change of
 * status is never treated as a duplicate. Each n8n process has its own memory, which is lost when
 * the process ends.
 */
const claims = new Map<string, Claim>();
const periods = new Map<string, Period>();
let lastPeriod = 0;

/** Notes the status of an event, and returns the number of its period. */
function periodOf(triggerKey: string, { subject, status }: EventIdentity): number {
	const name = `${triggerKey} ${subject}`;
	const known = periods.get(name);
	const period = known?.status === status ? known : { status, number: ++lastPeriod };
	putNewest(periods, name, period, MAX_EVENTS);
	return period.number;
}

/**
 * Selects the events of a delivery that start a workflow: all wanted events that are not
 * duplicates. They are remembered once n8n has stored the execution. If n8n could not store it,
 * the platform will send the events again.
 *
 * @param triggerKey identifies the trigger
 * @param windowMs how long to remember events; 0 accepts every duplicate
 * @returns 'busy' if another delivery is still handing over one of the events, so that it is not
 * known whether it is a duplicate
 */
export async function claimEvents<T extends Claimable>(
	triggerKey: string,
	events: T[],
	windowMs: number,
	response: WebhookResponse,
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
	const handover: Handover = { storedAt: Infinity };
	void watchHandover(response).then((isStored) => {
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

/**
 * Resolves to whether n8n has stored the execution, once n8n responds. n8n also ends a response whose
 * connection is closed. With a concurrency limit, it may respond hours after storing the execution.
 */
async function watchHandover(response: WebhookResponse): Promise<boolean> {
	const end = response.end.bind(response);
	return await new Promise((resolve) => {
		response.end = (...content) => {
			resolve(response.statusCode < 300);
			return end(...content);
		};
	});
}
