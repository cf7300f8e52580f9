import { createHash } from 'node:crypto';
import { dropOldest, putNewest } from '../protocol/bounded';
import { waitBefore } from '../protocol/rateLimit';
import type { Settings } from '../protocol/settings';
import type { NoAccessToken } from '../protocol/token';

/**
 * How long after an exchange its token is given to callers whose own token was rejected. It covers
 * requests that were under way when the token changed. Later requests read the stored token.
 */
const SHARED_MS = 5 * 60_000;

/**
 * The same for callers with a token that this process never had. Their token may be the newer one: n8n
 * may not have stored the cached token yet, or has stored the two in the wrong order.
 */
const SHARED_WITH_UNKNOWN_MS = 5_000;

/** How long n8n may take to store a token for the caller that exchanged it. Until then no other stores it. */
const STORED_MS = 1_000;

/** The longest pause between exchanges, even if the platform asks for more. */
const MAX_PAUSE_MS = 60 * 60_000;

/** Applications in the cache. */
const MAX_APPLICATIONS = 100;

/** Replaced tokens of one application. */
const MAX_REPLACED = 20;

/** What this process knows of the tokens of an application. */
interface CacheEntry {
	pending?: Promise<string>;
	token?: string;
	/** Earlier tokens. A caller whose rejected token is among them can have `token`. */
	replaced: Set<string>;
	/** When `token` was received, in milliseconds since 1970. */
	since?: number;
	/** The last rate limit on exchanges. A token ends it. */
	pause?: Pause;
}

interface Pause {
	/** The response of the platform. */
	error: NoAccessToken;
	/** A time of `performance.now()`, which no clock change moves. */
	since: number;
	/** Milliseconds to wait. */
	ms: number;
	/** Milliseconds that the platform asks to wait. */
	requestedMs: number;
	/** Rate limits in a row. */
	times: number;
}

/** A token for a caller. */
interface CachedToken {
	token: string;
	/** Whether n8n is to store it. Each time it does, it may overwrite the token of another process. */
	isToBeStored: boolean;
}

/** By a digest of address, ID and secret, so that no secret is kept here. */
const entries = new Map<string, CacheEntry>();

function entryFor({ baseUrl, appId, appSecret }: Settings): CacheEntry {
	const key = createHash('sha256')
		.update(JSON.stringify([baseUrl.href, appId, appSecret]))
		.digest('hex');
	const entry = entries.get(key) ?? { replaced: new Set<string>() };
	putNewest(entries, key, entry, MAX_APPLICATIONS);
	return entry;
}

/** The cached token, if a caller whose token was rejected can use it. */
function newerToken(entry: CacheEntry, rejected: string): CachedToken | undefined {
	const { token, since = 0, replaced } = entry;
	const isKnown = rejected === '' || replaced.has(rejected);
	const age = Date.now() - since;
	if (token === undefined || token === rejected || replaced.has(token)) return undefined;
	if (age >= (isKnown ? SHARED_MS : SHARED_WITH_UNKNOWN_MS)) return undefined;
	return { token, isToBeStored: !isKnown || age >= STORED_MS };
}

/** The tokens of this process for an application, which n8n's messages may repeat. */
export function cachedTokens(settings: Settings): string[] {
	const { token = '', replaced } = entryFor(settings);
	return [token, ...replaced];
}

/** Whether this process has a newer token than the rejected one, or is fetching one. */
export function hasNewerToken(settings: Settings, rejected: string): boolean {
	const entry = entryFor(settings);
	return entry.pending !== undefined || newerToken(entry, rejected) !== undefined;
}

/**
 * Fetches no token of an application for a while, because the platform has refused an exchange with a
 * rate limit.
 *
 * @param error what every caller receives during the pause
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

/** A pause during which no token is fetched. */
export interface ExchangePause {
	/** A time of `performance.now()`. */
	until: number;
	/** Milliseconds from now on that the platform asks to wait. */
	requestedMs: number;
	/** The Retry-After header. */
	retryAfter?: string;
}

/** The present pause of an application, if there is one. */
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
 * Makes one exchange for all callers that need a token at the same time. n8n takes no lock around a
 * credential's pre-authentication. Where a new token revokes the earlier ones, parallel exchanges would
 * revoke each other's tokens.
 *
 * @param rejected the token that the platform rejected, empty if there was none yet; undefined asks for
 * a new token in any case
 * @throws the error of the exchange, for all callers that waited for it; during a pause, the error that
 * caused the pause
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
