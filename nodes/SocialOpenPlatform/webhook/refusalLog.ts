import type { IWebhookFunctions } from 'n8n-workflow';

/** Each trigger logs a reason at most once in this time, because anyone can send deliveries. */
const LOG_INTERVAL_MS = 60_000;

/** The log of each trigger and reason. */
const logged = new Map<string, { at: number; unlogged: number }>();

/**
 * Writes a refusal to n8n's log. The first refusal is logged immediately. The next log entry says
 * how many refusals were not logged in between. A log entry contains no data of the delivery.
 */
export function logRefusal(context: IWebhookFunctions, reason: string, message: string) {
	const trigger = `'${context.getNode().name}' of workflow ${context.getWorkflow().id}`;
	const key = `${reason} ${trigger}`;
	const last = logged.get(key) ?? { at: 0, unlogged: 0 };
	// The clock may have been set back.
	if (Math.abs(Date.now() - last.at) < LOG_INTERVAL_MS) {
		last.unlogged++;
		return;
	}
	const more =
		last.unlogged > 0
			? ` ${last.unlogged} similar deliveries were refused since the last log entry.`
			: '';
	context.logger.warn(`Webhook delivery to ${trigger} refused (${reason}): ${message}${more}`);
	logged.set(key, { at: Date.now(), unlogged: 0 });
}
