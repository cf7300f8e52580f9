import {
	digestLabels,
	keyFormLabels,
	keysOf,
	recipeLabels,
	recipes,
	type SignatureRecipe,
} from './methods';
import type { WebhookRejected } from './rejection';
import { assertSigned, headerOf, signs, type ReceivedDelivery } from './verify';

/** More headers would multiply the number of signature methods to try. */
const MAX_SIGNATURE_HEADERS = 2;

/** An MD5 digest in base64 is the shortest signature. */
const DIGEST = /[\w+/-]{22}/;

/** Returns the headers of the delivery that contain a value, first the configured one. */
function headersLike(received: ReceivedDelivery, configured: string, similar: RegExp, value = /./) {
	const others = Object.keys(received.headers).filter(
		(name) => similar.test(name) && name.toLowerCase() !== configured.toLowerCase(),
	);
	return [configured, ...others].filter((name) => value.test(headerOf(received, name) ?? ''));
}

/** Combines the signed content of each preset with each digest, form of the key, and signature. */
function knownRecipes(received: ReceivedDelivery): SignatureRecipe[] {
	const { recipe } = received;
	const { timestampHeader: time, idHeader: id } = recipe;
	const signatures = headersLike(
		received,
		recipe.signatureHeader,
		/sign|hmac|digest/i,
		DIGEST,
	).slice(0, MAX_SIGNATURE_HEADERS);
	const [timestampHeader = time] = headersLike(received, time, /time/i);
	const [idHeader = id] = headersLike(received, id, /(?:hook|event|message|delivery|svix)-?id$/i);
	return Object.values<SignatureRecipe>(recipes).flatMap((preset) => {
		const keys = preset.keyed ? (['utf8', 'base64'] as const) : [preset.key];
		return keysOf(digestLabels).flatMap((digest) =>
			keys.flatMap((key) =>
				signatures.map((signatureHeader) => ({
					...{ ...preset, digest, key, signatureHeader, timestampHeader, idHeader },
				})),
			),
		);
	});
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

/** Names the values to enter in the credential for a signature method. */
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
 * methods.
 *
 * @returns sentences without any secret or signature
 */
export function explainRefusal(received: ReceivedDelivery, rejection: WebhookRejected): string {
	const { message, reason } = rejection;
	if (reason === 'too-large') return message;
	if (isSignedBy(received, received.recipe)) {
		return `${message} The signature itself is valid. Check the clock of the machine that runs n8n, or increase 'Time Window (Seconds)' in the options.`;
	}
	const found = knownRecipes(received).find((recipe) => isSignedBy(received, recipe));
	if (!found) {
		return `${message} No known signature method matches this delivery. Check the App Secret in the credential, and that the delivery comes from the platform. If both are correct, ask the platform what it signs and which header contains the signature, and enter that with the method Custom.`;
	}
	const fields = customFields(found);
	const preset = keysOf(recipes).find(
		(name) => customFields(recipes[name]).toLowerCase() === fields.toLowerCase(),
	);
	return preset
		? `This delivery is signed with '${recipeLabels[preset]}'. In the credential, turn on 'Show Advanced Settings', and choose it under 'Webhook Signature Method'.`
		: `This delivery is signed with another method. In the credential, turn on 'Show Advanced Settings', choose 'Custom' under 'Webhook Signature Method', and enter: ${fields}.`;
}
