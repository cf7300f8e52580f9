import {
	NodeOperationError,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { redact } from '../platform/redact';
import { isTest, verify, type TriggerDelivery } from './delivery';
import { claimEvents, type EndedResponse } from './duplicates';
import { filterOf } from './parameters';
import { logRefusal } from './refusalLog';
import type { VerifiedEvent } from './signature/event';
import type { SignatureRecipe } from './signature/methods';
import { WebhookRejected } from './signature/rejection';

/** The part of Express's response that the trigger uses. */
interface WebhookResponse extends EndedResponse {
	status(code: number): WebhookResponse;
	json(body: object): WebhookResponse;
}

const HOUR_MS = 3_600_000;

/** n8n cannot process the delivery at the moment, so the sender should send it again. */
const tryAgainLater = { ok: false, error: 'try-again-later' };

const ignored = { ok: true, result: 'ignored' };

/**
 * These headers identify, time or describe a delivery. Other headers are left out, because proxies
 * add headers, and some of these contain credentials.
 */
const OUTPUT_HEADER =
	/^(?:content-(?:length|type)|date|host|idempotency-key|traceparent|user-agent|(?:\w+-)*(?:(?:correlation|delivery|event|message|request|trace|webhook)-id|attempt|delivery|event|retry|timestamp|topic))$/;

const LOGIN_HEADER = /^(?:cookie|(?:proxy-)?authorization)$/;

/**
 * Handles one delivery. Its new and wanted events start a workflow. The status of the response is
 * 200, 401 for a refused delivery, 413 for a body that is too large, 400 for a signed body that is
 * not usable, or 503 if the sender should send the delivery again.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = context.getResponseObject() as unknown as WebhookResponse;
	const { id, credentials } = context.getNode();
	const triggerKey = [context.getWorkflow().id, id, credentials?.socialOpenPlatformApi?.id].join();
	let delivery: TriggerDelivery;
	try {
		delivery = await verify(context, triggerKey);
	} catch (error) {
		return refuse(context, response, error as Error);
	}
	const { parameters, settings } = delivery;
	const filter = filterOf(parameters, settings.accounts);
	const events = delivery.events.map((one) => ({ ...one, excludedBy: filter(one.event) }));
	const isIgnored = events.every(({ excludedBy }) => excludedBy);
	if (isTest(context) && isIgnored) showIgnored(context, response, events, settings.secrets);
	const windowMs = isTest(context) ? 0 : parameters.duplicateWindow * HOUR_MS;
	const claimed = claimEvents(triggerKey, events, windowMs, response);
	if (claimed === 'busy') {
		response.status(503).json(tryAgainLater);
		return { noWebhookResponse: true };
	}
	if (isIgnored) return { webhookResponse: ignored };
	if (claimed.length === 0) return { webhookResponse: { ok: true, result: 'duplicate' } };
	return {
		webhookResponse: { ok: true, result: 'accepted', events: claimed.length },
		workflowData: [toItems(claimed, delivery)],
	};
}

/**
 * Creates an output item for each event. Secrets are redacted, because the platform may have
 * repeated them.
 */
function toItems(events: VerifiedEvent[], { headers, parameters, settings }: TriggerDelivery) {
	const { accounts, secrets, recipe } = settings;
	const added = parameters.includeHeaders && { headers: outputHeaders(headers, recipe) };
	return events.map(({ event: { payload, ...event } }) => {
		const name = accounts.get(event.social_account_id?.trim() ?? '');
		const named = name !== undefined && { social_account_name: name };
		return { json: redact({ ...event, ...named, payload, ...added }, secrets) };
	});
}

/** Selects the headers to output: the safe ones, and those that the signature method uses. */
function outputHeaders(headers: TriggerDelivery['headers'], recipe: SignatureRecipe) {
	const { signatureHeader, timestampHeader, idHeader, nonceHeader } = recipe;
	const used = [signatureHeader, timestampHeader, idHeader, nonceHeader].map((name) =>
		name.toLowerCase(),
	);
	return Object.fromEntries(
		Object.entries(headers).filter(
			([name]) => OUTPUT_HEADER.test(name) || (used.includes(name) && !LOGIN_HEADER.test(name)),
		),
	);
}

/**
 * Shows in the editor that a test event arrived and why it does not start the workflow. Without an
 * error, the editor would show nothing and continue to wait.
 */
function showIgnored(
	context: IWebhookFunctions,
	response: WebhookResponse,
	events: Array<{ excludedBy?: string }>,
	secrets: string[],
): never {
	respondOnThrow(response, 200, ignored);
	const [first] = events;
	if (!first) {
		throw new NodeOperationError(context.getNode(), 'A delivery arrived that contains no events');
	}
	const counted =
		events.length > 1
			? `${events.length} events were filtered out. The first`
			: 'The event was filtered out';
	const reason = redact(first.excludedBy, secrets);
	throw new NodeOperationError(context.getNode(), `${counted}: ${reason}`, {
		description:
			'Its signature is valid, but the published workflow will ignore such an event, too. Change the field that is named above, or let the trigger listen again and wait for another event.',
	});
}

/**
 * Logs a refusal and sends the response. A sender without a valid signature does not learn the
 * reason, which is only in n8n's log.
 *
 * @throws NodeOperationError for a test event, because the editor shows this error
 */
function refuse(context: IWebhookFunctions, response: WebhookResponse, error: Error) {
	const { message } = error;
	const rejection = error instanceof WebhookRejected ? error : undefined;
	const reason = rejection?.reason ?? 'not-ready';
	// An error of n8n may name a server of its network, so the sender does not receive it.
	const details = rejection ? { ok: false, error: reason, message } : tryAgainLater;
	const code = rejection?.reason === 'too-large' ? 413 : 401;
	const status = rejection ? (rejection.isAuthentic ? 400 : code) : 503;
	if (isTest(context)) {
		respondOnThrow(response, status, details);
		throw new NodeOperationError(context.getNode(), message);
	}
	logRefusal(context, reason, message);
	const isForged = rejection?.isAuthentic === false;
	response.status(status).json(isForged ? { ok: false, error: 'refused' } : details);
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
