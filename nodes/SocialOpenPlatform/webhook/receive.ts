import { NodeOperationError, type IWebhookFunctions } from 'n8n-workflow';
import { redact } from '../platform/json';
import { readDelivery, type TriggerDelivery } from './delivery';
import { claimEvents, type WebhookResponse } from './duplicates';
import { filterOf } from './parameters';
import type { IdentifiedEvent } from './signature/event';
import { WebhookRejected } from './signature/verify';

const HOUR_MS = 3_600_000;

/**
 * Minimum interval, in milliseconds, between log entries for the same trigger and reason. Without a
 * limit, anyone could flood the log.
 */
const LOG_INTERVAL_MS = 60_000;

/** Unix time of the last log entry, in milliseconds, by reason and trigger. */
const loggedAt = new Map<string, number>();

/** Response body that asks the sender to send the delivery again later. */
const tryAgainLater = { ok: false, error: 'try-again-later' };

/**
 * Handles a delivery. Events that are neither filtered out nor duplicates start the workflow. The
 * response status is 200, 400 for a signed body that is not usable, 401 for a refused delivery, 413
 * for a body that is too large, or 503 if the sender should send the delivery again.
 *
 * @throws NodeOperationError while the editor listens for a test event, if the delivery does not
 * start the workflow
 */
export async function receive(context: IWebhookFunctions) {
	const response = context.getResponseObject() as unknown as WebhookResponse;
	const { id, credentials } = context.getNode();
	const triggerKey = [context.getWorkflow().id, id, credentials?.socialOpenPlatformApi?.id].join();
	const isTest = context.getMode() === 'manual';
	const delivery = await readDelivery(context, triggerKey, isTest).catch((error: Error) => error);
	if (delivery instanceof Error) {
		// The editor shows this error, and n8n responds with HTTP 500.
		if (isTest) throw new NodeOperationError(context.getNode(), delivery.message);
		return refuse(context, response, delivery);
	}
	const { parameters, accounts, secrets } = delivery;
	const filter = filterOf(parameters, accounts);
	const events = delivery.events.map((one) => ({ ...one, excludedBy: filter(one.event) }));
	const isIgnored = events.every(({ excludedBy }) => excludedBy);
	if (isTest && isIgnored) {
		const reason = redact(events[0]?.excludedBy, secrets) ?? 'the delivery contains no events';
		throw new NodeOperationError(context.getNode(), `The event was filtered out: ${reason}`, {
			description:
				'Its signature is valid, but the published workflow will ignore such an event, too. Change the field that is named above, or let the trigger listen again and wait for another event.',
		});
	}
	const windowMs = isTest ? 0 : parameters.duplicateWindow * HOUR_MS;
	const claimed = claimEvents(triggerKey, events, windowMs, response);
	if (claimed === 'busy') {
		response.status(503).json(tryAgainLater);
		return { noWebhookResponse: true };
	}
	if (isIgnored) return { webhookResponse: { ok: true, result: 'ignored' } };
	if (claimed.length === 0) return { webhookResponse: { ok: true, result: 'duplicate' } };
	return {
		webhookResponse: { ok: true, result: 'accepted', events: claimed.length },
		workflowData: [toItems(claimed, delivery)],
	};
}

/** Creates an output item for each event, and redacts secrets that the event may contain. */
function toItems(events: IdentifiedEvent[], { accounts, secrets }: TriggerDelivery) {
	return events.map(({ event: { payload, ...event } }) => {
		const name = accounts.get(event.social_account_id ?? '');
		const named = name && { social_account_name: name };
		return { json: redact({ ...event, ...named, payload }, secrets) };
	});
}

/**
 * Logs a refusal and sends the response. The response contains the reason only if the signature is
 * valid. It never contains the message of an n8n error, which may reveal a server in n8n's network.
 */
function refuse(context: IWebhookFunctions, response: WebhookResponse, error: Error) {
	const { message } = error;
	const { reason, status } =
		error instanceof WebhookRejected ? error : { reason: 'not-ready', status: 503 };
	logRefusal(context, reason, message);
	const told = status === 400 ? { error: reason, message } : { error: 'refused' };
	response.status(status).json(status === 503 ? tryAgainLater : { ok: false, ...told });
	return { noWebhookResponse: true };
}

/**
 * Writes a refusal to n8n's log, unless the same reason was logged for the trigger within the last
 * minute. The log entry contains no text from the delivery.
 */
function logRefusal(context: IWebhookFunctions, reason: string, message: string) {
	const trigger = `'${context.getNode().name}' of workflow ${context.getWorkflow().id}`;
	const key = `${reason} ${trigger}`;
	// `Math.abs` lets the interval end even if the system clock was set back.
	if (Math.abs(Date.now() - (loggedAt.get(key) ?? 0)) < LOG_INTERVAL_MS) return;
	loggedAt.set(key, Date.now());
	context.logger.warn(`Webhook delivery to ${trigger} refused (${reason}): ${message}`);
}
