import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { putNewest } from '../protocol/bounded';
import { WebhookRejected } from '../protocol/webhook/delivery';
import { readWebhookSettings, type WebhookSettings } from '../protocol/webhook/settings';

/** Milliseconds for which settings are kept in memory. */
const SETTINGS_TTL_MS = 30_000;

/**
 * Maximum number of times that refused deliveries make the trigger read the credential again within
 * a period. Anyone can send forged deliveries, so this is limited.
 */
const MAX_REREADS = 3;
const REREADS_WINDOW_MS = 3_000;

/**
 * Maximum number of times that one delivery reads settings. A read may have started before the
 * secret was changed.
 */
const MAX_READS = 3;

/** Maximum number of triggers whose settings are kept. The oldest are dropped. */
const MAX_ENTRIES = 1_000;

interface Entry {
	/** The result of a read that may still be in progress. */
	settings: Promise<WebhookSettings>;
	/** Unix time in milliseconds at which the read started. */
	readAt: number;
	/** The times at which the credential was read again after a refusal. */
	rereadAt: number[];
}

type ReadSettings = () => Promise<WebhookSettings>;

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
	const read = async () => await readWebhookCredential(context);
	let reading = cachedSettings(triggerKey, read);
	let refusal: unknown;
	for (let reads = 1; reads <= MAX_READS; reads++) {
		const settings = await reading;
		try {
			return verify(settings);
		} catch (error) {
			refusal = error;
		}
		const mayBeOutdated = refusal instanceof WebhookRejected && !refusal.isAuthentic;
		if (!mayBeOutdated || reads === MAX_READS) break;
		const newer = newerSettings(triggerKey, reading, read);
		if (newer === undefined) break;
		reading = newer;
	}
	throw refusal;
}

function cachedSettings(triggerKey: string, read: ReadSettings): Promise<WebhookSettings> {
	const entry = entries.get(triggerKey);
	const isFresh = entry && Date.now() - entry.readAt < SETTINGS_TTL_MS;
	return isFresh ? entry.settings : startReading(triggerKey, read, entry?.rereadAt);
}

/**
 * Returns newer settings than those with which a delivery was refused; undefined if they were read
 * too often recently.
 */
function newerSettings(
	triggerKey: string,
	refused: Promise<WebhookSettings>,
	read: ReadSettings,
): Promise<WebhookSettings> | undefined {
	const entry = entries.get(triggerKey);
	if (entry && entry.settings !== refused) return entry.settings;
	const now = Date.now();
	const recent = entry?.rereadAt.filter((at) => now - at < REREADS_WINDOW_MS) ?? [];
	if (recent.length >= MAX_REREADS) return undefined;
	return startReading(triggerKey, read, [...recent, now]);
}

/**
 * Starts to read settings. Other deliveries use the same read while it is in progress. A failed
 * read is not kept.
 */
function startReading(
	triggerKey: string,
	read: ReadSettings,
	rereadAt: number[] = [],
): Promise<WebhookSettings> {
	const entry: Entry = { settings: read(), readAt: Date.now(), rereadAt };
	putNewest(entries, triggerKey, entry, MAX_ENTRIES);
	const forget = () => {
		if (entries.get(triggerKey) === entry) entries.delete(triggerKey);
	};
	entry.settings.catch(forget);
	// This timer removes the secret from memory even if no further delivery arrives.
	AbortSignal.timeout(SETTINGS_TTL_MS).addEventListener('abort', forget);
	return entry.settings;
}
