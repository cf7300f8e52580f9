import type { IWebhookFunctions } from 'n8n-workflow';
import { putNewest } from '../protocol/bounded';

/** One line for each trigger and reason in this time, because anyone can send deliveries. */
const LOG_INTERVAL_MS = 60_000;

/** Pairs of trigger and reason that are remembered; the oldest are dropped. */
const MAX_ENTRIES = 1_000;

interface Entry {
	/** Milliseconds since 1970. */
	loggedAt: number;
	unlogged: number;
}

const entries = new Map<string, Entry>();

/**
 * Writes a refusal to n8n's log: the first one immediately, and how many followed with the next line.
 * The line contains nothing of the delivery.
 */
export function logRefusal(context: IWebhookFunctions, reason: string, message: string): void {
	const trigger = `'${context.getNode().name}' of workflow ${context.getWorkflow().id}`;
	const key = `${reason} ${trigger}`;
	const entry = entries.get(key) ?? { loggedAt: 0, unlogged: 0 };
	if (Date.now() - entry.loggedAt < LOG_INTERVAL_MS) {
		entry.unlogged++;
		return;
	}
	const more =
		entry.unlogged > 0
			? ` ${entry.unlogged} similar deliveries were refused since the last line.`
			: '';
	context.logger.warn(`Webhook delivery to ${trigger} refused (${reason}): ${message}${more}`);
	putNewest(entries, key, { loggedAt: Date.now(), unlogged: 0 }, MAX_ENTRIES);
}
