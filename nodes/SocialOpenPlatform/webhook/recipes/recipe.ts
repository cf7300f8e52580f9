/**
 * How a webhook is signed. The platform's interface does not show it (contract, "The webhook
 * signature"). The encoding of the digest is detected, so it is not part of the recipe.
 */
export interface SignatureRecipe {
	digest: 'sha256' | 'sha512' | 'sha1' | 'md5';
	/** Whether the signature is an HMAC with the App Secret as its key, or a plain digest. */
	keyed: boolean;
	/** Whether the key is the text of the App Secret, or the bytes that it encodes in base64. */
	key: 'utf8' | 'base64';
	/** What is signed, with the placeholders `{body} {timestamp} {id} {nonce} {secret} {fields}`. */
	template: string;
	/** How far a signed timestamp may be from the current time, in seconds and in both directions. */
	toleranceSeconds: number;
	signatureHeader: string;
	timestampHeader: string;
	idHeader: string;
	nonceHeader: string;
}

const placeholders = ['body', 'timestamp', 'id', 'nonce', 'secret', 'fields'] as const;
export type Placeholder = (typeof placeholders)[number];

const PLACEHOLDERS = /\{\w+\}/g;

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The prefix of secrets in Standard Webhooks. It is not part of the key itself. */
const SECRET_PREFIX = /^whsec_/;

const body: SignatureRecipe = {
	digest: 'sha256',
	keyed: true,
	key: 'utf8',
	template: '{body}',
	toleranceSeconds: 300,
	// The name of the signature header. The platform's interface shows no other header ("Events").
	signatureHeader: 'X-Webhook-Signature',
	timestampHeader: 'X-Webhook-Timestamp',
	idHeader: 'X-Webhook-Id',
	nonceHeader: 'X-Webhook-Nonce',
};

/** The preset recipes, most likely first (contract, "Assumed, and how likely"). */
export const recipes = {
	body,
	timestampBody: { ...body, template: '{timestamp}.{body}' },
	/** The method of https://www.standardwebhooks.com, with the platform's header names. */
	standardWebhooks: { ...body, key: 'base64', template: '{id}.{timestamp}.{body}' },
	bodySha512: { ...body, digest: 'sha512' },
	/** Signs the fields of the payload as the token request is signed. */
	sortedFields: { ...body, digest: 'md5', keyed: false, template: '{fields}' },
} as const satisfies Record<string, SignatureRecipe>;

/** Whether a recipe signs the value of a placeholder. */
export const signs = ({ template }: SignatureRecipe, name: Placeholder): boolean =>
	template.includes(`{${name}}`);

/**
 * The bytes of the key of a recipe's HMAC.
 *
 * @returns undefined if the App Secret is not encoded as the recipe requires
 */
export function keyBytes({ key, keyed }: SignatureRecipe, appSecret: string): Buffer | undefined {
	if (key === 'utf8' || !keyed) {
		return appSecret.isWellFormed() ? Buffer.from(appSecret, 'utf8') : undefined;
	}
	const text = appSecret.replace(SECRET_PREFIX, '');
	return BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/**
 * Why a recipe does not protect webhooks, as sentences; undefined if it does. A signature must
 * cover the body: otherwise, anyone who has seen a signature could send another body with it. It
 * must involve the secret: otherwise, anyone could sign.
 */
export function recipeProblem(recipe: SignatureRecipe, appSecret: string): string | undefined {
	const unknown = recipe.template
		.match(PLACEHOLDERS)
		?.find((found) => !placeholders.some((name) => found === `{${name}}`));
	if (unknown) return `'Signed Content' cannot be read: ${unknown} is not a placeholder.`;
	if (!signs(recipe, 'body') && !signs(recipe, 'fields')) {
		return "'Signed Content' contains neither {body} nor {fields}, so the signature does not cover the body, and anyone who has seen one delivery could send others. Add one of them.";
	}
	if (!recipe.keyed && !signs(recipe, 'secret') && !signs(recipe, 'fields')) {
		return "The signature does not involve the App Secret, so anyone could create a valid signature. Turn on 'Keyed', or add {secret} to 'Signed Content'.";
	}
	if (keyBytes(recipe, appSecret)?.length) return undefined;
	return recipe.keyed && recipe.key === 'base64'
		? 'The signature method requires the App Secret in base64, but it is not base64. Check the App Secret, or choose another method.'
		: "'App Secret' contains an incomplete character (a lone surrogate); copy it again.";
}

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
