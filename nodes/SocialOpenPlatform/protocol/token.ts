import { z } from 'zod/v4';

/**
 * Visible ASCII characters. Other characters may be changed in an HTTP header (RFC 9110, section
 * 5.5).
 */
export const HEADER_SAFE = /^[\x21-\x7e]+$/;

/** Maximum length of a token. Servers refuse requests with longer headers. */
const MAX_LENGTH = 8_000;

const tokenSchema = z.string().max(MAX_LENGTH).regex(HEADER_SAFE);

/** The assumed name of the field that holds the token. */
const TOKEN_FIELD = 'access_token';

/** Maximum nesting at which the token is searched for. */
const MAX_DEPTH = 5;

/**
 * Finds the access token in the `data` of a token response. The interface does not show this
 * response, so the token is searched for by its name at every level of `data`.
 *
 * @returns undefined if there is no token that a header can contain
 */
export function findAccessToken(data: unknown): string | undefined {
	return candidates(data).find((value): value is string => tokenSchema.safeParse(value).success);
}

/** All values with the token's name, starting at the top level. */
function candidates(data: unknown, depth = 0): unknown[] {
	if (typeof data !== 'object' || data === null || depth > MAX_DEPTH) return [];
	const own = Object.entries(data).filter(([name]) => name === TOKEN_FIELD);
	return [
		...own.map(([, value]) => value as unknown),
		...Object.values(data).flatMap((value) => candidates(value, depth + 1)),
	];
}

/** What a response with a rate limit says about the wait. */
interface RateLimit {
	/** The Retry-After header. */
	retryAfter?: string;
	/** Milliseconds that the platform asks to wait. */
	requestedMs?: number;
}

/**
 * The error of a token exchange without a token. Its message says what happened and what to do, and
 * contains no secret.
 */
export class NoAccessToken extends Error {
	override name = 'NoAccessToken';
	/** n8n 1 wraps the error, but keeps this code. */
	static readonly code = 'NO_ACCESS_TOKEN';
	readonly errorCode = NoAccessToken.code;

	/** @param rateLimit set if the platform has refused the exchange because of a rate limit */
	constructor(
		message: string,
		readonly rateLimit?: RateLimit,
	) {
		super(message);
	}
}
