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

/**
 * Judges by the settings at hand; a refusal is judged once more by those read afresh, so that a secret
 * changed in the credential counts at once.
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
	const settings = await secretCache.get(place, read);
	try {
		return judge(settings);
	} catch (error) {
		const isRefusal = error instanceof WebhookRejected && !error.isAuthentic;
		const fresh = isRefusal ? await secretCache.getAfresh(place, read) : undefined;
		return judge(fresh ?? settings);
	}
}
