import { createHash } from 'node:crypto';
import type { Settings } from './settings';

/**
 * Visible ASCII characters. Other characters may be changed in an HTTP header (RFC 9110, section
 * 5.5).
 */
export const HEADER_SAFE = /^[\x21-\x7e]+$/;

/** Maximum length of a token. Servers refuse requests with longer headers. */
const MAX_LENGTH = 8_000;

/** The names that the field with the token may have, the assumed one first. */
const TOKEN_FIELDS = ['access_token', 'accessToken', 'token'];

/** Maximum nesting at which the token is searched for. */
const MAX_DEPTH = 5;

/**
 * Finds the access token in the `data` of a token response. The interface does not show this
 * response, so the token is searched for by its name at every level of `data`, which may also be
 * the token itself.
 *
 * @throws NoAccessToken if there is no token that a header can contain
 */
export function findAccessToken(data: unknown): string {
	const found = [...TOKEN_FIELDS.flatMap((field) => valuesOf(field, data)), data];
	const token = found.find((value) => typeof value === 'string' && HEADER_SAFE.test(value));
	if (typeof token === 'string' && token.length <= MAX_LENGTH) return token;
	const issue = token
		? `its access token is longer than ${MAX_LENGTH} characters, which is too long for a header`
		: 'its response contains no access token that can be used: text with only visible ASCII characters';
	throw new NoAccessToken(`The platform accepted App ID and App Secret, but ${issue}.`);
}

/** All values of a field, starting at the top level. */
function valuesOf(field: string, data: unknown, depth = 0): unknown[] {
	if (typeof data !== 'object' || data === null || depth > MAX_DEPTH) return [];
	const own = Object.hasOwn(data, field) ? [(data as Record<string, unknown>)[field]] : [];
	return [...own, ...Object.values(data).flatMap((value) => valuesOf(field, value, depth + 1))];
}

/** A digest of the application for which a token is issued. It does not contain the App Secret. */
export function applicationDigest({ baseUrl, appId, appSecret }: Settings): string {
	const application = JSON.stringify([baseUrl.href, appId, appSecret]);
	return createHash('sha256').update(application).digest('hex');
}

/**
 * The value that n8n stores for a token. n8n keeps it when the other fields of the credential
 * change, and an expression may give each execution another application.
 */
export function boundToken(token: string, settings: Settings): string {
	return `${token} ${applicationDigest(settings)}`;
}

/** Returns the token of a stored value, or empty text if it belongs to another application. */
export function tokenIn(stored: unknown, settings: Settings): string {
	const [token = ''] = String(stored).split(' ');
	return stored === boundToken(token, settings) ? token : '';
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

	/** @param rateLimit set if the platform has refused the exchange because of a rate limit */
	constructor(
		message: string,
		readonly rateLimit?: RateLimit,
	) {
		super(message);
	}
}
