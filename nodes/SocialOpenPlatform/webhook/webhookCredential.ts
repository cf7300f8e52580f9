import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { putNewest } from '../platform/bounded';
import { WebhookRejected } from './recipes';
import { readWebhookSettings, type WebhookSettings } from './recipes/webhookSettings';

/** Milliseconds for which settings are used again. */
const SETTINGS_TTL_MS = 30_000;

/**
 * Minimum milliseconds between two reads of the credential because of refused deliveries. Anyone can
 * send forged deliveries, so this is limited.
 */
const MIN_REREAD_MS = 1_000;

/** Maximum number of triggers whose settings are kept. The oldest are dropped. */
const MAX_ENTRIES = 1_000;

interface Entry {
	/** The result of a read that may still be in progress. */
	settings: Promise<WebhookSettings>;
	/** Unix time in milliseconds at which the read started. */
	readAt: number;
	/** Whether the settings were read because of a refused delivery. */
	isReread: boolean;
}

/** The settings of each trigger. */
const entries = new Map<string, Entry>();

/**
 * Reads the settings from the credential.
 *
 * @throws CredentialUnusable, or n8n's error if there is no credential
 */
export async function readWebhookCredential(
	context: IHookFunctions | IWebhookFunctions,
): Promise<WebhookSettings> {
	return readWebhookSettings(await context.getCredentials('socialOpenPlatformApi'));
}

/**
 * Verifies a delivery with cached settings, because for n8n, reading the credential takes longer
 * than the rest of a delivery. A refused delivery is verified again with newer settings, so that a
 * changed secret takes effect immediately.
 *
 * @param triggerKey identifies the trigger
 * @throws the error of `verify` with the newest settings, or the error of `readWebhookCredential`
 */
export async function withCachedSettings<T>(
	context: IWebhookFunctions,
	triggerKey: string,
	verify: (settings: WebhookSettings) => T,
): Promise<T> {
	const settings = await settingsOf(context, triggerKey, false);
	let refusal: unknown;
	try {
		return verify(settings);
	} catch (error) {
		refusal = error;
	}
	if (!(refusal instanceof WebhookRejected) || refusal.isAuthentic) throw refusal;
	const newer = await settingsOf(context, triggerKey, true);
	if (newer === settings) throw refusal;
	return verify(newer);
}

/**
 * Returns cached settings, or reads them. A failed read is not kept.
 *
 * @param isReread whether a delivery was refused with cached settings
 */
async function settingsOf(
	context: IWebhookFunctions,
	triggerKey: string,
	isReread: boolean,
): Promise<WebhookSettings> {
	const known = entries.get(triggerKey);
	// The clock may have been set back.
	const age = Math.abs(Date.now() - (known?.readAt ?? 0));
	const isFresh = isReread ? known?.isReread && age < MIN_REREAD_MS : age < SETTINGS_TTL_MS;
	if (known && isFresh) return await known.settings;
	const settings = readWebhookCredential(context);
	const entry: Entry = { settings, readAt: Date.now(), isReread };
	putNewest(entries, triggerKey, entry, MAX_ENTRIES);
	settings.catch(() => {
		if (entries.get(triggerKey) === entry) entries.delete(triggerKey);
	});
	return await settings;
}
