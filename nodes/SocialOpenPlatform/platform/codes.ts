import type { Settings } from './settings';

/** The meaning of a refusal in English, and what a user can do. */
export interface CodeReading {
	reading: string;
	advice: string;
	/** The cause in the words of n8n; absent if the data of the item may be the cause. */
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
const invalid = means(
	'the request was refused as invalid',
	undefined,
	"Correct the field named in the platform's message, then retry.",
);
const forApplication = (reading: string) =>
	means(
		reading,
		'configuration-invalid',
		"Check the application's status and permissions in the platform's console.",
	);
const signature = means(
	'the signature was not accepted',
	'credential-invalid',
	'Check App ID and App Secret in the credential, and that the clock of this machine is correct to within a minute.',
);
const address = means(
	'there is no API endpoint at this address',
	'configuration-invalid',
	'Check Base URL and, under Show Advanced Settings, Platform Name in the credential.',
);
const method = { ...address, reading: 'the API endpoint does not accept this HTTP method' };
const permission = means(
	'no permission',
	'configuration-invalid',
	"Check in the platform's console which operations and accounts the application may use.",
);
/** The explanation of a rate limit. */
const tooManyRequests = means(
	'too many requests',
	'rate-limited',
	'The request had no effect. Wait a moment, then retry.',
);

/**
 * Business codes of the server family that the platform's interface matches. The interface itself
 * shows no codes ("Errors"), so these meanings are added to the platform's message and never
 * replace it.
 */
const readings = new Map<unknown, CodeReading>([
	[1001, renew],
	[1002, invalid],
	[1003, permission],
	[2000, method],
	[2100, address],
	[2150, invalid],
	[2200, forApplication('the API endpoint is disabled')],
	[2300, forApplication('the application is banned')],
	[
		10000,
		means(
			'the application is unknown or disabled',
			'credential-invalid',
			"Compare the App ID in the credential with the platform's console.",
		),
	],
	[10010, forApplication('the application was not authorized')],
	[10020, forApplication('the API endpoint is not assigned to this application')],
	[
		10101,
		means('the App ID is missing', 'credential-invalid', 'Enter the App ID in the credential.'),
	],
	[10103, renew],
	[10104, renew],
	[10105, signature],
	[10106, signature],
	[
		10108,
		means(
			'the signature is wrong, which usually means a wrong App Secret',
			'credential-invalid',
			"Check the App Secret in the credential: copy it again from the platform's console, without spaces around it.",
		),
	],
]);

const byStatus: Record<number, CodeReading> = {
	401: means(
		'not authorized',
		'credential-invalid',
		'Check App ID and App Secret in the credential, and test it.',
	),
	403: permission,
	404: address,
	405: method,
	429: tooManyRequests,
};

/** The parts of a refusal that say why the platform has refused a request. */
interface RefusalReason {
	status?: number;
	code?: number | string;
	message?: string;
}

/** Texts in a message that report a rate limit. */
const RATE_LIMIT =
	/频繁|频率(超|过)|速率限制|(请求|操作|调用|访问|发布)过快|too (many requests|frequent)|\brate.?limit/i;

/** This word can also mean that a post is shown to fewer people, so it counts only without a code. */
const LIMITED = /限流/;

/** Texts in a message that report a wrong signature. Platforms use several codes for it. */
const WRONG_SIGNATURE =
	/签名.{0,4}(错误|正确|无效|失败|匹配)|(invalid|wrong|incorrect) signature|signature (mismatch|verif)/i;

/** A code of OpenAI's interface. */
export const QUOTA_USED_UP = 'insufficient_quota';

/**
 * Whether a refusal reports a rate limit: by HTTP 429 (RFC 6585, section 4), by a code that the
 * credential lists, or by its message in Chinese or English, because the interface shows no code for
 * rate limits. The message is ignored if the code is known to mean something else. After a rate
 * limit, the request can be sent again.
 */
export function isRateLimited(
	{ status, code, message = '' }: RefusalReason,
	codes: ReadonlySet<number>,
) {
	// A used-up quota does not end by waiting, although it is also reported by HTTP 429.
	if (code === QUOTA_USED_UP) return false;
	if (status === 429 || codes.has(code as number)) return true;
	if (readings.has(code)) return false;
	return RATE_LIMIT.test(message) || (code === undefined && LIMITED.test(message));
}

/** Whether the platform has rejected the token of a request, by HTTP 401 or inside HTTP 200. */
export function isTokenRejected(
	{ status, code }: RefusalReason,
	{ renewalCodes }: Pick<Settings, 'renewalCodes'>,
) {
	return status === 401 || renewalCodes.has(code as number);
}

/**
 * Explains a refusal: a rate limit, then its code, then the HTTP status.
 *
 * @param explained the meaning of a code that has another one for this operation
 */
export function explain(
	refusal: RefusalReason,
	settings: Pick<Settings, 'renewalCodes' | 'rateLimitCodes'>,
	explained = readingOf(refusal),
): CodeReading {
	if (isRateLimited(refusal, settings.rateLimitCodes)) return tooManyRequests;
	return isTokenRejected(refusal, settings)
		? { ...explained, cause: 'credential-invalid' }
		: explained;
}

function readingOf({ status, code, message = '' }: RefusalReason): CodeReading {
	const known = readings.get(code);
	if (known?.cause !== 'credential-invalid' && WRONG_SIGNATURE.test(message)) return signature;
	return (
		known ??
		byStatus[status ?? 0] ??
		means(
			code === undefined ? 'it gave no code' : 'this node does not know the code',
			undefined,
			"Read the platform's message. The platform's support can find the request by its request ID.",
		)
	);
}

/**
 * Reads the Retry-After header (RFC 9110, section 10.2.3): seconds, or an HTTP date.
 *
 * @param date the Date header of the same response, which comes from the same clock
 * @returns milliseconds from now; undefined if the header is missing or cannot be read
 */
export function readRetryAfter(header: string | undefined, now: Date, date?: string) {
	const text = header?.trim() ?? '';
	if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
	const until = readDate(text);
	const from = readDate(date?.trim()) ?? now.getTime();
	return until === undefined ? undefined : Math.max(0, until - from);
}

/**
 * Reads a date that begins with a weekday. `Date.parse` alone would also accept single words and
 * numbers.
 */
function readDate(text = '') {
	const date = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(date) ? undefined : date;
}

const FIRST_BACK_OFF_MS = 1000;
const MAX_BACK_OFF_MS = 60_000;

/**
 * Returns the wait before a request is sent again. It is as long as the platform requests. Without
 * Retry-After, the wait doubles each time, up to a minute.
 *
 * @param requestedMs milliseconds from Retry-After, if the response had this header
 * @param sends how many times the request was sent, 1 or more
 * @param random a number from 0 to 1, so that requests that have waited together start apart
 * @returns milliseconds
 */
export function waitBefore(requestedMs: number | undefined, sends: number, random: number) {
	const longest = Math.min(MAX_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (sends - 1));
	return requestedMs ?? Math.round((longest * (1 + random)) / 2);
}
