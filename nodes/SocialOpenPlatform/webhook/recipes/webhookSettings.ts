import { z } from 'zod/v4';
import { readAccounts, type Accounts } from '../../platform/accounts';
import { secretsIn } from '../../platform/redact';
import { CredentialUnusable, HEADER_NAME, parseCredential } from '../../platform/settings';
import { recipeProblem, recipes, type SignatureRecipe } from './recipe';

/** The labels of the signature methods in the credential. */
export const recipeLabels = {
	body: 'Body',
	timestampBody: 'Timestamp and Body',
	standardWebhooks: 'Standard Webhooks',
	bodySha512: 'Body SHA-512',
	sortedFields: 'Sorted Fields',
	custom: 'Custom',
} satisfies Record<keyof typeof recipes | 'custom', string>;
export type RecipeName = keyof typeof recipeLabels;

export const digestLabels = { sha256: 'SHA-256', sha512: 'SHA-512', sha1: 'SHA-1', md5: 'MD5' };
export const keyFormLabels = { utf8: 'Text', base64: 'Base64' };

/** The default values of the fields for a custom signature method. */
export const customDefaults = {
	signatureDigest: recipes.body.digest,
	signatureKeyed: recipes.body.keyed,
	signatureKeyForm: recipes.body.key,
	signedContent: recipes.body.template,
	signatureHeader: recipes.body.signatureHeader,
	timestampHeader: recipes.body.timestampHeader,
	webhookIdHeader: recipes.body.idHeader,
	nonceHeader: recipes.body.nonceHeader,
};

const keysOf = <K extends string>(labels: Record<K, string>) => Object.keys(labels) as K[];

const headerName = (label: string) =>
	z.string().trim().regex(HEADER_NAME, `'${label}' is not the name of an HTTP header`);

const customSchema = z
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
		digest: own.signatureDigest,
		keyed: own.signatureKeyed,
		key: own.signatureKeyForm,
		// The field has a single line, so a line break is entered as `\n`.
		template: own.signedContent.replaceAll('\\n', '\n'),
		toleranceSeconds: recipes.body.toleranceSeconds,
		signatureHeader: own.signatureHeader,
		timestampHeader: own.timestampHeader,
		idHeader: own.webhookIdHeader,
		nonceHeader: own.nonceHeader,
	}));

const schema = z.looseObject({
	appSecret: z
		.string({ error: "'App Secret' is empty or not text" })
		.refine((secret) => secret.trim() !== '', "'App Secret' is empty"),
	accessToken: z.string().default(''),
	signatureRecipe: z
		.enum(keysOf(recipeLabels), "'Webhook Signature Method' is not one of the listed values")
		.default('body'),
});

/** The fields of the credential that the trigger uses. */
export interface WebhookSettings {
	appSecret: string;
	recipe: SignatureRecipe;
	accounts: Accounts;
	/** Texts that must not appear in an output. */
	secrets: string[];
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
	const problem = recipeProblem(recipe, appSecret);
	if (problem !== undefined) throw new CredentialUnusable(problem);
	// A row that cannot be used does not stop the trigger, which needs only the names.
	const { accounts } = readAccounts(data.accounts);
	return { appSecret, recipe, accounts, secrets: secretsIn(appSecret, accessToken) };
}
