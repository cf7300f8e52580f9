import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { formEncode } from './form-encode';
import { expectedSignature } from './token-signature';
import { recipeOf, type RecipeChoice } from './webhook/recipe';
import { signedHeaders } from './webhook/sign';

function vectors<T>(name: string): T {
	return JSON.parse(readFileSync(join(__dirname, '../unit/vectors', name), 'utf8')) as T;
}

interface TokenVector {
	name: string;
	app_id: string;
	app_secret: string;
	timestamp: number;
	query: string;
	md5: string;
}

interface WebhookVector {
	id: string;
	headers: Record<string, string>;
}

const tokens = vectors<{ vectors: TokenVector[] }>('token-signature.json').vectors;
const webhooks = vectors<{
	defaults: { secret: string; body: string };
	vectors: WebhookVector[];
}>('webhook-signatures.json');

describe('The token signature', () => {
	it.each(tokens.map((vector) => [vector.name, vector] as const))(
		'matches the signature of PHP for the vector %s',
		(_name, { app_id, app_secret, timestamp, query, md5 }) => {
			expect(formEncode({ timestamp, app_id, sign_ver: '1.0', app_secret })).toBe(query);
			const received = { app_id, sign_ver: '1.0', timestamp, signature: 'not signed itself' };
			expect(expectedSignature(received, app_secret)).toBe(md5);
		},
	);

	it('covers every received parameter', () => {
		const plain = expectedSignature({ app_id: 'a', extra: [1, null, true] }, 's');
		expect(plain).toBe(
			createHash('md5').update('app_id=a&app_secret=s&extra%5B0%5D=1&extra%5B2%5D=1').digest('hex'),
		);
	});
});

/** The recipe of each vector. The test below requires an entry for every vector. */
const RECIPE_OF_VECTOR: Record<string, RecipeChoice> = {
	'hmac-sha256-hex-body': 'body',
	'hmac-sha256-HEX-body': { text: 'HEX' },
	'hmac-sha256-prefixed-hex-body': { text: 'prefixed' },
	'hmac-sha256-base64-body': { text: 'base64' },
	'hmac-sha256-base64url-body': { text: 'base64url' },
	'hmac-sha512-hex-body': 'bodySha512',
	'hmac-sha1-hex-body': { digest: 'sha1' },
	'hmac-sha256-hex-ts.body': 'timestampBody',
	'hmac-sha256-hex-tsms.body': { preset: 'timestampBody', timestampUnit: 'ms' },
	'hmac-sha256-hex-ts+body': { template: '{timestamp}{body}' },
	'stripe-t-v1-hex': { preset: 'timestampBody', text: 't={timestamp},v1={hex}' },
	'stripe-tms-v1-hex': {
		preset: 'timestampBody',
		timestampUnit: 'ms',
		text: 't={timestamp},v1={hex}',
	},
	'stripe-t-v1-base64': { preset: 'timestampBody', text: 't={timestamp},v1={base64}' },
	'slack-v0-hex': { template: 'v0:{timestamp}:{body}', text: 'v0={hex}' },
	'standard-webhooks-in-x-webhook': 'standardWebhooks',
	'standard-webhooks-raw-key': { preset: 'standardWebhooks', key: 'utf8' },
	'md5-token-style-query': 'sortedFields',
	'md5-secret+body': { digest: 'md5', keyed: false, template: '{secret}{body}' },
	'sha256-ts+nonce+secret+body': { keyed: false, template: '{timestamp}{nonce}{secret}{body}' },
};

/** Vectors that do not cover the body, which the emulator does not create. */
const NOT_MADE = ['md5-token-request-itself', 'md5-appid+secret-static'];

describe('The webhook signature', () => {
	const { defaults } = webhooks;
	const made = webhooks.vectors.filter(({ id }) => !NOT_MADE.includes(id));

	it.each(made.map((vector) => [vector.id, vector] as const))(
		'matches the vector %s',
		(id, vector) => {
			const choice = RECIPE_OF_VECTOR[id];
			expect(choice).toBeDefined();
			const recipe = recipeOf(choice);
			const headers = signedHeaders(recipe, {
				body: defaults.body,
				secret: defaults.secret,
				timestamp: recipe.timestampUnit === 'ms' ? '1700000000123' : '1700000000',
				id: 'msg_2KWPBgLlAfxdpX2AI54pPJ85f4W',
				nonce: 'n0nce123',
			});
			expect(headers).toEqual(vector.headers);
		},
	);
});
