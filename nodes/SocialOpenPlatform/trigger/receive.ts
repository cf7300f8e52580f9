import {
	NodeOperationError,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { WebhookRejected } from '../protocol/webhook/delivery';
import { claimEvents } from './duplicates';
import { isWanted, toItems } from './events';
import { logRefusal } from './refusalLog';
import { respond, respondOnThrow, type WebhookResponse } from './response';
import { isTest, verify, type TriggerDelivery } from './verify';

const HOUR_MS = 3_600_000;

/** For problems on the side of n8n: with this status, the sender should send the delivery again. */
const tryAgainLater = { ok: false, error: 'try-again-later' };

/** The response to a sender without a valid signature. The reason is only in n8n's log. */
const refused = { ok: false, error: 'refused' };

/**
 * Handles one delivery. Its new and wanted events start a workflow. The status of the response is
 * 200, 401 for a refused delivery, 413 for a body that is too large, 400 for a signed body that is
 * not usable, or 503 if the sender should send the delivery again.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = context.getResponseObject() as unknown as WebhookResponse;
	const triggerKey = triggerKeyOf(context);
	let delivery: TriggerDelivery;
	try {
		delivery = await verify(context, triggerKey);
	} catch (error) {
		return refuse(context, response, error as Error);
	}
	const { parameters, identities } = delivery;
	const all = delivery.events.map((event, index) => ({
		event,
		identity: identities[index]!,
		isWanted: isWanted(event, parameters),
	}));
	const wanted = all.filter((one) => one.isWanted);
	const claimed = isTest(context)
		? wanted
		: await claimEvents(triggerKey, all, parameters.duplicateWindow * HOUR_MS, response);
	if (claimed === 'busy') return respond(response, 503, tryAgainLater);
	if (wanted.length === 0) return { webhookResponse: { ok: true, result: 'ignored' } };
	if (claimed.length === 0) return { webhookResponse: { ok: true, result: 'duplicate' } };
	const events = claimed.map(({ event }) => event);
	return {
		webhookResponse: { ok: true, result: 'accepted', events: events.length },
		workflowData: [toItems(events, delivery)],
	};
}

/** Identifies a trigger by its workflow, its node and its credential. */
function triggerKeyOf(context: IWebhookFunctions): string {
	const { id, credentials } = context.getNode();
	return [context.getWorkflow().id, id, credentials?.socialOpenPlatformApi?.id].join();
}

/**
 * Logs a refusal and sends the response.
 *
 * @throws NodeOperationError for a test event, because the editor shows this error
 */
function refuse(
	context: IWebhookFunctions,
	response: WebhookResponse,
	error: Error,
): IWebhookResponseData {
	const { message } = error;
	const rejection = error instanceof WebhookRejected ? error : undefined;
	const reason = rejection?.reason ?? 'not-ready';
	const status = statusOf(rejection);
	const details = { ok: false, error: reason, message };
	if (isTest(context)) {
		respondOnThrow(response, status, details);
		throw new NodeOperationError(context.getNode(), message);
	}
	logRefusal(context, reason, message);
	if (!rejection) return respond(response, status, tryAgainLater);
	return respond(response, status, rejection.isAuthentic ? details : refused);
}

function statusOf(rejection: WebhookRejected | undefined): number {
	if (!rejection) return 503;
	if (rejection.reason === 'too-large') return 413;
	return rejection.isAuthentic ? 400 : 401;
}
