import { NodeOperationError, type IHookFunctions, type IWebhookFunctions } from 'n8n-workflow';
import { matchingIds } from '../platform/accounts';
import { verifyDelivery, WebhookRejected, type VerifiedEvent } from './recipes';
import type { ReceivedDelivery } from './recipes/verifySignature';
import { explainRefusal } from './recipes/finder';
import type { WebhookSettings } from './webhookCredential';
import { readParameters, type TriggerParameters } from './properties';
import { readWebhookCredential, withCachedSettings } from './webhookCredential';

type Headers = ReceivedDelivery['headers'];

/** The part of Express's request, extended by n8n, that the trigger uses. */
interface WebhookRequest {
	headers: Headers;
	contentType?: string;
	rawBody?: Buffer;
	readRawBody?(): Promise<void>;
}

/** A verified delivery, with the settings of the trigger that received it. */
export interface TriggerDelivery {
	events: VerifiedEvent[];
	headers: Headers;
	parameters: TriggerParameters;
	settings: WebhookSettings;
}

/**
 * Checks during activation whether the trigger can verify deliveries.
 *
 * @throws NodeOperationError, which prevents the activation of the workflow
 */
export async function assertReady(context: IHookFunctions): Promise<void> {
	try {
		readParameters(context);
		await readWebhookCredential(context);
	} catch (error) {
		throw new NodeOperationError(context.getNode(), (error as Error).message, {
			description:
				'Change it in the trigger or in its credential, then activate the workflow again.',
		});
	}
}

/** Whether the editor is listening for a test event. */
export const isTest = (context: IWebhookFunctions): boolean => context.getMode() === 'manual';

/**
 * Reads and verifies a request. For a test event, the refusal says what to change in the
 * credential. In production, the sender gets no such information.
 *
 * @param triggerKey identifies the trigger
 * @throws WebhookRejected, CredentialUnusable, or the error of `readParameters`
 */
export async function verify(
	context: IWebhookFunctions,
	triggerKey: string,
): Promise<TriggerDelivery> {
	const parameters = readParameters(context);
	const request = context.getRequestObject() as unknown as WebhookRequest;
	const { headers } = request;
	const rawBody = await readRawBody(request);
	const receivedWith = ({ appSecret, recipe }: WebhookSettings): ReceivedDelivery => ({
		headers,
		rawBody,
		appSecret,
		recipe: { ...recipe, toleranceSeconds: parameters.timeWindow },
		now: new Date(),
	});
	const verifyWith = (settings: WebhookSettings): TriggerDelivery => {
		const events = verifyDelivery(receivedWith(settings));
		// An expression may return the names of accounts instead of their IDs.
		const socialAccountIds = parameters.socialAccountIds.flatMap((given) =>
			matchingIds(settings.accounts, given),
		);
		return { events, headers, parameters: { ...parameters, socialAccountIds }, settings };
	};
	if (!isTest(context)) return await withCachedSettings(context, triggerKey, verifyWith);
	const settings = await readWebhookCredential(context);
	let refusal: unknown;
	try {
		return verifyWith(settings);
	} catch (error) {
		refusal = error;
	}
	if (!(refusal instanceof WebhookRejected)) throw refusal;
	const explanation = explainRefusal(receivedWith(settings), refusal);
	throw new WebhookRejected(refusal.reason, explanation);
}

/** Reads the bytes of the body. n8n does not read them for content types that it does not parse. */
async function readRawBody(request: WebhookRequest): Promise<Buffer> {
	// n8n splits a form with files into its parts, so the original bytes are no longer available.
	if (!request.contentType?.startsWith('multipart/')) {
		try {
			if (!request.rawBody) await request.readRawBody?.();
		} catch {
			// If the body is too large or incomplete, reading it fails, and it is refused below.
		}
		if (request.rawBody) return request.rawBody;
	}
	throw new WebhookRejected(
		'no-body',
		'The body cannot be verified, because it is a form with files, too large, or cut off.',
	);
}
