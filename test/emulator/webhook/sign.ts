import { createHash, createHmac } from 'node:crypto';

import { readExactJson } from '../exact-json';
import { formEncode } from '../form-encode';
import type { WebhookRecipe } from './recipe';

export interface Signable {
	body: string;
	secret: string;
	timestamp: string;
	id: string;
	nonce: string;
}

const TEXT_FORMS: Record<string, string> = {
	hex: '{hex}',
	HEX: '{HEX}',
	base64: '{base64}',
	base64url: '{base64url}',
	prefixed: '{digest}={hex}',
};

/** Replaces names in braces by their values. Unknown names stay unchanged. */
function fill(template: string, values: Record<string, () => string>): string {
	return template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name]?.() ?? whole);
}

/** Joins the fields of the payload to the text that is signed, as for a token request (contract, The webhook signature). */
function fieldsOf(body: string, secret: string): string {
	const payload = readExactJson(body) as Record<string, unknown>;
	return formEncode({ ...payload, app_secret: secret, sign_ver: '1.0' });
}

function digestOf(recipe: WebhookRecipe, input: Signable): Buffer {
	const content = fill(recipe.template, {
		body: () => input.body,
		timestamp: () => input.timestamp,
		id: () => input.id,
		nonce: () => input.nonce,
		secret: () => input.secret,
		fields: () => fieldsOf(input.body, input.secret),
	});
	if (!recipe.keyed) return createHash(recipe.digest).update(content).digest();
	const isBase64 = recipe.key === 'base64';
	// The prefix whsec_ of Standard Webhooks is not part of the key.
	const key = Buffer.from(
		isBase64 ? input.secret.replace(/^whsec_/, '') : input.secret,
		recipe.key,
	);
	return createHmac(recipe.digest, key).update(content).digest();
}

/** Returns the text of the signature header. */
export function signature(recipe: WebhookRecipe, input: Signable): string {
	const bytes = digestOf(recipe, input);
	return fill(TEXT_FORMS[recipe.text] ?? recipe.text, {
		hex: () => bytes.toString('hex'),
		HEX: () => bytes.toString('hex').toUpperCase(),
		base64: () => bytes.toString('base64'),
		base64url: () => bytes.toString('base64url'),
		digest: () => recipe.digest,
		timestamp: () => input.timestamp,
	});
}

/**
 * Returns the signature header, and the headers with timestamp, ID and nonce if the template contains them,
 * because the receiver needs them to verify the signature.
 */
export function signedHeaders(recipe: WebhookRecipe, input: Signable): Record<string, string> {
	const headers: Record<string, string> = { [recipe.signatureHeader]: signature(recipe, input) };
	const inText = recipe.text.includes('{timestamp}');
	if (recipe.template.includes('{timestamp}') && !inText) {
		headers[recipe.timestampHeader] = input.timestamp;
	}
	if (recipe.template.includes('{id}')) headers[recipe.idHeader] = input.id;
	if (recipe.template.includes('{nonce}')) headers[recipe.nonceHeader] = input.nonce;
	return headers;
}
