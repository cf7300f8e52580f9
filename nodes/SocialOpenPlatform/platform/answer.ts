import {
	MAX_CODE,
	readEnvelope,
	readOtherRefusal,
	type BodyReading,
	type Envelope,
	type RefusalEnvelope,
} from './envelope';
import { redact } from './redact';
import { readingOf, type CodeReading } from './codes';
import { readRetryAfter } from './rateLimit';

/** The parts of a complete HTTP response that this package uses. `body` is the unchanged text. */
export interface HttpAnswer {
	status: number;
	body: string;
	/** The Location header of a redirect. */
	location?: string;
	/** The Retry-After header, unchanged: seconds or an HTTP date (RFC 9110, section 10.2.3). */
	retryAfter?: string;
	/** The Date header: the time on the server's clock (RFC 9110, section 6.6.1). */
	date?: string;
}

/** A stream of bytes, such as a readable stream of Node.js. */
export interface ByteStream extends AsyncIterable<Uint8Array> {
	destroy(): void;
}

/**
 * The parts of a response of n8n's HTTP helper that this package uses, when its options are {@link
 * responseOptions}.
 */
export interface StreamedResponse {
	statusCode: number;
	headers: Record<string, string | undefined>;
	body: ByteStream;
}

export interface Refusal {
	kind: 'refused';
	status: number;
	/** What happened: the meaning of the platform's code, then its own message. */
	reason: string;
	advice: string;
	cause?: CodeReading['cause'];
	code?: number | string;
	/** The platform's message, unchanged. */
	message?: string;
	requestId?: string;
	/** The Retry-After header. */
	retryAfter?: string;
	/** Milliseconds that the platform asks to wait. */
	retryAfterMs?: number;
}

/**
 * What a response says about its request:
 * - `accepted`: the platform has executed the request.
 * - `refused`: the platform has not executed the request.
 * - `unknown`: the response does not say which. The request may have taken effect.
 */
export type Answer<T> =
	| { kind: 'accepted'; value: T }
	| Refusal
	| { kind: 'unknown'; status?: number; reason: string; advice: string };

/**
 * Options with which n8n's HTTP helper returns every response unchanged: with its status, without
 * following redirects, and as a stream, so that its size can be limited and 64-bit integers keep
 * their digits.
 */
export const responseOptions = {
	json: true,
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
} as const;

/**
 * With this status, the server says that it has not received the complete request (RFC 9110,
 * section 15.5.9). A proxy may also send it after the platform has received the request.
 */
const REQUEST_TIMEOUT = 408;

export const CHECK_BASE_URL = 'Check the Base URL in the credential.';
const SET_BASE_URL = 'Set the Base URL in the credential to the address that the platform uses.';
const TRY_LATER = 'The platform seems to be having technical difficulties. Try again later.';
const MAX_QUOTED = 300;

/** Maximum length of a Retry-After header that is kept. An HTTP date has 29 characters. */
const MAX_RETRY_AFTER = 40;

/** Maximum length of a request ID. A UUID has 36 characters, and some platforms join several. */
const MAX_REQUEST_ID = 128;

/**
 * Receives a complete response. If the body of a refusal is too large, only the status is used.
 *
 * @returns undefined if the body of any other response is larger than `maxBytes`
 */
export async function readHttpAnswer(
	{ statusCode, headers, body }: StreamedResponse,
	maxBytes: number,
): Promise<HttpAnswer | undefined> {
	const bytes = await bytesOf(body, maxBytes);
	if (!bytes && statusCode < 300) return undefined;
	return {
		status: statusCode,
		body: bytes?.toString('utf8') ?? '',
		location: headers.location,
		retryAfter: headers['retry-after'],
		date: headers.date,
	};
}

/**
 * Reads all bytes of a body. n8n itself sets no limit, and a compressed response may become a
 * thousand times larger when it is decompressed.
 *
 * @returns undefined if there are too many bytes. The rest is not read.
 */
async function bytesOf(body: ByteStream, maxBytes: number): Promise<Buffer | undefined> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of body) {
		length += chunk.length;
		if (length > maxBytes) return undefined;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

/**
 * Reads the response to a business operation. The platform sends refusals with HTTP 200 and
 * `success: false` (platform interface, "Errors").
 *
 * @param secrets secrets to redact in the result
 */
export function readAnswer(answer: HttpAnswer, secrets: readonly string[] = []): Answer<Envelope> {
	return meaningOf(answer, readEnvelope, secrets);
}

/** Explains a code, or the HTTP status if there is no code. */
export type CodeReader = typeof readingOf;

/**
 * Reads a response with any kind of body. HTTP 4xx means that the request had no effect. HTTP 5xx
 * may be sent before or after the request took effect.
 *
 * @param readBody reads the body without the HTTP status
 * @param secrets secrets to redact in the result
 * @param readCode explains the codes of this operation
 */
export function meaningOf<T>(
	answer: HttpAnswer,
	readBody: (body: string) => BodyReading<T>,
	secrets: readonly string[],
	readCode: CodeReader = readingOf,
): Answer<T> {
	// Secrets are redacted before texts are shortened, because a part of a secret would not be
	// recognized.
	const headers = redact({ ...answer, body: '' }, secrets);
	const read = redact(readBody(answer.body), secrets);
	const { status } = answer;
	const unknown = (what: string, advice = CHECK_BASE_URL): Answer<T> => {
		return { kind: 'unknown', status, reason: `the platform responded with ${what}`, advice };
	};
	const reportsSuccess =
		read.kind === 'accepted' || (read.kind === 'unreadable' && read.reportsSuccess === true);
	if (status >= 300 && status < 400) return redirection(headers, reportsSuccess);
	if (status >= 500 || status === REQUEST_TIMEOUT) {
		const message = read.kind === 'refused' ? `: ${quoteMessage(read.envelope.message)}` : '';
		return unknown(`HTTP ${status}${message}`, TRY_LATER);
	}
	if (status >= 400 && reportsSuccess) {
		return unknown(`HTTP ${status}, but reports success or an action`);
	}
	if (read.kind === 'refused') return refusalOf(headers, readCode, read.envelope);
	if (status >= 400) {
		const envelope = redact(readOtherRefusal(answer.body), secrets);
		return refusalOf(headers, readCode, envelope ?? {}, read);
	}
	return read.kind === 'unreadable' ? unknown(read.reason) : read;
}

/**
 * Reads a redirect. Only 307 and 308 mean that the request had no effect (RFC 9110, section 15.4).
 * A server may send other redirects after it has processed the request.
 */
function redirection({ status, location }: HttpAnswer, reportsSuccess: boolean): Answer<never> {
	const target = location ? ` to ${location.replace(/[?#].*$/s, '').slice(0, MAX_QUOTED)}` : '';
	const reason = `the address responds with a redirect${target} (HTTP ${status})`;
	const isRefused = (status === 307 || status === 308) && !reportsSuccess;
	return { kind: isRefused ? 'refused' : 'unknown', status, reason, advice: SET_BASE_URL };
}

/**
 * Describes a refusal. Its texts are shortened, because the platform decides how long they are, and
 * n8n stores them with the execution.
 *
 * @param read the body, if it is not a refusal in the format of the interface
 */
function refusalOf(
	{ status, retryAfter, date }: HttpAnswer,
	readCode: CodeReader,
	{ message, requestId, ...envelope }: RefusalEnvelope,
	read?: BodyReading<unknown>,
): Refusal {
	const code = shorten(envelope.code, MAX_CODE);
	const { reading, ...rest } = readCode(code, status, message);
	const quoted = `${code === undefined ? '' : `code ${code}: `}${quoteMessage(message)}`;
	const flaw = read?.kind === 'unreadable' ? `, with ${read.reason}` : '';
	const isExplained = !read || code !== undefined || message !== undefined;
	return {
		kind: 'refused',
		status,
		reason: isExplained ? `${reading} (${quoted})` : `HTTP ${status}, ${reading}${flaw}`,
		...rest,
		code,
		message: message ?? undefined,
		requestId: shorten(requestId, MAX_REQUEST_ID),
		retryAfter: shorten(retryAfter, MAX_RETRY_AFTER),
		retryAfterMs: readRetryAfter(retryAfter, new Date(), date),
	};
}

function shorten<T>(value: T, max: number): NonNullable<T> | undefined {
	return (typeof value === 'string' ? value.slice(0, max) : (value ?? undefined)) as NonNullable<T>;
}

/** Formats the platform's message for our own messages. */
function quoteMessage(message: string | null | undefined): string {
	if (!message?.trim()) return 'no message';
	return `“${message.trim().slice(0, MAX_QUOTED)}”`;
}
