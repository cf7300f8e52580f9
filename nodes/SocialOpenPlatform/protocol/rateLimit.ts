/** How a refusal says that it came too soon, where its status and code do not. */
const SAYS_SO =
	/频繁|频率(超|过)|速率限制|(请求|操作|调用|访问|发布)过快|限流|too (many requests|frequent)|\brate.?limit/i;

const TOO_MANY_REQUESTS = 429;

/** Whether a platform's message asks to slow down, in Chinese or in English. */
export function saysTooMany(message: string | null | undefined): boolean {
	return SAYS_SO.test(message ?? '');
}

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
 * credential lists, or a message that says so, as the interface shows no code for it. Nothing was
 * done, so the request can be sent again.
 */
export function isRateLimited(
	{ status, code, message }: RefusalSigns,
	codes: ReadonlySet<number>,
): boolean {
	if (status === TOO_MANY_REQUESTS || saysTooMany(message)) return true;
	return typeof code === 'number' && codes.has(code);
}

/**
 * Reads Retry-After (RFC 9110, section 10.2.3): seconds, or an HTTP date.
 *
 * @returns milliseconds from now, undefined when there is nothing to read
 */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
	const text = header?.trim() ?? '';
	if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
	// Dates alone: the parser would take a bare word or number for one too.
	const date = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
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
