import { putNewest } from './bounded';
import { waitBefore } from './rateLimit';
import type { Settings } from './settings';
import { applicationDigest, type NoAccessToken } from './token';

/**
 * Milliseconds in which callers share a new token. It covers the time that n8n takes to store it;
 * later callers read the stored token.
 */
const SHARED_MS = 5_000;

/** Maximum pause between exchanges in milliseconds, even if the platform requests a longer one. */
const MAX_PAUSE_MS = 60 * 60_000;

/** Maximum number of applications whose latest exchange is remembered. */
const MAX_APPLICATIONS = 100;

/** The latest token exchange of an application. */
interface Exchange {
	result: Promise<string>;
	/** The token, after the exchange has succeeded. */
	token?: string;
	/**
	 * Until when callers get this result instead of making an exchange, as a time of
	 * `performance.now()`, which changes of the clock do not affect.
	 */
	until: number;
	/** Number of exchanges in a row that the platform has refused because of a rate limit. */
	rateLimits: number;
	/** The Retry-After header of the last of them. */
	retryAfter?: string;
}

/** The exchanges by the digest of their application. */
const exchanges = new Map<string, Exchange>();

/**
 * Returns an access token, and whether this caller has fetched it. All callers that need a token at
 * the same time share one exchange: n8n does not lock a credential during its pre-authentication,
 * and if a new token revokes the earlier ones, parallel exchanges would revoke each other's tokens.
 *
 * @param rejected the token that the platform rejected, empty if there was none yet; undefined asks
 * for a token that is newer than all others
 * @throws the error of the exchange, for all callers that share it. After a rate limit, they share
 * it as long as the platform asks to wait.
 */
export async function getToken(
	settings: Settings,
	rejected: string | undefined,
	exchange: () => Promise<string>,
): Promise<{ token: string; isNew: boolean }> {
	const key = applicationDigest(settings);
	const latest = exchanges.get(key);
	if (latest && performance.now() < latest.until) {
		const { token } = latest;
		const isUsable = token === undefined || (rejected !== undefined && token !== rejected);
		if (isUsable) return { token: await latest.result, isNew: false };
	}
	const current: Exchange = { result: exchange(), until: Infinity, rateLimits: 0 };
	putNewest(exchanges, key, current, MAX_APPLICATIONS);
	await current.result.then(
		(token) => {
			current.token = token;
			current.until = performance.now() + SHARED_MS;
		},
		({ rateLimit }: NoAccessToken) => {
			current.until = 0;
			if (!rateLimit) return;
			current.rateLimits = (latest?.rateLimits ?? 0) + 1;
			current.retryAfter = rateLimit.retryAfter;
			const ms = waitBefore(rateLimit.requestedMs, current.rateLimits, Math.random());
			current.until = performance.now() + Math.min(ms, MAX_PAUSE_MS);
		},
	);
	return { token: await current.result, isNew: true };
}

/**
 * The current pause of an application after a rate limit on token exchanges.
 *
 * @returns its end as a time of `performance.now()`, and the Retry-After header; undefined if there
 * is no pause
 */
export function exchangePause(
	settings: Settings,
): Pick<Exchange, 'until' | 'retryAfter'> | undefined {
	const latest = exchanges.get(applicationDigest(settings));
	return latest?.rateLimits && performance.now() < latest.until ? latest : undefined;
}
