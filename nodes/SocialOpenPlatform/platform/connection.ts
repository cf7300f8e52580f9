/** The reason for a missing response. It says whether the request may have reached the platform. */
export interface NoResponse {
	/** False only if the request certainly was not sent, so that it is safe to send it again. */
	mayHaveArrived: boolean;
	/** The event that replaced the response. It follows a colon in a message. */
	reason: string;
	advice: string;
	/** Whether the platform may be available again soon. */
	isTemporary?: true;
}

const CHECK_CONNECTION =
	'Check that the platform is available and that this n8n instance can reach it, then retry.';
const CHECK_NETWORK = 'Check the network and DNS of this n8n instance, then retry.';

/** A request that certainly was not sent. */
const neverSent = (reason: string, advice: string, isTemporary?: true): NoResponse => ({
	mayHaveArrived: false,
	reason,
	advice,
	isTemporary,
});

/**
 * Error codes of Node's sockets and DNS that occur before a request is sent
 * (https://nodejs.org/api/errors.html#common-system-errors).
 */
const neverSentCodes: Record<string, NoResponse> = {
	ECONNREFUSED: neverSent('the connection was refused', CHECK_CONNECTION, true),
	ENOTFOUND: neverSent(
		'the host was not found',
		'Check the spelling of the Base URL in the credential.',
	),
	EAI_AGAIN: neverSent('the host name could not be resolved at the moment', CHECK_NETWORK, true),
};

const timedOut: NoResponse = {
	mayHaveArrived: true,
	reason: 'no response arrived in time (timeout)',
	advice: 'The platform may be slow or unavailable. Try again later.',
};
const closed: NoResponse = {
	mayHaveArrived: true,
	reason: 'the connection was closed before a response arrived',
	advice: CHECK_CONNECTION,
};

const unreachable = neverSent('the host cannot be reached', CHECK_CONNECTION, true);
const noHttps = neverSent(
	'the host does not speak HTTPS on this port',
	'Check the scheme and the port of the Base URL in the credential.',
);
const unusable: NoResponse = { ...closed, reason: 'no usable response arrived' };
const cancelled: NoResponse = { ...closed, reason: 'the execution was cancelled while waiting' };
const brokenTls: NoResponse = { ...unusable };
const beforeConnection = new Map([
	[brokenTls, 'no secure connection (TLS) could be established'],
	[timedOut, 'no connection was established in time (timeout)'],
	[cancelled, 'the execution was cancelled'],
]);

/** The parts of Node's `ClientRequest` that this package reads. */
interface ClientRequest {
	socket?: {
		/** True for every TLS socket. */
		encrypted?: boolean;
		/** True until the TLS handshake is done and the certificate is accepted. */
		secureConnecting?: boolean;
		/**
		 * Number of bytes that the operating system has accepted. `bytesWritten` would also count
		 * bytes that are still waiting.
		 */
		_bytesDispatched?: number;
	} | null;
}

/**
 * Whether bytes of a request may have been sent, according to the state of its open or closed
 * socket. Node sends nothing of a request before the connection is established or, with TLS, before
 * the handshake is done.
 *
 * @returns undefined if the socket does not show it
 */
export function wasSent(request: ClientRequest | undefined) {
	const { encrypted, secureConnecting, _bytesDispatched } = request?.socket ?? {};
	if (encrypted) return secureConnecting === undefined ? undefined : !secureConnecting;
	return _bytesDispatched === undefined ? undefined : _bytesDispatched > 0;
}

/** The error of an HTTP client, with its code and the system call that failed. */
export interface ConnectionError {
	code?: string;
	syscall?: string;
	name?: string;
	message?: string;
	description?: string;
	/** n8n's own refusals, before it connects, have the level "info". */
	level?: string;
	request?: ClientRequest;
	/** The code of one of this package's own errors. */
	errorCode?: string;
}

/** Codes of OpenSSL and Node for a certificate that is not valid or not trusted. */
const BAD_CERTIFICATE =
	/^(CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(GET|VERIFY)|ERR_TLS_CERT)/;

const MAX_QUOTED = 100;

/** HTTP clients drop the system call, but Node's messages begin with it: "connect ETIMEDOUT …". */
const SYSCALL_IN_MESSAGE = /^([a-z]+) E[A-Z]+\b/;

/**
 * Reads the error of an HTTP client. The state of the connection takes precedence over the error
 * code, because some codes occur both before and after the request was sent. If neither shows that
 * the request was not sent, it may have arrived.
 */
export function readConnectionError(error: ConnectionError): NoResponse {
	const read = readCode(error);
	const isSent = wasSent(error.request) ?? read.mayHaveArrived;
	if (isSent === read.mayHaveArrived) return read;
	return isSent ? unusable : notConnected(read);
}

/** The reason for a request that had no connection. */
function notConnected(read: NoResponse): NoResponse {
	const reason = beforeConnection.get(read) ?? 'no connection could be established';
	return { ...read, mayHaveArrived: false, reason };
}

function readCode(error: ConnectionError) {
	const { code = '', message = '' } = error;
	if (error.level === 'info') {
		return neverSent(
			`n8n refused the request: “${message}”`,
			error.description ?? "Check 'Allowed HTTP Request Domains' in the credential.",
		);
	}
	const known = neverSentCodes[code];
	if (known) return known;
	if (BAD_CERTIFICATE.test(code)) {
		return neverSent(
			`the server's certificate was not accepted (${message.slice(0, MAX_QUOTED) || code})`,
			'Check the Base URL in the credential and the clock of this machine, or ask the platform to renew its certificate.',
		);
	}
	const syscall = error.syscall ?? SYSCALL_IN_MESSAGE.exec(message)?.[1] ?? '';
	if (code === 'ERR_CANCELED') return cancelled;
	// A host can also become unreachable after the request was sent over an open connection.
	if (/^E(HOST|NET)UNREACH$/.test(code) && !/^(read|write)/.test(syscall)) return unreachable;
	if (code === 'EPROTO' && /wrong version number|packet length too long/i.test(message))
		return noHttps;
	if (syscall === 'connect' || /before secure TLS connection/.test(message)) {
		return notConnected(closed);
	}
	if (/^(EPROTO|ERR_SSL_.*)$/.test(code)) return brokenTls;
	if (/ETIMEDOUT|ESOCKETTIMEDOUT/.test(code) || /timeout/i.test(message)) return timedOut;
	return /^(ECONNRESET|ECONNABORTED|EPIPE)$/.test(code) ? closed : unusable;
}

/**
 * Finds the original error inside the error that n8n throws. n8n 2 keeps it as the cause. n8n 1
 * keeps its message as the first of the messages, and its code as the HTTP code.
 */
export function originalErrorOf(error: unknown): ConnectionError {
	if (!(error instanceof Error)) return { message: String(error) };
	if (error.cause instanceof Error) return error.cause;
	const { httpCode, messages } = error as { httpCode?: string | null; messages?: string[] };
	if (!messages) return error;
	const code = httpCode ?? undefined;
	return { code, errorCode: code, message: messages[0] ?? error.message };
}
