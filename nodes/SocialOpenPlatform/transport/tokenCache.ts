import { createHash } from 'node:crypto';
import { dropOldest, putNewest } from '../protocol/bounded';
import { waitBefore } from '../protocol/rateLimit';
import type { Settings } from '../protocol/settings';
import type { NoAccessToken } from '../protocol/token';

/**
 * Milliseconds after an exchange in which its token is given to callers whose token was rejected.
 * This applies to requests that were under way when the token changed. Later requests read the
 * stored token.
 */
const SHARED_MS = 5 * 60_000;

/**
 * A shorter period, in milliseconds, for callers with a token that this process never had. Their
 * token may be newer: n8n may not have stored the cached token yet, or may have stored the two
 * tokens in the wrong order.
 */
const SHARED_WITH_UNKNOWN_MS = 5_000;

/**
 * Milliseconds that n8n may take to store a token for the caller that exchanged it. During this
 * time, no other caller stores the token.
 */
const STORED_MS = 1_000;

/** Maximum pause between exchanges in milliseconds, even if the platform requests a longer one. */
const MAX_PAUSE_MS = 60 * 60_000;

/** Maximum number of applications in the cache. */
const MAX_APPLICATIONS = 100;

/** Maximum number of replaced tokens that are remembered for an application. */
const MAX_REPLACED = 20;

/** The tokens of an application that this process knows. */
interface CacheEntry {
	pending?: Promise<string>;
	token?: string;
	/**
	 * Earlier tokens. A caller whose token was rejected gets `token` if the rejected one is among
	 * them.
	 */
	replaced: Set<string>;
	/** Unix time in milliseconds at which `token` was received. */
	since?: number;
	/** The pause after the latest rate limit on exchanges. A new token ends it. */
	pause?: Pause;
}

interface Pause {
	/** The error that the rate limit has caused. */
	error: NoAccessToken;
	/**
	 * Start of the pause, as a time of `performance.now()`, which changes of the clock do not affect.
	 */
	since: number;
	/** Duration of the pause in milliseconds. */
	ms: number;
	/** Milliseconds that the platform asked to wait. */
	requestedMs: number;
	/** Number of rate limits in a row. */
	times: number;
}

interface CachedToken {
	token: string;
	/**
	 * Whether n8n has to store the token. When n8n stores a token, it may overwrite the token of
	 * another process.
	 */
	isToBeStored: boolean;
}

/**
 * The tokens of each application. The key is a digest of address, ID and secret, so that it
 * contains no secret.
 */
const entries = new Map<string, CacheEntry>();

function entryFor({ baseUrl, appId, appSecret }: Settings): CacheEntry {
	const key = createHash('sha256')
		.update(JSON.stringify([baseUrl.href, appId, appSecret]))
		.digest('hex');
	const entry = entries.get(key) ?? { replaced: new Set<string>() };
	putNewest(entries, key, entry, MAX_APPLICATIONS);
	return entry;
}

/** Returns the cached token if a caller whose token was rejected can use it. */
function newerToken(entry: CacheEntry, rejected: string): CachedToken | undefined {
	const { token, since = 0, replaced } = entry;
	const isKnown = rejected === '' || replaced.has(rejected);
	const age = Date.now() - since;
	if (token === undefined || token === rejected || replaced.has(token)) return undefined;
	if (age >= (isKnown ? SHARED_MS : SHARED_WITH_UNKNOWN_MS)) return undefined;
	return { token, isToBeStored: !isKnown || age >= STORED_MS };
}

/** All known tokens of an application, because n8n's messages may contain any of them. */
export function cachedTokens(settings: Settings): string[] {
	const { token = '', replaced } = entryFor(settings);
	return [token, ...replaced];
}

/** Whether this process has a newer token than the rejected one, or is fetching a token. */
export function hasNewerToken(settings: Settings, rejected: string): boolean {
	const entry = entryFor(settings);
	return entry.pending !== undefined || newerToken(entry, rejected) !== undefined;
}

/**
 * Starts a pause in which no tokens of an application are fetched, because the platform has refused
 * an exchange with a rate limit.
 *
 * @param error the error that all callers get during the pause
 * @param requestedMs milliseconds that the platform asks to wait, if it does
 */
export function pauseExchanges(
	settings: Settings,
	error: NoAccessToken,
	requestedMs: number | undefined,
): void {
	const entry = entryFor(settings);
	const times = (entry.pause?.times ?? 0) + 1;
	const ms = waitBefore(requestedMs, times, Math.random());
	entry.pause = { error, since: performance.now(), ms, requestedMs: requestedMs ?? ms, times };
}

/** A pause in which no tokens are fetched. */
export interface ExchangePause {
	/** End of the pause, as a time of `performance.now()`. */
	until: number;
	/** Milliseconds from now that the platform asks to wait. */
	requestedMs: number;
	/** The Retry-After header of the platform. */
	retryAfter?: string;
}

/** The current pause of an application, if there is one. */
export function exchangePause(settings: Settings): ExchangePause | undefined {
	const { pause } = entryFor(settings);
	if (!pause || !isActive(pause)) return undefined;
	const { since, ms, requestedMs, error } = pause;
	const left = Math.max(0, since + requestedMs - performance.now());
	return { until: since + ms, requestedMs: left, retryAfter: error.retryAfter };
}

function isActive({ since, ms }: Pause): boolean {
	return performance.now() - since < Math.min(ms, MAX_PAUSE_MS);
}

/**
 * Returns an access token. All callers that need a token at the same time share one exchange: n8n
 * does not lock a credential during its pre-authentication, and if a new token revokes the earlier
 * ones, parallel exchanges would revoke each other's tokens.
 *
 * @param rejected the token that the platform rejected, empty if there was none yet; undefined asks
 * for a new token in any case
 * @throws the error of the exchange, for all callers that waited for it; during a pause, the error
 * that caused the pause
 */
export async function getToken(
	settings: Settings,
	rejected: string | undefined,
	exchange: () => Promise<string>,
): Promise<CachedToken> {
	const entry = entryFor(settings);
	const newer = rejected === undefined ? undefined : newerToken(entry, rejected);
	if (rejected) entry.replaced.add(rejected);
	if (entry.pending) return { token: await entry.pending, isToBeStored: false };
	if (newer) return newer;
	if (entry.pause && isActive(entry.pause)) throw entry.pause.error;
	entry.pending = exchange();
	try {
		const token = await entry.pending;
		if (entry.token && entry.token !== token) entry.replaced.add(entry.token);
		Object.assign(entry, { token, since: Date.now(), pause: undefined });
		return { token, isToBeStored: true };
	} finally {
		entry.pending = undefined;
		dropOldest(entry.replaced, MAX_REPLACED);
	}
}
