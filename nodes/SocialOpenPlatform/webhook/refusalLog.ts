import type { IWebhookFunctions } from 'n8n-workflow';
import { putNewest } from '../platform/bounded';

/**
 * Minimum milliseconds between two log entries with the same trigger and reason. The log is limited
 * because anyone can send deliveries.
 */
const LOG_INTERVAL_MS = 60_000;

/**
 * Maximum number of log entries to remember, each for a trigger and a reason. The oldest are
 * dropped.
 */
const MAX_ENTRIES = 1_000;

interface Entry {
	/** Unix time in milliseconds. */
	loggedAt: number;
	unlogged: number;
}

const entries = new Map<string, Entry>();

/**
 * Writes a refusal to n8n's log. The first refusal is logged immediately. The next log entry says
 * how many refusals were not logged in between. A log entry contains no data of the delivery.
 */
export function logRefusal(context: IWebhookFunctions, reason: string, message: string): void {
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
