import { NodeOperationError, type IHookFunctions, type IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { readAccounts } from '../platform/accounts';
import { secretsIn } from '../platform/redact';
import { CredentialUnusable, HEADER_NAME, parseCredential } from '../platform/settings';
import { readTriggerParameters } from './parameters';
import { explainRefusal } from './signature/finder';
import {
	customDefaults,
	digestLabels,
	keyFormLabels,
	keysOf,
	recipeLabels,
	recipes,
	type SignatureRecipe,
} from './signature/methods';
import {
	recipeIssue,
	verifyDelivery,
	WebhookRejected,
	type ReceivedDelivery,
} from './signature/verify';

const SETTINGS_TTL_MS = 30_000;

/**
 * Minimum milliseconds between reads of the credential that refused deliveries cause. Anyone can
 * send deliveries that are refused.
 */
const MIN_REREAD_MS = 1_000;

const headerName = (label: string) =>
	z.string().trim().regex(HEADER_NAME, `'${label}' is not the name of an HTTP header`);

/** The trigger uses only these fields of the credential. */
const credentialSchema = z.lazy(() =>
	z.object({
		appSecret: z.string("'App Secret' is empty or not text"),
		accessToken: z.string().default(''),
		accounts: z.unknown(),
		signatureRecipe: z
			.enum(keysOf(recipeLabels), "'Webhook Signature Method' is not one of the listed values")
			.default('body'),
		signatureDigest: z.enum(keysOf(digestLabels), "'Digest' is not one of the listed values"),
		signatureKeyed: z.boolean("'Keyed' is neither on nor off"),
		signatureKeyForm: z.enum(
			keysOf(keyFormLabels),
			"'App Secret Form' is not one of the listed values",
		),
		signedContent: z.string("'Signed Content' is not text"),
		signatureHeader: headerName('Signature Header'),
		timestampHeader: headerName('Timestamp Header'),
		webhookIdHeader: headerName('ID Header'),
		nonceHeader: headerName('Nonce Header'),
	}),
);

type WebhookSettings = ReturnType<typeof readWebhookSettings>;

/** The settings of each trigger that has received a delivery. */
const cache = new Map<
	string,
	{
		/** The read may still be in progress. */
		settings: Promise<WebhookSettings>;
		readAt: number;
		/** Whether the settings were read because of a refused delivery. */
		isReread: boolean;
	}
>();

/** n8n extends Express's request. The trigger uses only this part of it. */
interface WebhookRequest {
	headers: ReceivedDelivery['headers'];
	contentType?: string;
	rawBody?: Buffer;
	readRawBody?(): Promise<void>;
}

/** A verified delivery, with the parameters and settings of the trigger that received it. */
export type TriggerDelivery = Awaited<ReturnType<typeof readDelivery>>;

/**
 * Checks during activation whether the trigger can verify deliveries.
 *
 * @throws NodeOperationError, which prevents the activation of the workflow
 */
export async function assertReady(context: IHookFunctions) {
	try {
		readTriggerParameters(context);
		await readWebhookCredential(context);
	} catch (error) {
		throw new NodeOperationError(context.getNode(), (error as Error).message, {
			description:
				'Change it in the trigger or in its credential, then activate the workflow again.',
		});
	}
}

/**
 * Reads and verifies a request. If a test event is refused, the error says what to change in the
 * credential. In production, a refused delivery is verified again if the secret or the signature
 * method has changed, so that a change takes effect within a second.
 *
 * @param triggerKey identifies the trigger
 * @param isTest whether the editor is listening for a test event
 * @throws WebhookRejected, CredentialUnusable, or the error of `readTriggerParameters`
 */
export async function readDelivery(
	context: IWebhookFunctions,
	triggerKey: string,
	isTest: boolean,
) {
	const parameters = readTriggerParameters(context);
	const request = context.getRequestObject() as unknown as WebhookRequest;
	const rawBody = await readRawBody(request);
	const deliveryWith = (settings: WebhookSettings) => ({
		...settings,
		headers: request.headers,
		rawBody,
		recipe: { ...settings.recipe, toleranceSeconds: parameters.timeWindow },
		now: new Date(),
		parameters,
	});
	const delivery = deliveryWith(
		isTest
			? await readWebhookCredential(context)
			: await cachedSettings(context, triggerKey, false),
	);
	let refusal: unknown;
	try {
		return { ...delivery, events: verifyDelivery(delivery) };
	} catch (error) {
		refusal = error;
	}
	if (!(refusal instanceof WebhookRejected) || refusal.status !== 401) throw refusal;
	const { reason, message } = refusal;
	if (isTest) throw new WebhookRejected(reason, explainRefusal(delivery, message));
	const newer = deliveryWith(await cachedSettings(context, triggerKey, true));
	const signing = ({ appSecret, recipe }: ReceivedDelivery) => JSON.stringify([appSecret, recipe]);
	if (signing(newer) === signing(delivery)) throw refusal;
	return { ...newer, events: verifyDelivery(newer) };
}

/**
 * Returns the settings of a trigger. They are cached, because n8n needs longer to read the
 * credential than for the rest of a delivery. A failed read is not cached.
 *
 * @param isReread whether a delivery was refused with cached settings
 * @throws the error of `readWebhookCredential`
 */
async function cachedSettings(context: IWebhookFunctions, triggerKey: string, isReread: boolean) {
	const known = cache.get(triggerKey);
	const maxAgeMs = isReread ? MIN_REREAD_MS : SETTINGS_TTL_MS;
	const mayUse = known && (!isReread || known.isReread);
	// The clock may have been set back.
	if (mayUse && Math.abs(Date.now() - known.readAt) < maxAgeMs) return await known.settings;
	const settings = readWebhookCredential(context);
	cache.set(triggerKey, { settings, readAt: Date.now(), isReread });
	settings.catch(() => cache.delete(triggerKey));
	return await settings;
}

/**
 * Reads the settings from the credential.
 *
 * @throws CredentialUnusable, or n8n's error if there is no credential
 */
async function readWebhookCredential(context: IHookFunctions | IWebhookFunctions) {
	return readWebhookSettings(await context.getCredentials('socialOpenPlatformApi'));
}

/**
 * Reads only the fields that the trigger needs from the decrypted credential, so that an invalid
 * Base URL does not prevent a trigger from working.
 *
 * @throws CredentialUnusable if the secret is empty, or the signature method does not protect
 * webhooks
 */
export function readWebhookSettings(data: Record<string, unknown>) {
	// n8n leaves out fields that the credential hides, so these fields have their default values.
	const {
		appSecret,
		accessToken,
		accounts,
		signatureRecipe,
		signatureDigest: digest,
		signatureKeyed: keyed,
		signatureKeyForm: key,
		signedContent,
		webhookIdHeader: idHeader,
		...headers
	} = parseCredential(credentialSchema, { ...customDefaults, ...data });
	// *Signed Content* is a field with a single line, so a line break is entered as `\n`.
	const template = signedContent.replaceAll('\\n', '\n');
	const own = { ...recipes.body, digest, keyed, key, template, idHeader, ...headers };
	const recipe: SignatureRecipe = signatureRecipe === 'custom' ? own : recipes[signatureRecipe];
	const issue = recipeIssue(recipe, appSecret);
	if (issue) throw new CredentialUnusable(issue);
	return {
		appSecret,
		recipe,
		// An invalid row of *Accounts* does not stop the trigger, which uses only the names of accounts.
		accounts: readAccounts(accounts).accounts,
		/** These texts must not appear in an output. */
		secrets: secretsIn(appSecret, accessToken),
	};
}

/** Reads the bytes of the body. n8n does not read them for content types that it does not parse. */
async function readRawBody(request: WebhookRequest) {
	// n8n splits a form with files into its parts, so the original bytes are no longer available.
	if (!request.contentType?.startsWith('multipart/')) {
		// If the body is too large or incomplete, reading it fails, and the delivery is refused below.
		if (!request.rawBody) await request.readRawBody?.().catch(() => {});
		if (request.rawBody) return request.rawBody;
	}
	throw new WebhookRejected(
		'no-body',
		'The body cannot be verified, because it is a form with files, too large, or cut off.',
	);
}
