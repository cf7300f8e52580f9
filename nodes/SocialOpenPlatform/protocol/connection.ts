/** Why no answer came, and whether the request can have reached the platform. */
export interface NoAnswer {
	/** False only when the request certainly never left: then it is safe to send it again. */
	mayHaveArrived: boolean;
	/** What happened, as the second half of a sentence. */
	reason: string;
	advice: string;
}

const offline = 'Check that the platform is up and that this n8n can reach it, then try again.';
const certificate = (reason: string): NoAnswer => ({
	mayHaveArrived: false,
	reason: `the platform's certificate ${reason}`,
	advice: 'Check the Base URL in the credential, or ask the platform to renew its certificate.',
});

/** Codes of Node's sockets, DNS and TLS (https://nodejs.org/api/errors.html#common-system-errors). */
const neverSent: Record<string, NoAnswer> = {
	ECONNREFUSED: { mayHaveArrived: false, reason: 'the connection was refused', advice: offline },
	ENOTFOUND: {
		mayHaveArrived: false,
		reason: 'the host was not found',
		advice: 'Check the spelling of the Base URL in the credential.',
	},
	EAI_AGAIN: {
		mayHaveArrived: false,
		reason: 'the host name could not be looked up just now',
		advice: 'Check the network and name service of this n8n, then try again.',
	},
	CERT_HAS_EXPIRED: certificate('has expired'),
	CERT_NOT_YET_VALID: {
		...certificate('is not valid yet'),
		advice: 'Check that the clock of this machine is right, or tell the platform.',
	},
	DEPTH_ZERO_SELF_SIGNED_CERT: certificate('is self-signed'),
	SELF_SIGNED_CERT_IN_CHAIN: certificate('chain holds a self-signed one'),
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificate('cannot be verified'),
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificate('comes from an unknown issuer'),
	ERR_TLS_CERT_ALTNAME_INVALID: certificate('belongs to another host name'),
};

const timedOut: NoAnswer = {
	mayHaveArrived: true,
	reason: 'no answer came in time (timeout)',
	advice: 'The platform may be slow or down; try again later.',
};
const closed: NoAnswer = {
	mayHaveArrived: true,
	reason: 'the connection was closed before an answer came',
	advice: offline,
};

const unreachable: NoAnswer = {
	mayHaveArrived: false,
	reason: 'the host cannot be reached',
	advice: offline,
};
const noHttps: NoAnswer = {
	mayHaveArrived: false,
	reason: 'the host does not speak HTTPS on this port',
	advice: 'Check scheme and port of the Base URL in the credential.',
};
const unusable: NoAnswer = { ...closed, reason: 'no usable answer came back' };
const cancelled: NoAnswer = { ...closed, reason: 'the execution was cancelled while waiting' };
const brokenTls: NoAnswer = { ...unusable };
const beforeConnection = new Map([
	[brokenTls, 'no secure connection (TLS) could be established'],
	[timedOut, 'no connection was established in time (timeout)'],
	[cancelled, 'the execution was cancelled'],
]);

/** The execution was cancelled before the request left: it certainly did not arrive. */
export class CancelledBeforeSending extends Error {
	override name = 'CancelledBeforeSending';
	/** What is left of its name where n8n 1 has wrapped it. */
	static readonly code = 'CANCELLED_BEFORE_SENDING';
	readonly errorCode = CancelledBeforeSending.code;
}

/** One sending of a request, which the node and the credential follow through n8n. */
export interface Sending {
	/** Ends the request, beside n8n's own signal: n8n puts that in place of any other. */
	signal: AbortSignal;
	/** Called by the credential before it hands the request to n8n's HTTP client. */
	handOver: () => void;
	/** The request of Node's HTTP client, where it is known. */
	request?: ClientRequest;
}

/** Under which n8n carries it from the node to the credential. */
export const sendingOf = Symbol('sendingOf');

/** How many requests the credential has handed over without a sending, those of other nodes left out. */
export const strangers = { handedOver: 0 };

/** Request options that may carry one. */
export interface Followed {
	[sendingOf]?: Sending;
}

/** As much of Node's `ClientRequest` as is read. */
export interface ClientRequest {
	socket?: {
		/** Always true for TLS. */
		encrypted?: boolean;
		/** True until the TLS handshake is done and the certificate is accepted. */
		secureConnecting?: boolean;
		/** Bytes that were given to the system; `bytesWritten` also counts those that wait. */
		_bytesDispatched?: number;
	} | null;
}

/**
 * Whether bytes of a request can have left, as its socket tells, which keeps this when it is closed.
 * Node writes nothing of a request before the connection is established, and with TLS not before the
 * handshake is done.
 *
 * @returns undefined where it does not tell
 */
export function hasLeft(request: ClientRequest | undefined): boolean | undefined {
	if (!request?.socket) return undefined;
	const { encrypted, secureConnecting, _bytesDispatched } = request.socket;
	if (encrypted) return secureConnecting === undefined ? undefined : !secureConnecting;
	return _bytesDispatched === undefined ? undefined : _bytesDispatched > 0;
}

/** What an HTTP client's error tells: its own code, and the system call it happened in. */
export interface ConnectionError {
	code?: string;
	syscall?: string;
	message?: string;
	request?: ClientRequest;
}

/** HTTP clients leave the system call out; Node's messages begin with it: "connect ETIMEDOUT …". */
const NAMED_IN_MESSAGE = /^([a-z]+) E[A-Z]+\b/;

/**
 * Reads a client error that came instead of an answer. What the connection tells wins over the code of
 * the error: some codes occur before the request left and after. Anything not known to happen before
 * counts as possibly arrived.
 *
 * @param request whose answer did not come, where the error does not hold it
 */
export function readConnectionError(
	error: ConnectionError,
	request: ClientRequest | undefined = error.request,
): NoAnswer {
	const read = readCode(error);
	const left = hasLeft(request) ?? read.mayHaveArrived;
	if (left === read.mayHaveArrived) return read;
	return left ? unusable : notConnected(read);
}

/** The same without a connection. */
function notConnected(read: NoAnswer): NoAnswer {
	const reason = beforeConnection.get(read) ?? 'no connection could be established';
	return { ...read, mayHaveArrived: false, reason };
}

function readCode(error: ConnectionError): NoAnswer {
	const { code = '', message = '' } = error;
	const syscall = error.syscall ?? NAMED_IN_MESSAGE.exec(message)?.[1] ?? '';
	const known = neverSent[code];
	if (known) return known;
	if (code === 'ERR_CANCELED') return cancelled;
	// A connection that stands can become unreachable too, after the request has left.
	if (/^E(HOST|NET)UNREACH$/.test(code) && !/^(read|write)/.test(syscall)) return unreachable;
	if (code === 'EPROTO' && /wrong version number/i.test(message)) return noHttps;
	if (syscall === 'connect' || /before secure TLS connection/.test(message)) {
		return notConnected(closed);
	}
	if (/^(EPROTO|ERR_SSL_.*)$/.test(code)) return brokenTls;
	if (/ETIMEDOUT|ESOCKETTIMEDOUT/.test(code) || /timeout/i.test(message)) return timedOut;
	return /^(ECONNRESET|ECONNABORTED|EPIPE)$/.test(code) ? closed : unusable;
}
