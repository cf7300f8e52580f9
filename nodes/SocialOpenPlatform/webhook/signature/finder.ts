import {
	digestLabels,
	keyFormLabels,
	keysOf,
	recipeLabels,
	recipes,
	type SignatureRecipe,
} from './methods';
import { assertSigned, headerOf, type ReceivedDelivery } from './verify';

/** Maximum number of signature headers to try, each of which adds many signature methods. */
const MAX_SIGNATURE_HEADERS = 4;

/** Returns the names of headers that may contain a value, starting with the configured one. */
function headersLike(received: ReceivedDelivery, configured: string, similar: RegExp) {
	const others = Object.keys(received.headers).filter(
		(name) => similar.test(name) && name.toLowerCase() !== configured.toLowerCase(),
	);
	return [configured, ...others].filter((name) => headerOf(received, name));
}

/**
 * Returns the signature methods to try. They combine each preset with each digest, each form of the
 * key, and each header that may contain a signature.
 */
function similarRecipes(received: ReceivedDelivery) {
	const { signatureHeader: signature, timestampHeader: time, idHeader: id } = received.recipe;
	const signatures = headersLike(received, signature, /sign|hmac|digest/i);
	const [timestampHeader = time] = headersLike(received, time, /time/i);
	const [idHeader = id] = headersLike(received, id, /(?:hook|event|message|delivery|svix)-?id$/i);
	return Object.values<SignatureRecipe>(recipes).flatMap((preset) =>
		keysOf(digestLabels).flatMap((digest) =>
			keysOf(keyFormLabels).flatMap((key) =>
				signatures.slice(0, MAX_SIGNATURE_HEADERS).map((signatureHeader) => ({
					...preset,
					...{ digest, key, signatureHeader, timestampHeader, idHeader },
				})),
			),
		),
	);
}

/** Lists the values to enter in the credential for a signature method. */
function customFields(recipe: SignatureRecipe) {
	const key = recipe.keyed ? `on; App Secret Form ${keyFormLabels[recipe.key]}` : 'off';
	const time = recipe.template.includes('{timestamp}')
		? `; Timestamp Header ${recipe.timestampHeader}`
		: '';
	const id = recipe.template.includes('{id}') ? `; ID Header ${recipe.idHeader}` : '';
	return `Digest ${digestLabels[recipe.digest]}; Keyed ${key}; Signed Content ${recipe.template}; Signature Header ${recipe.signatureHeader}${time}${id}`;
}

/**
 * Explains a refusal to the person who sets up the credential. The explanation says which signature
 * method matches, or what to check. Only refusals of test events are explained, because trying many
 * methods takes time.
 *
 * @param message the reason for the refusal, as a sentence
 * @returns sentences that contain no secret or signature
 */
export function explainRefusal(received: ReceivedDelivery, message: string) {
	const cache = {};
	/** Returns whether a method matches the signature, regardless of the delivery's age. */
	const matches = (recipe: SignatureRecipe) => {
		try {
			assertSigned({ ...received, recipe: { ...recipe, toleranceSeconds: Infinity } }, cache);
			return true;
		} catch {
			return false;
		}
	};
	if (matches(received.recipe)) {
		return `${message} The signature itself is valid. Check the clock of the machine that runs n8n, or increase 'Time Window (Seconds)' in the options.`;
	}
	const preset = keysOf(recipes).find((name) => matches(recipes[name]));
	if (preset) {
		return `This delivery is signed with '${recipeLabels[preset]}'. In the credential, turn on 'Show Advanced Settings', and choose it under 'Webhook Signature Method'.`;
	}
	const found = similarRecipes(received).find(matches);
	return found
		? `This delivery is signed with another method. In the credential, turn on 'Show Advanced Settings', choose 'Custom' under 'Webhook Signature Method', and enter: ${customFields(found)}.`
		: `${message} No known signature method matches this delivery. Check the App Secret in the credential, and that the delivery comes from the platform. If both are correct, ask the platform what it signs and which header contains the signature, and enter that with the method Custom. 'Sorted Fields' cannot verify some numbers, such as 1e25, and some names that are numbers.`;
}
