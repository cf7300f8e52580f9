import { NodeOperationError, type IHookFunctions, type IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { secretsIn } from '../platform/json';
import {
	CredentialUnusable,
	HEADER_NAME,
	parseCredential,
	readAccounts,
} from '../platform/settings';
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
 * Minimum interval between rereads of the credential, in milliseconds. A refused delivery causes a
 * reread, and anyone can send such a delivery.
 */
const MIN_REREAD_MS = 1_000;

const headerName = (label: string) =>
	z.string().trim().regex(HEADER_NAME, `'${label}' is not the name of an HTTP header`);

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

/** Cached settings by trigger key. */
const cache = new Map<
	string,
	{
		/** A promise lets concurrent deliveries share one read. */
		settings: Promise<WebhookSettings>;
		readAt: number;
		/** Whether the settings were read because of a refused delivery. */
		isReread: boolean;
	}
>();

/** The parts of n8n's extended Express request that the trigger uses. */
interface WebhookRequest {
	headers: ReceivedDelivery['headers'];
	contentType?: string;
	rawBody?: Buffer;
	readRawBody?(): Promise<void>;
}

/** A verified delivery, with the parameters and settings of the trigger that received it. */
export type TriggerDelivery = Awaited<ReturnType<typeof readDelivery>>;

/**
 * Checks the trigger's parameters and credential before n8n registers the webhook.
 *
 * @throws NodeOperationError if a parameter or the credential cannot be used
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
 * Reads and verifies a delivery. If the signature of a test event is not valid, the error says what
 * to change or check. In production, such a delivery is verified again if the credential has a new
 * secret or signature method, so that a change takes effect within a second.
 *
 * @param triggerKey identifies the trigger and its credential
 * @param isTest whether the editor is listening for a test event
 * @throws WebhookRejected, CredentialUnusable, or an Error from `readTriggerParameters` or n8n
 */
export async function readDelivery(
	context: IWebhookFunctions,
	triggerKey: string,
	isTest: boolean,
) {
	const parameters = readTriggerParameters(context);
	const request = context.getRequestObject() as unknown as WebhookRequest;
	const rawBody = await readRawBody(request);
	const receivedWith = (settings: WebhookSettings) => ({
		...settings,
		headers: request.headers,
		rawBody,
		recipe: { ...settings.recipe, toleranceSeconds: parameters.timeWindow },
		now: new Date(),
		parameters,
	});
	const delivery = receivedWith(
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
	const newer = receivedWith(await cachedSettings(context, triggerKey, true));
	const signing = ({ appSecret, recipe }: ReceivedDelivery) => JSON.stringify([appSecret, recipe]);
	if (signing(newer) === signing(delivery)) throw refusal;
	return { ...newer, events: verifyDelivery(newer) };
}

/**
 * Returns a trigger's settings. They are cached, because n8n needs more time to read the credential
 * than for the rest of a delivery. A failed read is not cached.
 *
 * @param isReread whether a delivery was refused with cached settings
 * @throws CredentialUnusable, or an Error from n8n if it cannot read the credential
 */
async function cachedSettings(context: IWebhookFunctions, triggerKey: string, isReread: boolean) {
	const known = cache.get(triggerKey);
	const maxAgeMs = isReread ? MIN_REREAD_MS : SETTINGS_TTL_MS;
	const mayUse = known && (!isReread || known.isReread);
	// `Math.abs` lets settings expire even if the system clock was set back.
	if (mayUse && Math.abs(Date.now() - known.readAt) < maxAgeMs) return await known.settings;
	const settings = readWebhookCredential(context);
	cache.set(triggerKey, { settings, readAt: Date.now(), isReread });
	settings.catch(() => cache.delete(triggerKey));
	return await settings;
}

/** @throws CredentialUnusable, or an Error from n8n if it cannot read the credential */
async function readWebhookCredential(context: IHookFunctions | IWebhookFunctions) {
	return readWebhookSettings(await context.getCredentials('socialOpenPlatformApi'));
}

/**
 * Reads the fields that the trigger needs from the decrypted credential. Other fields are not
 * checked, so a trigger works even if the Base URL is invalid.
 *
 * @throws CredentialUnusable if a field is invalid, or if the signature method does not protect
 * webhooks
 */
export function readWebhookSettings(data: Record<string, unknown>) {
	// n8n omits the fields that the credential hides, so `customDefaults` supplies their values.
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
		...headerNames
	} = parseCredential(credentialSchema, { ...customDefaults, ...data });
	// *Signed Content* is a single-line field, so users enter a line break as `\n`.
	const template = signedContent.replaceAll('\\n', '\n');
	const custom = { ...recipes.body, digest, keyed, key, template, idHeader, ...headerNames };
	const recipe: SignatureRecipe = signatureRecipe === 'custom' ? custom : recipes[signatureRecipe];
	const issue = recipeIssue(recipe, appSecret);
	if (issue) throw new CredentialUnusable(issue);
	return {
		appSecret,
		recipe,
		// The trigger uses *Accounts* only to match IDs and names, so it can ignore invalid rows.
		accounts: readAccounts(accounts).accounts,
		/** The spellings of the secrets, which are redacted in the output. */
		secrets: secretsIn(appSecret, accessToken),
	};
}

/** Returns the body's bytes. n8n has not read them yet if it does not parse the content type. */
async function readRawBody(request: WebhookRequest) {
	// n8n splits a multipart form into its parts, so its original bytes are no longer available.
	if (!request.contentType?.startsWith('multipart/')) {
		// If the body is too large or incomplete, this read fails, and the delivery is refused below.
		if (!request.rawBody) await request.readRawBody?.().catch(() => {});
		if (request.rawBody) return request.rawBody;
	}
	throw new WebhookRejected(
		'no-body',
		'The body cannot be verified, because it is a form with files, too large, or cut off.',
	);
}
