import { z } from 'zod/v4';

/** Visible ASCII: anything else is not certain to travel in an HTTP header (RFC 9110, section 5.5). */
export const HEADER_SAFE = /^[\x21-\x7e]+$/;

const tokenSchema = z.string().regex(HEADER_SAFE);

/** The field that holds the token. Its place is not shown; its name is assumed. */
const TOKEN_FIELD = 'access_token';

/** How many levels of nesting are searched for the token. */
const MAX_DEPTH = 5;

/**
 * Finds the access token in the `data` of a token response. The interface does not show that
 * response: the token is found by its name `access_token`, wherever it stands in `data`.
 *
 * @returns undefined when there is none, or when what is there cannot be sent in a header
 */
export function findAccessToken(data: unknown): string | undefined {
	return candidates(data).find((value): value is string => tokenSchema.safeParse(value).success);
}

/** Whether there is a token, of which `findAccessToken` can make nothing. */
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

/** No token could be had. The message says what happened and what to do; it holds no secret. */
export class NoAccessToken extends Error {
	override name = 'NoAccessToken';
	/** What is left of its name where n8n 1 has wrapped it. */
	static readonly code = 'NO_ACCESS_TOKEN';
	readonly errorCode = NoAccessToken.code;

	/** @param retryAfter the Retry-After header, where the platform asks to wait */
	constructor(
		message: string,
		readonly retryAfter?: string,
	) {
		super(message);
	}
}
