import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { putNewest } from '../protocol/bounded';
import { WebhookRejected } from '../protocol/webhook/delivery';
import { readWebhookSettings, type WebhookSettings } from '../protocol/webhook/settings';

/** How long the settings are kept, in milliseconds. */
const SETTINGS_TTL_MS = 30_000;

/**
 * Limits how often refused deliveries make the trigger read the credential again, because anyone can
 * send forged ones.
 */
const MAX_REREADS = 3;
const REREADS_WINDOW_MS = 3_000;

/** How often one delivery reads settings: a read may have started before the secret was changed. */
const MAX_READS = 3;

/** Triggers whose settings are kept; the oldest are dropped. */
const MAX_ENTRIES = 1_000;

interface Entry {
	/** A read, which may still be in progress. */
	settings: Promise<WebhookSettings>;
	/** Milliseconds since 1970. */
	readAt: number;
	/** The times of recent reads after a refusal. */
	rereadAt: number[];
}

type ReadSettings = () => Promise<WebhookSettings>;

/** The settings of each trigger, by its key. */
const entries = new Map<string, Entry>();

/** @throws CredentialUnusable, or n8n's error when there is no credential */
export async function readWebhookCredential(
	context: IHookFunctions | IWebhookFunctions,
): Promise<WebhookSettings> {
	return readWebhookSettings(await context.getCredentials('socialOpenPlatformApi'));
}

/**
 * Verifies with cached settings, because reading the credential takes n8n longer than the rest of a
 * delivery. A refusal is verified again with newer settings, so that a changed secret takes effect
 * immediately.
 *
 * @param triggerKey identifies the trigger
 * @throws what `verify` throws with the newest settings, and what `readWebhookCredential` throws
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

/** Settings newer than those of a refusal; undefined when they were read too often recently. */
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

/** Deliveries share the read while it is in progress. A failed read is not kept. */
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
	// The secret is also removed from memory when no further delivery arrives.
	AbortSignal.timeout(SETTINGS_TTL_MS).addEventListener('abort', forget);
	return entry.settings;
}
