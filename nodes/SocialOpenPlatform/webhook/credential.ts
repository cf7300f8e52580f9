import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { readAccounts, type Accounts } from '../platform/accounts';
import { putNewest } from '../platform/bounded';
import { secretsIn } from '../platform/redact';
import { CredentialUnusable, HEADER_NAME, parseCredential } from '../platform/settings';
import {
	customDefaults,
	digestLabels,
	keyFormLabels,
	recipeLabels,
	recipes,
	type SignatureRecipe,
} from './signature/methods';
import { recipeIssue } from './signature/verify';

const SETTINGS_TTL_MS = 30_000;

/** Refused deliveries cause at most one read in this time, because anyone can forge deliveries. */
const MIN_REREAD_MS = 1_000;

/** The settings of at most this many triggers are kept. The oldest are dropped. */
const MAX_ENTRIES = 1_000;

const keysOf = <K extends string>(labels: Record<K, string>) => Object.keys(labels) as K[];

const headerName = (label: string) =>
	z.string().trim().regex(HEADER_NAME, `'${label}' is not the name of an HTTP header`);

const customSchema = z.lazy(() =>
	z
		.object({
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
		})
		.transform((own): SignatureRecipe => ({
			...recipes.body,
			digest: own.signatureDigest,
			keyed: own.signatureKeyed,
			key: own.signatureKeyForm,
			// The field has a single line, so a line break is entered as `\n`.
			template: own.signedContent.replaceAll('\\n', '\n'),
			signatureHeader: own.signatureHeader,
			timestampHeader: own.timestampHeader,
			idHeader: own.webhookIdHeader,
			nonceHeader: own.nonceHeader,
		})),
);

const schema = z.lazy(() =>
	z.looseObject({
		appSecret: z
			.string("'App Secret' is empty or not text")
			.refine((secret) => secret.trim() !== '', "'App Secret' is empty"),
		accessToken: z.string().default(''),
		signatureRecipe: z
			.enum(keysOf(recipeLabels), "'Webhook Signature Method' is not one of the listed values")
			.default('body'),
	}),
);

/** The fields of the credential that the trigger uses. */
export interface WebhookSettings {
	appSecret: string;
	recipe: SignatureRecipe;
	accounts: Accounts;
	/** These texts must not appear in an output. */
	secrets: string[];
}

interface Entry {
	/** The read may still be in progress. */
	settings: Promise<WebhookSettings>;
	readAt: number;
	/** Whether the settings were read because of a refused delivery. */
	isReread: boolean;
}

const entries = new Map<string, Entry>();

/**
 * Returns cached settings, or reads them, because for n8n, reading the credential takes longer than
 * the rest of a delivery. A failed read is not kept.
 *
 * @param triggerKey identifies the trigger
 * @param isReread whether a delivery was refused with cached settings
 * @throws the error of `readWebhookCredential`
 */
export async function cachedSettings(
	context: IWebhookFunctions,
	triggerKey: string,
	isReread: boolean,
): Promise<WebhookSettings> {
	const known = entries.get(triggerKey);
	if (known) {
		// The clock may have been set back.
		const age = Math.abs(Date.now() - known.readAt);
		const isFresh = isReread ? known.isReread && age < MIN_REREAD_MS : age < SETTINGS_TTL_MS;
		if (isFresh) return await known.settings;
	}
	const settings = readWebhookCredential(context);
	const entry: Entry = { settings, readAt: Date.now(), isReread };
	putNewest(entries, triggerKey, entry, MAX_ENTRIES);
	settings.catch(() => {
		if (entries.get(triggerKey) === entry) entries.delete(triggerKey);
	});
	return await settings;
}

/**
 * Reads the settings from the credential.
 *
 * @throws CredentialUnusable, or n8n's error if there is no credential
 */
export async function readWebhookCredential(
	context: IHookFunctions | IWebhookFunctions,
): Promise<WebhookSettings> {
	return readWebhookSettings(await context.getCredentials('socialOpenPlatformApi'));
}

/**
 * Reads only the fields that the trigger needs from the decrypted credential, so that an invalid
 * Base URL does not prevent a trigger from working.
 *
 * @throws CredentialUnusable if the secret is empty, or the signature method does not protect
 * webhooks
 */
export function readWebhookSettings(data: Record<string, unknown>): WebhookSettings {
	const { appSecret, accessToken, signatureRecipe } = parseCredential(schema, data);
	const recipe =
		signatureRecipe === 'custom'
			? // n8n leaves out the fields that it hides.
				parseCredential(customSchema, { ...customDefaults, ...data })
			: recipes[signatureRecipe];
	const issue = recipeIssue(recipe, appSecret);
	if (issue !== undefined) throw new CredentialUnusable(issue);
	// A row that cannot be used does not stop the trigger, which needs only the names.
	const { accounts } = readAccounts(data.accounts);
	return { appSecret, recipe, accounts, secrets: secretsIn(appSecret, accessToken) };
}
