import { NodeOperationError, type IHookFunctions, type IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { matchingIds } from '../platform/accounts';
import { postStatuses } from './signature/event';
import {
	verifyDelivery,
	WebhookRejected,
	type ReceivedDelivery,
	type VerifiedEvent,
} from './signature';
import { explainRefusal } from './signature/finder';
import { cachedSettings, readWebhookCredential, type WebhookSettings } from './credential';

export const ALL_STATUSES = '*';

export const ACCOUNTS = 'Accounts';

const bounded = (label: string, unit: string, least: number, most: number) => {
	const message = `'${label}' is not a number of ${unit} from ${least} to ${most}`;
	return z.number(message).min(least, message).max(most, message);
};

const schema = z.lazy(() =>
	z.object({
		events: z
			.array(
				z.enum([ALL_STATUSES, ...postStatuses], "'Events' contains a status that is not listed"),
			)
			.min(1, "'Events' is empty, so nothing would start the workflow; choose at least one status"),
		socialAccountIds: z
			.array(
				z
					.union(
						// A number that has lost some of its digits would exclude all events.
						[z.string(), z.int()],
						`'${ACCOUNTS}' contains something that is not an ID; enter long numbers as text`,
					)
					.transform((id) => String(id).trim()),
				`'${ACCOUNTS}' is not a list of IDs`,
			)
			.transform((ids) => ids.filter((id) => id !== '')),
		timeWindow: bounded('Time Window (Seconds)', 'seconds', 1, 86_400).default(300),
		duplicateWindow: bounded('Duplicate Window (Hours)', 'hours', 0, 168).default(24),
		includeHeaders: z.boolean().default(false),
	}),
);

export type TriggerParameters = z.infer<typeof schema>;

/** The part of Express's request, extended by n8n, that the trigger uses. */
interface WebhookRequest {
	headers: ReceivedDelivery['headers'];
	contentType?: string;
	rawBody?: Buffer;
	readRawBody?(): Promise<void>;
}

/** A verified delivery, with the settings of the trigger that received it. */
export interface TriggerDelivery {
	events: VerifiedEvent[];
	headers: ReceivedDelivery['headers'];
	parameters: TriggerParameters;
	settings: WebhookSettings;
}

/**
 * Checks during activation whether the trigger can verify deliveries.
 *
 * @throws NodeOperationError, which prevents the activation of the workflow
 */
export async function assertReady(context: IHookFunctions) {
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
export const isTest = (context: IWebhookFunctions) => context.getMode() === 'manual';

/**
 * Reads and verifies a request. For a test event, the refusal says what to change in the
 * credential. In production, the sender gets no such information. A refused delivery is verified
 * again with newer settings, so that a changed secret takes effect immediately.
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
	const settings = isTest(context)
		? await readWebhookCredential(context)
		: await cachedSettings(context, triggerKey, false);
	let refusal: unknown;
	try {
		return verifyWith(settings);
	} catch (error) {
		refusal = error;
	}
	if (!(refusal instanceof WebhookRejected) || refusal.isAuthentic) throw refusal;
	if (isTest(context)) {
		throw new WebhookRejected(refusal.reason, explainRefusal(receivedWith(settings), refusal));
	}
	const newer = await cachedSettings(context, triggerKey, true);
	if (newer === settings) throw refusal;
	return verifyWith(newer);
}

/**
 * Reads and checks the parameters of the trigger.
 *
 * @throws Error with a sentence for each invalid parameter
 */
function readParameters(context: IHookFunctions | IWebhookFunctions): TriggerParameters {
	const parsed = schema.safeParse({
		events: context.getNodeParameter('events'),
		socialAccountIds: context.getNodeParameter('socialAccountIds'),
		...(context.getNodeParameter('options', {}) as object),
	});
	if (parsed.success) return parsed.data;
	const messages = new Set(parsed.error.issues.map(({ message }) => message));
	throw new Error(`${[...messages].join('. ')}.`);
}

/** Reads the bytes of the body. n8n does not read them for content types that it does not parse. */
async function readRawBody(request: WebhookRequest) {
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
