import {
	NodeOperationError,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { redact } from '../platform/redact';
import { WebhookRejected } from './signature';
import { claimEvents, type EndedResponse } from './duplicates';
import { filterReason, toItems } from './output';
import { logRefusal } from './refusalLog';
import { isTest, verify, type TriggerDelivery } from './delivery';

/** The part of Express's response that the trigger uses. */
interface WebhookResponse extends EndedResponse {
	status(code: number): WebhookResponse;
	json(body: object): WebhookResponse;
}

const HOUR_MS = 3_600_000;

/** n8n cannot process the delivery at the moment, so the sender should send it again. */
const tryAgainLater = { ok: false, error: 'try-again-later' };

const ignored = { ok: true, result: 'ignored' };

/** A sender without a valid signature does not learn the reason, which is only in n8n's log. */
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
	const { events, parameters } = delivery;
	const all = events.map((one) => ({
		...one,
		isWanted: filterReason(one.event, parameters) === undefined,
	}));
	const wanted = all.filter(({ isWanted }) => isWanted);
	if (isTest(context) && wanted.length === 0) showFiltered(context, response, delivery);
	const windowMs = isTest(context) ? 0 : parameters.duplicateWindow * HOUR_MS;
	const claimed = await claimEvents(triggerKey, all, windowMs, response);
	if (claimed === 'busy') return respond(response, 503, tryAgainLater);
	if (wanted.length === 0) return { webhookResponse: ignored };
	if (claimed.length === 0) return { webhookResponse: { ok: true, result: 'duplicate' } };
	return {
		webhookResponse: { ok: true, result: 'accepted', events: claimed.length },
		workflowData: [toItems(claimed, delivery)],
	};
}

/** Identifies a trigger by its workflow, its node and its credential. */
function triggerKeyOf(context: IWebhookFunctions) {
	const { id, credentials } = context.getNode();
	return [context.getWorkflow().id, id, credentials?.socialOpenPlatformApi?.id].join();
}

/**
 * Shows in the editor that a test event arrived and why it does not start the workflow. Without an
 * error, the editor would show nothing and continue to wait.
 */
function showFiltered(
	context: IWebhookFunctions,
	response: WebhookResponse,
	delivery: TriggerDelivery,
): never {
	const { events, parameters, settings } = delivery;
	respondOnThrow(response, 200, ignored);
	if (!events[0]) {
		throw new NodeOperationError(context.getNode(), 'A delivery arrived that contains no events');
	}
	const counted =
		events.length > 1
			? `${events.length} events were filtered out. The first`
			: 'The event was filtered out';
	const reason = redact(filterReason(events[0].event, parameters) ?? '', settings.secrets);
	throw new NodeOperationError(context.getNode(), `${counted}: ${reason}`, {
		description:
			'Its signature is valid, but the published workflow will ignore such an event, too. Change the field that is named above, or let the trigger listen again and wait for another event.',
	});
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
	// An error of n8n may name a server of its network, so the sender does not receive it.
	const details = rejection ? { ok: false, error: reason, message } : tryAgainLater;
	if (isTest(context)) {
		respondOnThrow(response, status, details);
		throw new NodeOperationError(context.getNode(), message);
	}
	logRefusal(context, reason, message);
	const isRefused = rejection && !rejection.isAuthentic;
	return respond(response, status, isRefused ? refused : details);
}

function statusOf(rejection: WebhookRejected | undefined): number {
	if (!rejection) return 503;
	if (rejection.reason === 'too-large') return 413;
	return rejection.isAuthentic ? 400 : 401;
}

/** Sends a response without starting an execution. */
function respond(response: WebhookResponse, status: number, body: object): IWebhookResponseData {
	response.status(status).json(body);
	return { noWebhookResponse: true };
}

/**
 * Sets the response that n8n sends if the trigger throws an error. Without it, n8n would respond
 * with status 500 and a body of its own.
 */
function respondOnThrow(response: WebhookResponse, status: number, body: object) {
	const setStatus = response.status.bind(response);
	const json = response.json.bind(response);
	response.status = () => setStatus(status);
	response.json = () => json(body);
}
