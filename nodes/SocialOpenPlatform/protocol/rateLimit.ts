import { saysTooMany } from './codes';

const TOO_MANY_REQUESTS = 429;

/** What of a refusal tells whether it came of too many requests. */
export interface RefusalSigns {
	/** HTTP status. */
	status: number;
	code?: number | string;
	/** The platform's own message. */
	message?: string;
}

/**
 * Whether a refusal means "not now": HTTP 429 (RFC 6585, section 4), one of the codes that the
 * credential lists, or a message that says so, as the interface shows no code for it. Beside a code
 * that means something else, the message says what is wrong with the content. Nothing was done, so the
 * request can be sent again.
 */
export function isRateLimited(
	{ status, code, message }: RefusalSigns,
	codes: ReadonlySet<number>,
): boolean {
	if (status === TOO_MANY_REQUESTS) return true;
	return (typeof code === 'number' && codes.has(code)) || saysTooMany(message, code);
}

/**
 * Reads Retry-After (RFC 9110, section 10.2.3): seconds, or an HTTP date.
 *
 * @param date the Date header of the same answer; a Retry-After date is by the same clock
 * @returns milliseconds from now, undefined when there is nothing to read
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

/** Dates alone: the parser would take a bare word or number for one too. */
function readDate(text: string): number | undefined {
	const date = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(date) ? undefined : date;
}

const FIRST_BACK_OFF_MS = 1000;
const MAX_BACK_OFF_MS = 60_000;

/** Whoever waited together does not come back together. */
const MAX_SPREAD_MS = 500;

/**
 * How long to wait before a request is sent again: never less than the platform asks for, and where
 * it asks for nothing, twice as long each time, up to a minute.
 *
 * @param asked milliseconds of Retry-After, if it was there
 * @param sends how often the request was sent, 1 or more
 * @param random 0 to 1, for the jitter
 * @returns whole milliseconds
 */
export function waitBefore(asked: number | undefined, sends: number, random: number): number {
	if (asked !== undefined) return asked + Math.round(random * MAX_SPREAD_MS);
	const longest = Math.min(MAX_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (sends - 1));
	return Math.round((longest * (1 + random)) / 2);
}
