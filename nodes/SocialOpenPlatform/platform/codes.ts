import { CHECK_PROXY } from './connection';
import { isChat, type RequestKind } from './outcome';
import type { Settings } from './settings';

/** The codes that the credential lists for expired tokens and for rate limits. */
export type CodeSettings = Pick<Settings, 'renewalCodes' | 'rateLimitCodes'>;

/** The meaning of a refusal in English, and advice for the user. */
interface CodeReading {
	reading: string;
	advice: string;
	/** The cause in n8n's terms. It is absent if it is uncertain or may lie in the item's data. */
	cause?: 'credential-invalid' | 'configuration-invalid' | 'rate-limited';
}

const means = (reading: string, cause: CodeReading['cause'], advice: string): CodeReading => ({
	reading,
	cause,
	advice,
});

const renew = means(
	'the access token was not accepted',
	'credential-invalid',
	'Check App ID and App Secret in the credential. If other programs use the same App ID, each of their new tokens may invalidate the one used here.',
);
const signature = means(
	'the signature is wrong, which usually means a wrong App Secret',
	'credential-invalid',
	"Check the App Secret in the credential: copy it again from the platform's console, without spaces around it. Also check the App ID, and that the clock of this machine is correct to within a minute.",
);
const application = means(
	'the application is unknown or disabled',
	'credential-invalid',
	"Compare the App ID in the credential with the platform's console.",
);
const address = means(
	'there is no API endpoint at this address',
	'configuration-invalid',
	'Check Base URL and, under Show Advanced Settings, Platform Name in the credential.',
);
const permission = means(
	'no permission',
	'configuration-invalid',
	"Check in the platform's console which operations and accounts the application may use.",
);
const notAccepted = means(
	'the request was not accepted',
	undefined,
	"Read the platform's message. The platform's support can find the request by its request ID.",
);
const tooManyRequests = means(
	'too many requests',
	'rate-limited',
	'The request had no effect. Wait a moment, then retry.',
);

const slowDown: CodeReading = {
	...tooManyRequests,
	cause: undefined,
	advice:
		'Wait a moment, then retry. If this code always reports a rate limit, add it to Rate-Limit Codes in the credential: the node then waits and sends the request again.',
};
const blocked = means(
	'a firewall or proxy refused it',
	'configuration-invalid',
	'Ask the operator of this n8n instance whether a firewall or proxy blocks requests to the Base URL.',
);

/**
 * Business codes that similar APIs use. The platform's documentation shows no error codes
 * ("Errors"), so their meanings are assumed. These meanings are added to the platform's message and
 * never replace it.
 */
const byCode = new Map<unknown, CodeReading>([
	[10105, signature],
	[10106, signature],
	[10108, signature],
	[10000, application],
	[1003, permission],
	[2100, address],
]);

const byStatus = new Map<unknown, CodeReading>([
	[
		401,
		means(
			'not authorized',
			'credential-invalid',
			'Check App ID and App Secret in the credential, and test it.',
		),
	],
	[403, permission],
	[404, address],
	[405, address],
	[407, means('a proxy requires a login', 'configuration-invalid', CHECK_PROXY)],
]);

/**
 * The meaning of a refused App Secret. Chat requests contain the App Secret instead of a signature
 * or a token.
 */
const secretRefused = means(
	'the App Secret was not accepted',
	'credential-invalid',
	'Check App Secret and, under Show Advanced Settings, Chat Secret Header and Chat Secret Prefix in the credential. Chat operations send the App Secret instead of an access token.',
);
const noModel = means(
	'there is no such model, or no chat endpoint at this address',
	'configuration-invalid',
	"Check 'Model', and the Base URL in the credential.",
);

/** The parts of a response that show why the platform has refused a request. */
export interface RefusalReason {
	status?: number;
	code?: number | string;
	message?: string;
	/** Whether the response is not in the platform's format, for example because a proxy sent it. */
	isForeign?: boolean;
}

/**
 * Matches messages that may report a rate limit. The platform's documentation shows no code for
 * rate limits. A message alone does not prove that the request had no effect, so it only selects
 * the advice.
 */
const SLOW_DOWN = /频繁|频率|限流|速率限制|过快|too (many requests|frequent)|\brate.?limit/i;

/**
 * Whether the platform has rejected a request's token, with HTTP 401 or with a code that the
 * credential lists.
 */
export function isTokenRejected({ status, code }: RefusalReason, { renewalCodes }: CodeSettings) {
	return status === 401 || renewalCodes.has(code as number);
}

/**
 * Explains a refusal. The first known reason counts: a rate limit, HTTP 403 from a proxy, the code,
 * the HTTP status, or the message. HTTP 429 (RFC 6585, section 4) and the credential's Rate-Limit
 * Codes report a rate limit, after which the request can be resent.
 */
export function explain(
	{ status, code, message = '', isForeign }: RefusalReason,
	request: RequestKind & { settings: CodeSettings },
): CodeReading {
	const { renewalCodes, rateLimitCodes } = request.settings;
	// OpenAI's API also reports a used-up quota with HTTP 429, and waiting does not help then.
	const isLimited = status === 429 && code !== 'insufficient_quota';
	if (isLimited || rateLimitCodes.has(code as number)) return tooManyRequests;
	if (isForeign && status === 403) return blocked;
	const known =
		byCode.get(code) ?? (renewalCodes.has(code as number) ? renew : byStatus.get(status));
	const usual = known ?? (SLOW_DOWN.test(message) ? slowDown : notAccepted);
	if (!isChat(request)) return usual;
	if (usual.cause === 'credential-invalid') return secretRefused;
	return status === 404 ? noModel : usual;
}

/**
 * Reads the Retry-After header, which contains seconds or an HTTP date (RFC 9110, section 10.2.3).
 *
 * @returns milliseconds from now, or undefined if the header is missing or invalid, or if the time
 * has passed
 */
export function readRetryAfter(header = '') {
	const isSeconds = /^\s*\d+(\.\d+)?\s*$/.test(header);
	const ms = isSeconds ? Math.ceil(Number(header) * 1000) : Date.parse(header) - Date.now();
	return ms >= 0 ? ms : undefined;
}

const FIRST_BACK_OFF_MS = 1000;
const MAX_BACK_OFF_MS = 60_000;

/**
 * Returns how long to wait before a request is resent. The wait is as long as the platform asks,
 * but at least one second. This minimum doubles with each send, up to a minute.
 *
 * @param requestedMs milliseconds from Retry-After, if the response had this header
 * @param sends how many times the request has been sent, 1 or more
 * @param random a number from 0 to 1, which spreads requests that would otherwise be sent at the
 * same time
 * @returns milliseconds
 */
export function waitBefore(requestedMs: number | undefined, sends: number, random: number) {
	const shortest = Math.min(MAX_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (sends - 1));
	return Math.max(shortest, requestedMs ?? Math.round(shortest * (1 + random / 2)));
}
