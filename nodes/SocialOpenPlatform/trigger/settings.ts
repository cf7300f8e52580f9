import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { WebhookRejected } from '../protocol/webhook';
import { readWebhookSettings, type WebhookSettings } from '../protocol/webhookSettings';
import { SecretCache } from './secretCache';

const secretCache = new SecretCache<WebhookSettings>();

type Context = IHookFunctions | IWebhookFunctions;

/** @throws CredentialUnusable, or what n8n throws where there is no credential */
export async function readCredential(context: Context): Promise<WebhookSettings> {
	return readWebhookSettings(await context.getCredentials('socialOpenPlatformApi'));
}

/** A reading may have begun before the secret was changed; the one after it has not. */
const MOST_READINGS = 3;

/** What the sender's own secret or recipe might explain. */
const mayBeOutdated = (error: unknown): boolean =>
	error instanceof WebhookRejected && !error.isAuthentic;

/** What came of a judgement, also when it was none. */
function attempt<T>(judge: () => T): { value: T } | { error: unknown } {
	try {
		return { value: judge() };
	} catch (error) {
		return { error };
	}
}

/**
 * Judges by the settings at hand; a refusal is judged again by newer ones where there are any, so that
 * a secret changed in the credential counts at once.
 *
 * @param place what tells the trigger from others
 * @throws what `judge` throws by the newest settings, and what `readCredential` throws
 */
export async function withSettings<T>(
	context: Context,
	place: string,
	judge: (settings: WebhookSettings) => T,
): Promise<T> {
	const read = async () => await readCredential(context);
	let reading: Promise<WebhookSettings> | undefined = secretCache.get(place, read);
	let refusal: unknown;
	for (let readings = 1; reading && readings <= MOST_READINGS; readings++) {
		const settings: WebhookSettings = await reading;
		const outcome = attempt(() => judge(settings));
		if ('value' in outcome) return outcome.value;
		refusal = outcome.error;
		if (!mayBeOutdated(refusal)) break;
		reading = secretCache.newer(place, reading, read);
	}
	throw refusal;
}
