/**
 * How a webhook is signed, as data. The platform's interface does not show it (contract, "The webhook
 * signature"). The text form of the digest is no part of it: that is detected.
 */
export interface SignatureRecipe {
	digest: 'sha256' | 'sha512' | 'sha1' | 'md5';
	/** HMAC with the App Secret as its key, or a plain digest. */
	keyed: boolean;
	/** Which bytes the key is: those of the App Secret's text, or those it stands for in base64. */
	key: 'utf8' | 'base64';
	/** What is signed, over `{body} {timestamp} {id} {nonce} {secret} {fields}`. */
	template: string;
	/** How far a signed timestamp may be from now, in seconds, in both directions. */
	toleranceSeconds: number;
	signatureHeader: string;
	timestampHeader: string;
	idHeader: string;
	nonceHeader: string;
}

/** What a template can hold. */
export const placeholders = ['body', 'timestamp', 'id', 'nonce', 'secret', 'fields'] as const;
export type Placeholder = (typeof placeholders)[number];

const body: SignatureRecipe = {
	digest: 'sha256',
	keyed: true,
	key: 'utf8',
	template: '{body}',
	toleranceSeconds: 300,
	// The one name that the platform's interface shows ("Events").
	signatureHeader: 'X-Webhook-Signature',
	timestampHeader: 'X-Webhook-Timestamp',
	idHeader: 'X-Webhook-Id',
	nonceHeader: 'X-Webhook-Nonce',
};

/** The recipes with a name, likeliest first (contract, "Assumed, and how likely"). */
export const recipes = {
	body,
	timestampBody: { ...body, template: '{timestamp}.{body}' },
	/** https://www.standardwebhooks.com, under the platform's header names. */
	standardWebhooks: { ...body, key: 'base64', template: '{id}.{timestamp}.{body}' },
	bodySha512: { ...body, digest: 'sha512' },
	/** The token request's own way to sign, over the fields of the callback. */
	sortedFields: { ...body, digest: 'md5', keyed: false, template: '{fields}' },
} as const satisfies Record<string, SignatureRecipe>;

/** Literal text and placeholders in turn, as they stand in the template. */
export type TemplatePart = { text: string } | { placeholder: Placeholder };

const PLACEHOLDER = /\{(\w+)\}/;

const isPlaceholder = (name: string): name is Placeholder =>
	(placeholders as readonly string[]).includes(name);

/** @throws RangeError naming a placeholder that does not exist */
export function templateParts(template: string): TemplatePart[] {
	// With one group, every second piece is what the group has matched.
	return template.split(PLACEHOLDER).flatMap((piece, index): TemplatePart[] => {
		if (index % 2 === 0) return piece === '' ? [] : [{ text: piece }];
		if (!isPlaceholder(piece)) throw new RangeError(`{${piece}} is not a placeholder`);
		return [{ placeholder: piece }];
	});
}

/** Whether a template holds a placeholder. */
export const holds = ({ template }: SignatureRecipe, name: Placeholder): boolean =>
	template.includes(`{${name}}`);
