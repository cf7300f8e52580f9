import {
	digestLabels,
	keyFormLabels,
	recipeLabels,
	recipes,
	type SignatureRecipe,
} from './methods';
import {
	assertSigned,
	headerOf,
	signs,
	type ReceivedDelivery,
	type WebhookRejected,
} from './verify';

/** The strongest digest comes first, because a delivery may have several. */
const DIGESTS = ['sha512', 'sha256', 'sha1', 'md5'] as const;

/** More headers of one kind would multiply the number of recipes to try. */
const MAX_HEADERS = 2;

/** An MD5 digest in base64 is the shortest signature. */
const DIGEST = /[\w+/-]{22}/;

/**
 * Returns the configured header and others with similar names, if the delivery has them; otherwise
 * only the configured one, because the signature header may contain the time.
 */
function headersLike(received: ReceivedDelivery, configured: string, similar: RegExp, value = /./) {
	const others = Object.keys(received.headers).filter(
		(name) => similar.test(name) && name.toLowerCase() !== configured.toLowerCase(),
	);
	const present = [configured, ...others]
		.filter((name) => value.test(headerOf(received, name) ?? ''))
		.slice(0, MAX_HEADERS);
	return present.length > 0 ? present : [configured];
}

/** Combines the signed content of each preset with each digest, form of the key, and header. */
function* knownRecipes(received: ReceivedDelivery): Generator<SignatureRecipe> {
	const { recipe } = received;
	const signatures = headersLike(received, recipe.signatureHeader, /sign|hmac|digest/i, DIGEST);
	const allTimes = headersLike(received, recipe.timestampHeader, /time/i);
	const allIds = headersLike(
		received,
		recipe.idHeader,
		/(?:hook|event|message|delivery|svix)-?id$/i,
	);
	for (const preset of Object.values<SignatureRecipe>(recipes)) {
		const times = signs(preset, 'timestamp') ? allTimes : [recipe.timestampHeader];
		const ids = signs(preset, 'id') ? allIds : [recipe.idHeader];
		for (const digest of DIGESTS) {
			for (const key of preset.keyed ? (['utf8', 'base64'] as const) : [preset.key]) {
				for (const signatureHeader of signatures) {
					for (const timestampHeader of times) {
						for (const idHeader of ids) {
							yield { ...preset, digest, key, signatureHeader, timestampHeader, idHeader };
						}
					}
				}
			}
		}
	}
}

/** Whether a signature matches, at whatever time it was created. */
function isSignedBy(received: ReceivedDelivery, recipe: SignatureRecipe) {
	try {
		assertSigned({ ...received, recipe: { ...recipe, toleranceSeconds: Number.MAX_VALUE } });
		return true;
	} catch {
		return false;
	}
}

/** Names the values to enter in the credential for a recipe. */
function customFields(recipe: SignatureRecipe) {
	const { digest, keyed, key, template, signatureHeader, timestampHeader, idHeader } = recipe;
	return [
		`Digest ${digestLabels[digest]}`,
		`Keyed ${keyed ? 'on' : 'off'}`,
		keyed && `App Secret Form ${keyFormLabels[key]}`,
		`Signed Content ${template}`,
		`Signature Header ${signatureHeader}`,
		signs(recipe, 'timestamp') && `Timestamp Header ${timestampHeader}`,
		signs(recipe, 'id') && `ID Header ${idHeader}`,
	]
		.filter(Boolean)
		.join('; ');
}

/**
 * Explains a refusal to the person who sets up the credential: names the method that matches the
 * signature, or says what to check. It is used only for test deliveries, because it tries many
 * recipes.
 *
 * @returns sentences without any secret or signature
 */
export function explainRefusal(received: ReceivedDelivery, rejection: WebhookRejected): string {
	const { message, reason } = rejection;
	if (reason === 'too-large') return message;
	if (isSignedBy(received, received.recipe)) {
		return `${message} The signature itself is valid. Check the clock of the machine that runs n8n, or increase 'Time Window (Seconds)' in the options.`;
	}
	for (const recipe of knownRecipes(received)) {
		if (!isSignedBy(received, recipe)) continue;
		const fields = customFields(recipe);
		const preset = (Object.keys(recipes) as Array<keyof typeof recipes>).find(
			(name) => customFields(recipes[name]).toLowerCase() === fields.toLowerCase(),
		);
		return preset
			? `This delivery is signed with '${recipeLabels[preset]}'. In the credential, turn on 'Show Advanced Settings', and choose it under 'Webhook Signature Method'.`
			: `This delivery is signed with another method. In the credential, turn on 'Show Advanced Settings', choose 'Custom' under 'Webhook Signature Method', and enter: ${fields}.`;
	}
	return `${message} No known signature method matches this delivery. Check the App Secret in the credential, and that the delivery comes from the platform. If both are correct, ask the platform what it signs and which header contains the signature, and enter that with the method Custom.`;
}
