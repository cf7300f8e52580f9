import { holds, templateParts, type SignatureRecipe } from './signatureRecipe';

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** What Standard Webhooks puts before its secrets; no part of the key. */
const SECRET_PREFIX = /^whsec_/;

/**
 * The bytes that key a recipe's HMAC.
 *
 * @returns undefined when the App Secret cannot be read as the recipe says
 */
export function keyBytes({ key, keyed }: SignatureRecipe, appSecret: string): Buffer | undefined {
	if (key === 'utf8' || !keyed)
		return appSecret.isWellFormed() ? Buffer.from(appSecret, 'utf8') : undefined;
	const text = appSecret.replace(SECRET_PREFIX, '');
	return BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/**
 * Says why a recipe protects nothing, as a sentence, or undefined where it can be used. A signature
 * that does not cover the body lets anyone who has seen one send another body under it; one without
 * the secret can be made by anyone.
 */
export function recipeFault(recipe: SignatureRecipe, appSecret: string): string | undefined {
	try {
		templateParts(recipe.template);
	} catch (error) {
		return `The Signed Content of the signature recipe cannot be read: ${(error as Error).message}.`;
	}
	if (!holds(recipe, 'body') && !holds(recipe, 'fields')) {
		return 'The signature recipe does not cover the body: its Signed Content holds neither {body} nor {fields}, so anyone who has seen one delivery could send others.';
	}
	if (!recipe.keyed && !holds(recipe, 'secret') && !holds(recipe, 'fields')) {
		return 'The signature recipe does not involve the App Secret, so anyone could sign. Use a keyed digest, or put {secret} into its Signed Content.';
	}
	if (keyBytes(recipe, appSecret)?.length) return undefined;
	return recipe.keyed && recipe.key === 'base64'
		? 'The signature recipe reads the App Secret as base64, which it is not.'
		: 'The App Secret holds half of a character (a lone surrogate); copy it again.';
}
