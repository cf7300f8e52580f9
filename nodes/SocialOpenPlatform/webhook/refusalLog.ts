import type { IWebhookFunctions } from 'n8n-workflow';
import { putNewest } from '../platform/bounded';

/** Each trigger logs a reason at most once in this time, because anyone can send deliveries. */
const LOG_INTERVAL_MS = 60_000;

/** At most this many log entries are kept, each for a trigger and a reason. */
const MAX_ENTRIES = 1_000;

const entries = new Map<string, { loggedAt: number; unlogged: number }>();

/**
 * Writes a refusal to n8n's log. The first refusal is logged immediately. The next log entry says
 * how many refusals were not logged in between. A log entry contains no data of the delivery.
 */
export function logRefusal(context: IWebhookFunctions, reason: string, message: string) {
	const trigger = `'${context.getNode().name}' of workflow ${context.getWorkflow().id}`;
	const key = `${reason} ${trigger}`;
	const entry = entries.get(key) ?? { loggedAt: 0, unlogged: 0 };
	// The clock may have been set back.
	if (Math.abs(Date.now() - entry.loggedAt) < LOG_INTERVAL_MS) {
		entry.unlogged++;
		return;
	}
	const more =
		entry.unlogged > 0
			? ` ${entry.unlogged} similar deliveries were refused since the last log entry.`
			: '';
	context.logger.warn(`Webhook delivery to ${trigger} refused (${reason}): ${message}${more}`);
	putNewest(entries, key, { loggedAt: Date.now(), unlogged: 0 }, MAX_ENTRIES);
}
