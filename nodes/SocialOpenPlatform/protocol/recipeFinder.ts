import { header, type Received } from './signedContent';
import { holds, recipes, type SignatureRecipe } from './signatureRecipe';
import { assertSigned } from './webhook';
import type { WebhookRejected } from './webhookRejected';
import { digestLabels, keyFormLabels, recipeLabels } from './webhookSettings';
import { readTimestamp } from './webhookTime';

/** What seems to be signed elsewhere, likeliest first; a preset is found before any of these. */
const KEYED_CONTENT = [
	...['{body}', '{timestamp}.{body}', '{timestamp}{body}', '{timestamp}\n{body}'],
	...['{timestamp}:{body}', 'v0:{timestamp}:{body}', '{body}{timestamp}', '{body}.{timestamp}'],
	...['{id}.{timestamp}.{body}', '{timestamp}{nonce}{body}', '{nonce}{timestamp}{body}'],
	...['{timestamp}.{nonce}.{body}', '{timestamp}\n{nonce}\n{body}'],
];
const PLAIN_CONTENT = [
	...['{fields}', '{secret}{body}', '{body}{secret}', '{timestamp}{secret}{body}'],
	...['{secret}{timestamp}{body}', '{timestamp}{body}{secret}', '{timestamp}{nonce}{secret}{body}'],
	...['{secret}{timestamp}{nonce}{body}', '{timestamp}{nonce}{body}{secret}'],
];
const DIGESTS = ['sha256', 'sha512', 'sha1', 'md5'] as const;

/** Any distance: whether a time is right comes after whether the recipe is. */
const timeless = { toleranceSeconds: Number.MAX_VALUE };

type Headers = Pick<
	SignatureRecipe,
	'signatureHeader' | 'timestampHeader' | 'idHeader' | 'nonceHeader'
>;

/** The configured name where the delivery has such a header, else the first that looks like it. */
function headersOf(received: Received): Headers {
	const names = Object.keys(received.headers);
	const pick = (configured: string, looksLikeIt: (name: string) => boolean) =>
		header(received, configured) === undefined
			? (names.find(looksLikeIt) ?? configured)
			: configured;
	const { signatureHeader, timestampHeader, idHeader, nonceHeader } = received.recipe;
	return {
		signatureHeader: pick(signatureHeader, (name) => /sign|hmac/i.test(name)),
		timestampHeader: pick(
			timestampHeader,
			(name) => /time|ts$/i.test(name) && readTimestamp(header(received, name) ?? '') !== undefined,
		),
		idHeader: pick(idHeader, (name) => /(webhook|event|message|delivery|request)-?id$/i.test(name)),
		nonceHeader: pick(nonceHeader, (name) => /nonce|random/i.test(name)),
	};
}

function* otherRecipes(): Generator<SignatureRecipe> {
	for (const digest of DIGESTS) {
		for (const template of KEYED_CONTENT) {
			for (const key of ['utf8', 'base64'] as const) {
				yield { ...recipes.body, digest, template, key };
			}
		}
		for (const template of PLAIN_CONTENT) yield { ...recipes.body, digest, template, keyed: false };
	}
}

function isSignedBy(received: Received, recipe: SignatureRecipe): boolean {
	try {
		assertSigned({ ...received, recipe: { ...recipe, ...timeless } });
		return true;
	} catch {
		return false;
	}
}

/** The headers that a recipe reads, by their labels in the credential. */
const usedHeaders = (
	recipe: SignatureRecipe,
): Array<readonly [label: string, field: keyof Headers]> => [
	['Signature Header', 'signatureHeader'],
	...(holds(recipe, 'timestamp') ? [['Timestamp Header', 'timestampHeader'] as const] : []),
	...(holds(recipe, 'id') ? [['ID Header', 'idHeader'] as const] : []),
	...(holds(recipe, 'nonce') ? [['Nonce Header', 'nonceHeader'] as const] : []),
];

const hasOwnHeaders = (recipe: SignatureRecipe, headers: Headers): boolean =>
	usedHeaders(recipe).every(
		([, field]) => headers[field].toLowerCase() === recipe[field].toLowerCase(),
	);

/** What to enter in the credential for a recipe that no preset has. */
function customFields(recipe: SignatureRecipe): string {
	const { digest, keyed, key, template } = recipe;
	return [
		`Digest ${digestLabels[digest]}`,
		`Keyed ${keyed ? 'on' : 'off'}`,
		...(keyed ? [`App Secret Form ${keyFormLabels[key]}`] : []),
		`Signed Content ${template.replaceAll('\n', '\\n')}`,
		...usedHeaders(recipe).map(([label, field]) => `${label} ${recipe[field]}`),
	].join('; ');
}

/**
 * Says why a delivery was refused in a way that helps to set the credential up: which known recipe its
 * signature matches, or what it lacks. For test deliveries only: it tries them all.
 *
 * @returns two sentences or more, for people; they hold neither secret nor signature
 */
export function explainRefusal(received: Received, rejection: WebhookRejected): string {
	if (isSignedBy(received, received.recipe)) {
		return rejection.reason === 'stale-timestamp'
			? `${rejection.message} The signature itself is right: check the clock of the machine that runs n8n, or raise Time Window in the options.`
			: rejection.message;
	}
	const headers = headersOf(received);
	const found = Object.entries(recipes).find(([, recipe]) =>
		isSignedBy(received, { ...recipe, ...headers }),
	);
	if (found && hasOwnHeaders(found[1], headers)) {
		const label = recipeLabels[found[0] as keyof typeof recipes];
		return `This delivery is signed with '${label}'. Choose it under Signature Recipe in the credential.`;
	}
	const other =
		found?.[1] ?? [...otherRecipes()].find((r) => isSignedBy(received, { ...r, ...headers }));
	if (other) {
		return `This delivery is signed in a way of its own. In the credential, choose 'Custom' under Signature Recipe, and enter: ${customFields({ ...other, ...headers })}.`;
	}
	const advice =
		rejection.reason === 'missing-signature'
			? 'Check that the delivery comes from the platform, and in which header it signs.'
			: 'It matches no known recipe either. Check the App Secret in the credential first. If it is right, ask the platform what it signs, and enter that as a Custom recipe.';
	return `${rejection.message} ${advice}`;
}
