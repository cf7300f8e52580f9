import type { Refusal } from './answer';
import { reportsRateLimit, tooManyRequests } from './codes';

const TOO_MANY_REQUESTS = 429;

/**
 * Whether a refusal reports a rate limit: by HTTP 429 (RFC 6585, section 4), by a code that the
 * credential lists, or by its message, because the interface shows no code for rate limits. The
 * message is ignored if the code is known to mean something else. After a rate limit, the request
 * can be sent again.
 */
export function isRateLimited(
	{ status, code, message }: Pick<Refusal, 'status' | 'code' | 'message'>,
	codes: ReadonlySet<number>,
): boolean {
	// A used-up quota does not end by waiting, although it is also reported by HTTP 429.
	if (code === 'insufficient_quota') return false;
	if (status === TOO_MANY_REQUESTS) return true;
	return (typeof code === 'number' && codes.has(code)) || reportsRateLimit(message, code);
}

/** Explains a refusal that reports a rate limit as one, whatever its code usually means. */
export function explainRateLimit(refusal: Refusal, codes: ReadonlySet<number>): Refusal {
	if (!isRateLimited(refusal, codes)) return refusal;
	// The code and the message follow in parentheses.
	const reason = refusal.reason.replace(/^[^(]+\(/, `${tooManyRequests.reading} (`);
	return { ...refusal, ...tooManyRequests, reason };
}

/**
 * Reads the Retry-After header (RFC 9110, section 10.2.3): seconds, or an HTTP date.
 *
 * @param date the Date header of the same response, which comes from the same clock
 * @returns milliseconds from now; undefined if the header is missing or cannot be read
 */
export function readRetryAfter(
	header: string | undefined,
	now: Date,
	date?: string,
): number | undefined {
	const text = header?.trim() ?? '';
	if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
	const until = readDate(text);
	const from = readDate(date?.trim() ?? '') ?? now.getTime();
	return until === undefined ? undefined : Math.max(0, until - from);
}

/**
 * Reads a date that begins with a weekday. `Date.parse` alone would also accept single words and
 * numbers.
 */
function readDate(text: string): number | undefined {
	const date = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(date) ? undefined : date;
}

const FIRST_BACK_OFF_MS = 1000;
const MAX_BACK_OFF_MS = 60_000;

/**
 * How long to wait before a request is sent again: as long as the platform requests. Without
 * Retry-After, the wait doubles each time, up to a minute.
 *
 * @param requestedMs milliseconds from Retry-After, if the response had this header
 * @param sends how many times the request was sent, 1 or more
 * @param random a number from 0 to 1, so that requests that have waited together start apart
 * @returns milliseconds
 */
export function waitBefore(requestedMs: number | undefined, sends: number, random: number): number {
	const longest = Math.min(MAX_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (sends - 1));
	return requestedMs ?? Math.round((longest * (1 + random)) / 2);
}
