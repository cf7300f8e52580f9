/** The meaning of a refusal in English, and what a user can do. */
export interface CodeReading {
	reading: string;
	advice: string;
	/** The cause in the words of n8n; absent if the data of the item may be the cause. */
	cause?: 'credential-invalid' | 'configuration-invalid' | 'rate-limited';
}

const renew: CodeReading = {
	reading: 'the access token was not accepted',
	cause: 'credential-invalid',
	advice:
		'Check App ID and App Secret in the credential. If other programs use the same App ID, each of their new tokens may invalidate the one used here.',
};
const invalid: CodeReading = {
	reading: 'the request was refused as invalid',
	advice: "Correct the field named in the platform's message, then retry.",
};
const application: CodeReading = {
	reading: 'the application is not allowed to do this',
	cause: 'configuration-invalid',
	advice: "Check the application's status and permissions in the platform's console.",
};
const signature: CodeReading = {
	reading: 'the signature was not accepted',
	cause: 'credential-invalid',
	advice:
		'Check App ID and App Secret in the credential, and that the clock of this machine is correct to within a minute.',
};
const address: CodeReading = {
	reading: 'there is no API endpoint at this address',
	cause: 'configuration-invalid',
	advice: 'Check Base URL and, under Show Advanced Settings, Platform Name in the credential.',
};
const method: CodeReading = {
	...address,
	reading: 'the API endpoint does not accept this HTTP method',
};
const permission: CodeReading = {
	reading: 'no permission',
	cause: 'configuration-invalid',
	advice: "Check in the platform's console which operations and accounts the application may use.",
};
/** The explanation of a rate limit. */
export const tooManyRequests: CodeReading = {
	reading: 'too many requests',
	cause: 'rate-limited',
	advice: 'The request had no effect. Wait a moment, then retry.',
};

/**
 * Business codes of the server family that the platform's interface matches. The interface itself
 * shows no codes ("Errors"), so these meanings are added to the platform's message and never
 * replace it.
 */
const readings: Record<number, CodeReading> = {
	1001: renew,
	1002: invalid,
	1003: permission,
	2000: method,
	2100: address,
	2150: invalid,
	2200: { ...application, reading: 'the API endpoint is disabled' },
	2300: { ...application, reading: 'the application is banned' },
	10000: {
		reading: 'the application is unknown or disabled',
		cause: 'credential-invalid',
		advice: "Compare the App ID in the credential with the platform's console.",
	},
	10010: { ...application, reading: 'the application was not authorized' },
	10020: { ...application, reading: 'the API endpoint is not assigned to this application' },
	10101: {
		reading: 'the App ID is missing',
		cause: 'credential-invalid',
		advice: 'Enter the App ID in the credential.',
	},
	10103: renew,
	10104: renew,
	10105: signature,
	10106: signature,
	10108: {
		reading: 'the signature is wrong, which usually means a wrong App Secret',
		cause: 'credential-invalid',
		advice:
			"Check the App Secret in the credential: copy it again from the platform's console, without spaces around it.",
	},
};

const byStatus: Record<number, CodeReading> = {
	401: {
		reading: 'not authorized',
		cause: 'credential-invalid',
		advice: 'Check App ID and App Secret in the credential, and test it.',
	},
	403: permission,
	404: address,
	405: method,
	429: tooManyRequests,
};

/** Texts in a message that report a rate limit. */
const RATE_LIMIT =
	/频繁|频率(超|过)|速率限制|(请求|操作|调用|访问|发布)过快|too (many requests|frequent)|\brate.?limit/i;

/** A word for a rate limit, which can also mean that a post is shown to fewer people. */
const AMBIGUOUS_RATE_LIMIT = /限流/;

/**
 * Whether a message of the platform reports a rate limit, in Chinese or in English.
 *
 * @param code the code of the same refusal; if it is known to mean something else, the message is
 * ignored
 */
export function reportsRateLimit(
	message: string | null | undefined,
	code?: number | string,
): boolean {
	if (typeof code === 'number' && code in readings) return false;
	if (RATE_LIMIT.test(message ?? '')) return true;
	return code === undefined && AMBIGUOUS_RATE_LIMIT.test(message ?? '');
}

/** Texts in a message that report a wrong signature. Platforms use several codes for it. */
const WRONG_SIGNATURE =
	/签名.{0,4}(错误|正确|无效|失败|匹配)|(invalid|wrong|incorrect) signature|signature (mismatch|verif)/i;

/** Explains a business code, or the HTTP status if there is no code. */
export function readingOf(
	code: number | string | undefined,
	status: number,
	message?: string | null,
): CodeReading {
	const known = typeof code === 'number' ? readings[code] : undefined;
	if (known?.cause !== 'credential-invalid' && WRONG_SIGNATURE.test(message ?? '')) {
		return signature;
	}
	return (
		known ??
		(reportsRateLimit(message, code) ? tooManyRequests : undefined) ??
		byStatus[status] ?? {
			reading: code === undefined ? 'it gave no code' : 'this node does not know the code',
			advice:
				"Read the platform's message. The platform's support can find the request by its request ID.",
		}
	);
}
