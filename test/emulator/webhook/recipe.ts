/**
 * How a webhook is signed, as data (contract, The webhook signature). The template is over
 * `{body} {timestamp} {id} {nonce} {secret} {fields}`.
 */
export interface WebhookRecipe {
	digest: 'sha256' | 'sha512' | 'sha1' | 'md5';
	/** HMAC keyed with the secret, or a plain digest. */
	keyed: boolean;
	/** How the secret becomes the key's bytes. */
	key: 'utf8' | 'base64';
	template: string;
	signatureHeader: string;
	timestampHeader: string;
	idHeader: string;
	nonceHeader: string;
	/** Unit of `{timestamp}` and of its header. */
	timestampUnit: 's' | 'ms';
	/**
	 * Text form of the digest: `hex`, `HEX`, `base64`, `base64url`, `prefixed` (`sha256=<hex>`), or a
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
	timestampUnit: 's',
	text: 'hex',
};

/** The recipes by name; `body` is the likeliest (contract, Assumed). */
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

/** A preset's name, or some fields over a preset (`body` unless `preset` names another). */
export type RecipeChoice = RecipeName | (Partial<WebhookRecipe> & { preset?: RecipeName });

/** The whole recipe of a choice; an unknown name throws a TypeError. */
export function recipeOf(choice: RecipeChoice = 'body'): WebhookRecipe {
	const { preset = 'body', ...fields } = typeof choice === 'string' ? { preset: choice } : choice;
	if (!Object.hasOwn(RECIPES, preset)) {
		throw new TypeError(
			`No such recipe: '${preset}'. There are ${Object.keys(RECIPES).join(', ')}`,
		);
	}
	return { ...RECIPES[preset], ...fields };
}
