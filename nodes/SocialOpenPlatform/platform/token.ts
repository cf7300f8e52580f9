import { type Failure } from './outcome';
import { applicationDigest, HEADER_SAFE, type Settings } from './settings';

/** Maximum length of a token, in characters. Many servers refuse requests with longer headers. */
const MAX_LENGTH = 8_000;

/** Possible names of the field that contains the token, with the most likely one first. */
const TOKEN_FIELDS = ['access_token', 'accessToken', 'token'];

/**
 * Finds the access token in the `data` of a token response. The platform's documentation does not
 * show this response, so the token is searched for by its name at every level of `data`, which may
 * also be the token itself.
 *
 * @throws NoAccessToken if there is no token that a header can contain
 */
export function findAccessToken(data: unknown): string {
	const found = [...TOKEN_FIELDS.flatMap((field) => fieldValuesIn(field, data)), data];
	const isToken = (value: unknown) =>
		typeof value === 'string' && value.length <= MAX_LENGTH && HEADER_SAFE.test(value);
	const token = found.find(isToken);
	if (token) return token as string;
	throw new NoAccessToken(
		`The platform accepted App ID and App Secret, but its response contains no access token that can be used: text of up to ${MAX_LENGTH} visible ASCII characters.`,
	);
}

/** Returns all values of a field at any level of `data`, starting at the top level. */
function fieldValuesIn(field: string, data: unknown): unknown[] {
	if (typeof data !== 'object' || data === null) return [];
	const own = Object.hasOwn(data, field) ? [(data as Record<string, unknown>)[field]] : [];
	return [...own, ...Object.values(data).flatMap((value) => fieldValuesIn(field, value))];
}

/**
 * Thrown if a token exchange returns no usable token. Its message is for the user and contains no
 * secret.
 */
export class NoAccessToken extends Error {
	override name = 'NoAccessToken';

	/** @param failure the failure of a request that needs the token, if the cause is temporary */
	constructor(
		message: string,
		readonly failure?: Omit<Failure, 'message'>,
	) {
		super(message);
	}
}

/**
 * Milliseconds during which callers share a new token. n8n usually stores the token within this
 * time, and later callers read the stored token.
 */
const SHARED_MS = 5_000;

/** Maximum pause between exchanges in milliseconds, even if the platform requests a longer one. */
const MAX_PAUSE_MS = 60 * 60_000;

/** Maximum number of applications whose latest exchange is remembered. */
const MAX_APPLICATIONS = 100;

/** An application's latest token exchange. */
interface Exchange {
	result: Promise<string>;
	/** The token, after the exchange has succeeded. */
	token?: string;
	/**
	 * The time until which callers get this result instead of making an exchange, as a value of
	 * `performance.now()`, which changes to the system clock do not affect.
	 */
	until: number;
	/** The error, after the exchange has failed. */
	error?: NoAccessToken;
}

/** The latest exchange of each application, by the application's digest. */
const exchanges = new Map<string, Exchange>();

/**
 * Returns an access token, and whether this caller has fetched it. All callers that need a token at
 * the same time share one exchange, because n8n does not lock a credential during its
 * pre-authentication, and if a new token revokes the earlier ones, parallel exchanges would revoke
 * each other's tokens.
 *
 * @param rejected the stored value of the token that the platform rejected, or an empty string if
 * any recent token can be used; undefined asks for a token that is newer than all others
 * @throws the error of the exchange, for all callers that share it. After a rate limit, callers
 * share the error as long as the platform asks to wait, up to an hour.
 */
export async function getToken(
	settings: Settings,
	rejected: string | undefined,
	exchange: () => Promise<string>,
) {
	const key = applicationDigest(settings);
	const latest = exchanges.get(key);
	if (latest && performance.now() < latest.until) {
		const { token, result } = latest;
		if (token === undefined || (rejected !== undefined && token !== rejected)) {
			return { token: await result, isNew: false };
		}
	}
	const current: Exchange = { result: exchange(), until: Infinity };
	exchanges.set(key, current);
	const [oldest] = exchanges.keys();
	if (exchanges.size > MAX_APPLICATIONS) exchanges.delete(oldest!);
	await current.result.then(
		(token) => {
			current.token = token;
			current.until = performance.now() + SHARED_MS;
		},
		(error: NoAccessToken) => {
			const { retryAfterMs = 0 } = error.failure?.cause ?? {};
			current.error = error;
			current.until = performance.now() + Math.min(retryAfterMs, MAX_PAUSE_MS);
		},
	);
	return { token: await current.result, isNew: true };
}

/**
 * Returns the failure of an application's latest token exchange. The failure is found by its
 * message, because n8n 1 keeps nothing else of the error.
 *
 * @returns undefined if the latest exchange has another message, or if its cause is not temporary
 */
export function exchangeFailure(settings: Settings, message: string): NoAccessToken['failure'] {
	const { error } = exchanges.get(applicationDigest(settings)) ?? {};
	return error?.message === message ? error.failure : undefined;
}
