import { z } from 'zod/v4';

/** Visible ASCII. Other characters may not survive in an HTTP header (RFC 9110, section 5.5). */
export const HEADER_SAFE = /^[\x21-\x7e]+$/;

/** Servers refuse requests whose headers are longer. */
const MAX_LENGTH = 8_000;

const tokenSchema = z.string().max(MAX_LENGTH).regex(HEADER_SAFE);

/** The assumed name of the field that holds the token. */
const TOKEN_FIELD = 'access_token';

/** Levels of nesting that are searched for the token. */
const MAX_DEPTH = 5;

/**
 * Finds the access token in the `data` of a token response. The interface does not show that response,
 * so the token is looked for by its name at every level of `data`.
 *
 * @returns undefined if there is no token that a header can carry
 */
export function findAccessToken(data: unknown): string | undefined {
	return candidates(data).find((value): value is string => tokenSchema.safeParse(value).success);
}

/** Whether there are values under the token's name, none of which a header can carry. */
export function hasUnusableToken(data: unknown): boolean {
	const isEmpty = (value: unknown) => value === '' || value === null;
	return candidates(data).some((value) => !isEmpty(value)) && findAccessToken(data) === undefined;
}

/** The values under the token's name, the outermost first. */
function candidates(data: unknown, depth = 0): unknown[] {
	if (typeof data !== 'object' || data === null || depth > MAX_DEPTH) return [];
	const own = Object.entries(data).filter(([name]) => name === TOKEN_FIELD);
	return [
		...own.map(([, value]) => value as unknown),
		...Object.values(data).flatMap((value) => candidates(value, depth + 1)),
	];
}

/** No token could be fetched. The message says what happened and what to do, and holds no secret. */
export class NoAccessToken extends Error {
	override name = 'NoAccessToken';
	/** n8n 1 wraps the error and keeps this code of it. */
	static readonly code = 'NO_ACCESS_TOKEN';
	readonly errorCode = NoAccessToken.code;

	/** @param retryAfter the Retry-After header, if the platform asks to wait */
	constructor(
		message: string,
		readonly retryAfter?: string,
	) {
		super(message);
	}
}
