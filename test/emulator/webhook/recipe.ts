/**
 * The signature recipe of a webhook (contract, The webhook signature). The template may contain `{body}`,
 * `{timestamp}`, `{id}`, `{nonce}`, `{secret}` and `{fields}`.
 */
export interface WebhookRecipe {
	digest: 'sha256' | 'sha512' | 'sha1' | 'md5';
	/** Whether the digest is an HMAC with the secret as its key. */
	keyed: boolean;
	/** The encoding of the secret. */
	key: 'utf8' | 'base64';
	template: string;
	signatureHeader: string;
	timestampHeader: string;
	idHeader: string;
	nonceHeader: string;
	/**
	 * The text form of the digest: `hex`, `HEX`, `base64`, `base64url`, `prefixed` (`sha256=<hex>`), or a
	 * template such as `t={timestamp},v1={hex}`.
	 */
	text: string;
}

const BODY: WebhookRecipe = {
	digest: 'sha256',
	keyed: true,
	key: 'utf8',
	template: '{body}',
	signatureHeader: 'X-Webhook-Signature',
	timestampHeader: 'X-Webhook-Timestamp',
	idHeader: 'X-Webhook-Id',
	nonceHeader: 'X-Webhook-Nonce',
	text: 'hex',
};

/** The recipes by name. The platform most likely uses `body` (contract, Assumed). */
export const RECIPES = {
	body: BODY,
	timestampBody: { ...BODY, template: '{timestamp}.{body}' },
	standardWebhooks: {
		...BODY,
		key: 'base64',
		template: '{id}.{timestamp}.{body}',
		text: 'v1,{base64}',
	},
	bodySha512: { ...BODY, digest: 'sha512' },
	sortedFields: { ...BODY, digest: 'md5', keyed: false, template: '{fields}' },
} as const satisfies Record<string, WebhookRecipe>;

export type RecipeName = keyof typeof RECIPES;

/** The name of a preset, or fields that replace those of a preset, by default those of `body`. */
export type RecipeChoice = RecipeName | (Partial<WebhookRecipe> & { preset?: RecipeName });

/** Returns the recipe of a choice. Throws a TypeError for an unknown name. */
export function recipeOf(choice: RecipeChoice = 'body'): WebhookRecipe {
	const { preset = 'body', ...fields } = typeof choice === 'string' ? { preset: choice } : choice;
	if (!Object.hasOwn(RECIPES, preset)) {
		throw new TypeError(
			`No such recipe: '${preset}'. There are ${Object.keys(RECIPES).join(', ')}`,
		);
	}
	return { ...RECIPES[preset], ...fields };
}
