/** The reason for a missing response, and whether the request may have reached the platform. */
export interface NoResponse {
	/** False only if the request was certainly not sent, so that it can safely be resent. */
	mayHaveArrived: boolean;
	/** The reason, which follows a colon in messages. */
	reason: string;
	advice: string;
	/** The cause in n8n's terms, if the platform may soon be available again. */
	cause?: { cause: 'temporarily-unavailable' };
}

const TEMPORARY = { cause: 'temporarily-unavailable' } as const;

const CHECK_CONNECTION =
	'Check that the platform is available and that this n8n instance can reach it, directly or through its proxy, then retry.';

export const CHECK_PROXY =
	"Check the proxy in this n8n instance's variable HTTPS_PROXY or HTTP_PROXY: its address, user name and password, and whether it allows connections to the Base URL.";

/** The meaning of an error. Without `advice`, the user is told to check the connection. */
interface ErrorMeaning {
	/** The reason if the request may have been sent. Errors that always precede sending have none. */
	sent?: string;
	/** The reason if the request was not sent. An ellipsis is replaced with the error's message. */
	notSent?: string;
	advice?: string;
	cause?: NoResponse['cause'];
}

const NO_RESPONSE = 'no usable response arrived';
const NO_CONNECTION = 'no connection could be established';

/**
 * The meanings of errors from Node's sockets, DNS and TLS
 * (https://nodejs.org/api/errors.html#common-system-errors), and from HTTP clients. Each pattern is
 * matched against an error's code, system call, message and level, separated by vertical bars. The
 * first match counts. The last pattern matches every other error, after which the request may have
 * been sent.
 */
const errorMeanings: Array<[pattern: RegExp, meaning: ErrorMeaning]> = [
	[
		// n8n refuses some requests before it connects, with errors of this level.
		/\|info$/,
		{
			notSent: 'n8n refused the request: “…”',
			advice: "Check 'Allowed HTTP Request Domains' in the credential.",
		},
	],
	[/^ECONNREFUSED\|/, { notSent: 'the connection was refused', cause: TEMPORARY }],
	[
		/^ENOTFOUND\|/,
		{
			notSent: 'the host was not found',
			advice: 'Check the spelling of the Base URL in the credential.',
		},
	],
	[
		/^(CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(GET|VERIFY)|ERR_TLS_CERT)/,
		{
			notSent: "the server's certificate was not accepted (…)",
			advice:
				'Check the Base URL in the credential and the clock of this machine, or ask the platform to renew its certificate.',
		},
	],
	[
		// A read or write error occurs on an open connection, so the request may have been sent.
		/^EAI_AGAIN\||^E(HOST|NET)UNREACH\|(?!read|write)/,
		{ notSent: 'the host cannot be reached', cause: TEMPORARY },
	],
	[
		/^EPROTO\|.*(wrong version number|packet length too long)/is,
		{
			notSent: 'the host does not speak HTTPS on this port',
			advice: 'Check the scheme and the port of the Base URL in the credential.',
		},
	],
	[
		/proxy connection ended/i,
		{ notSent: 'the proxy closed the connection', advice: CHECK_PROXY, cause: TEMPORARY },
	],
	[/^[^|]*\|connect\||before secure TLS connection/, { cause: TEMPORARY }],
	[
		/TIMEDOUT\||timeout/i,
		{
			sent: 'no response arrived in time (timeout)',
			notSent: 'no connection was established in time (timeout)',
			advice: 'The platform may be slow or unavailable. Try again later.',
			cause: TEMPORARY,
		},
	],
	[
		/^(ECONNRESET|ECONNABORTED|EPIPE)\|/,
		{ sent: 'the connection was closed before a response arrived', cause: TEMPORARY },
	],
	[/^/, { sent: NO_RESPONSE }],
];

/** The parts of Node's `ClientRequest` that this package reads. */
interface ClientRequest {
	/** Null until a socket is assigned. A proxy that refuses may prevent this. */
	socket?: {
		/** Whether the socket uses TLS. */
		encrypted?: boolean;
		/** Whether the TLS handshake, including the certificate check, is still in progress. */
		secureConnecting?: boolean;
		/**
		 * Number of bytes that the operating system has accepted. `bytesWritten` would also count bytes
		 * that are still waiting in Node.js.
		 */
		_bytesDispatched?: number;
	} | null;
}

/**
 * Whether any part of a request may have been sent, according to its open or closed socket. Node
 * sends nothing before the connection is established or, with TLS, before the handshake is done.
 *
 * @returns undefined if the socket does not show it
 */
export function wasSent(request: ClientRequest | undefined) {
	if (request?.socket === null) return false;
	const { encrypted, secureConnecting, _bytesDispatched } = request?.socket ?? {};
	if (encrypted) return secureConnecting === undefined ? undefined : !secureConnecting;
	return _bytesDispatched === undefined ? undefined : _bytesDispatched > 0;
}

/** An error of an HTTP client, with its code and the system call that failed. */
interface ConnectionError {
	code?: string;
	syscall?: string;
	name?: string;
	message?: string;
	description?: string;
	level?: string;
	request?: ClientRequest;
	cause?: unknown;
	/** Only n8n's own errors have `httpCode` and `messages`. */
	httpCode?: string | null;
	messages?: string[];
	/** The code of one of this package's own errors. */
	errorCode?: string;
}

/** Maximum length of an error message that is quoted in a reason, in characters. */
const MAX_ERROR_MESSAGE = 300;

/**
 * An HTTP client's errors lack the system call, but Node's messages begin with it, as in "connect
 * ETIMEDOUT …".
 */
const SYSCALL_IN_MESSAGE = /^([a-z]+) E[A-Z]+\b/;

/**
 * Reads an HTTP client's error. The state of the connection takes precedence over the error code,
 * because some codes occur both before and after a request is sent. If neither shows that the
 * request was not sent, it may have arrived.
 */
export function readConnectionError(error: ConnectionError): NoResponse {
	const { code = '', message = '', level, description } = error;
	const syscall = error.syscall ?? SYSCALL_IN_MESSAGE.exec(message)?.[1];
	const text = [code, syscall, message, level].join('|');
	const [, meaning] = errorMeanings.find(([pattern]) => pattern.test(text))!;
	const { sent, notSent = NO_CONNECTION, advice = CHECK_CONNECTION, cause } = meaning;
	if (wasSent(error.request) ?? sent) {
		const reason = sent ?? NO_RESPONSE;
		return { mayHaveArrived: true, reason, advice: sent ? advice : CHECK_CONNECTION };
	}
	const reason = notSent.replace('…', () => message.slice(0, MAX_ERROR_MESSAGE) || code);
	const byN8n = level === 'info' ? description : undefined;
	return { mayHaveArrived: false, reason, advice: byN8n ?? advice, cause };
}

/**
 * Returns the original error behind an error that n8n has thrown. n8n 2 keeps the original error as
 * the cause. n8n 1 keeps only its message, as the first entry of `messages`, and its code, as
 * `httpCode`.
 */
export function originalErrorOf(error: unknown): ConnectionError {
	const thrown = Object(error) as ConnectionError;
	const { httpCode, messages, cause, message } = thrown;
	if (!messages) return thrown;
	if (cause instanceof Error) return cause;
	const code = httpCode ?? undefined;
	return { code, errorCode: code, message: messages[0] ?? message };
}
