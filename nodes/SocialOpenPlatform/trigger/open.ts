import type { IWebhookFunctions } from 'n8n-workflow';
import { explainRefusal } from '../protocol/recipeFinder';
import { openDelivery, WebhookRejected, type Delivery, type Received } from '../protocol/webhook';
import { WebhookBody } from '../protocol/webhookBody';
import type { WebhookSettings } from '../protocol/webhookSettings';
import { readParameters, type TriggerParameters } from './parameters';
import { readRequest, type RawRequest } from './request';
import { readCredential, withSettings } from './settings';

/** A delivery that is authentic, and what to make of it. */
export interface Opened extends Delivery {
	request: RawRequest;
	parameters: TriggerParameters;
	settings: WebhookSettings;
}

/** Whether an editor listens for a test event. */
export const isTest = (context: IWebhookFunctions): boolean => context.getMode() === 'manual';

/** Tells a trigger from others, also from itself with another credential. */
export function placeOf(context: IWebhookFunctions): string {
	const { id, credentials } = context.getNode();
	return [context.getWorkflow().id, id, credentials?.socialOpenPlatformApi?.id].join();
}

/**
 * Reads a request and verifies it. While the editor listens, a refusal says what to set where; in
 * production the sender gets no such help.
 *
 * @throws WebhookRejected, and whatever keeps the trigger from judging at all
 */
export async function open(context: IWebhookFunctions): Promise<Opened> {
	const parameters = readParameters(context);
	const request = await readRequest(context);
	const rawBody = bytesOf(request);
	// Parsed once, though it may be judged by several readings of the credential.
	const body = new WebhookBody(rawBody);
	const receivedBy = ({ appSecret, recipe }: WebhookSettings): Received => {
		const own = { ...recipe, toleranceSeconds: parameters.timeWindow };
		return { headers: request.headers, rawBody, appSecret, recipe: own, now: new Date() };
	};
	const judge = (settings: WebhookSettings): Opened => {
		return { ...openDelivery(receivedBy(settings), body), request, parameters, settings };
	};
	if (!isTest(context)) return await withSettings(context, placeOf(context), judge);
	const settings = await readCredential(context);
	try {
		return judge(settings);
	} catch (error) {
		throw explained(error, (rejection) => explainRefusal(receivedBy(settings), rejection, body));
	}
}

function explained(error: unknown, explain: (rejection: WebhookRejected) => string): unknown {
	if (!(error instanceof WebhookRejected)) return error;
	return new WebhookRejected(error.reason, explain(error));
}

function bytesOf({ rawBody }: RawRequest): Buffer {
	if (rawBody !== undefined) return rawBody;
	throw new WebhookRejected(
		'no-body',
		'The body cannot be verified: it is a form with files, too large, or cut off.',
	);
}
