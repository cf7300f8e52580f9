import { recipes, type SignatureRecipe } from '../../../nodes/SocialOpenPlatform/webhook/signature';
import vectors from '../vectors/webhook-signatures.json';

/** The headers of a delivery with a valid signature. */
export interface WebhookVector {
	id: string;
	headers: Record<string, string>;
}

export const { secret, body, now_ms: now } = vectors.defaults;
export const all: WebhookVector[] = vectors.vectors.map(({ id, headers }) => ({
	id,
	headers: Object.fromEntries(Object.entries(headers).filter(([, text]) => text !== undefined)),
}));

const { body: own, timestampBody, standardWebhooks, bodySha512, sortedFields } = recipes;

/** The recipe of each vector. A recipe does not name the encoding of the digest, which is detected. */
export const recipeOf: Record<string, SignatureRecipe> = {
	'hmac-sha256-hex-body': own,
	'hmac-sha256-HEX-body': own,
	'hmac-sha256-prefixed-hex-body': own,
	'hmac-sha256-base64-body': own,
	'hmac-sha256-base64url-body': own,
	'hmac-sha512-hex-body': bodySha512,
	'hmac-sha1-hex-body': { ...own, digest: 'sha1' },
	'hmac-sha256-hex-ts.body': timestampBody,
	'hmac-sha256-hex-tsms.body': timestampBody,
	'hmac-sha256-hex-ts+body': { ...own, template: '{timestamp}{body}' },
	'stripe-t-v1-hex': timestampBody,
	'stripe-tms-v1-hex': timestampBody,
	'stripe-t-v1-base64': timestampBody,
	'slack-v0-hex': { ...own, template: 'v0:{timestamp}:{body}' },
	'standard-webhooks-in-x-webhook': standardWebhooks,
	'standard-webhooks-raw-key': { ...standardWebhooks, key: 'utf8' },
	'md5-token-style-query': sortedFields,
	'md5-secret+body': { ...own, digest: 'md5', keyed: false, template: '{secret}{body}' },
	'sha256-ts+nonce+secret+body': {
		...own,
		keyed: false,
		template: '{timestamp}{nonce}{secret}{body}',
	},
};

/** Vectors that do not sign the body. No recipe may accept them. */
export const uncovered: Record<string, SignatureRecipe> = {
	'md5-token-request-itself': {
		...own,
		digest: 'md5',
		keyed: false,
		template: 'app_id=a1b2c3d4e5&app_secret={secret}&sign_ver=1.0&timestamp={timestamp}',
	},
	'md5-appid+secret-static': {
		...own,
		digest: 'md5',
		keyed: false,
		template: 'a1b2c3d4e5{secret}',
	},
};
