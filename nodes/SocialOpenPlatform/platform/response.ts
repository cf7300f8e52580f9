import { z } from 'zod/v4';
import { readingOf, readRetryAfter, type CodeReading } from './codes';
import { fieldsOf, isTooComplex, parseJson, TOO_COMPLEX, withoutByteOrderMark } from './json';
import { redact } from './redact';

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
	/** The meaning of the platform's code, then the platform's own message. */
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
 * The meaning of a response for its request:
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
const TRY_LATER = 'The platform seems to be having technical difficulties. Try again later.';
const MAX_QUOTED = 300;

/** Maximum length of a Retry-After header that is kept. An HTTP date has 29 characters. */
const MAX_RETRY_AFTER = 40;

/** Maximum length of a request ID. A UUID has 36 characters, and some platforms join several. */
const MAX_REQUEST_ID = 128;

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
	const unknown = (what: string, advice = CHECK_BASE_URL): Answer<T> => ({
		kind: 'unknown',
		status,
		reason: `the platform responded with ${what}`,
		advice,
	});
	const reportsSuccess = 'value' in read || ('flaw' in read && read.reportsSuccess);
	if (status >= 300 && status < 400) return redirection(headers, reportsSuccess);
	if (status >= 500 || status === REQUEST_TIMEOUT) {
		const message = 'refusal' in read ? `: ${quoteMessage(read.refusal.message)}` : '';
		return unknown(`HTTP ${status}${message}`, TRY_LATER);
	}
	if (status >= 400 && reportsSuccess) {
		return unknown(`HTTP ${status}, but reports success or an action`);
	}
	if ('refusal' in read) return refusalOf(headers, readCode, read.refusal);
	if ('value' in read) return { kind: 'accepted', value: read.value };
	if (status < 400) return unknown(read.flaw);
	const refusal = redact(readOtherRefusal(answer.body), secrets);
	return refusalOf(headers, readCode, refusal, read.flaw);
}

/**
 * Reads a redirect. Only 307 and 308 mean that the request had no effect (RFC 9110, section 15.4).
 * A server may send other redirects after it has processed the request.
 */
function redirection({ status, location }: HttpAnswer, reportsSuccess?: boolean): Answer<never> {
	const target = location ? ` to ${location.replace(/[?#].*$/s, '').slice(0, MAX_QUOTED)}` : '';
	return {
		kind: (status === 307 || status === 308) && !reportsSuccess ? 'refused' : 'unknown',
		status,
		reason: `the address responds with a redirect${target} (HTTP ${status})`,
		advice: 'Set the Base URL in the credential to the address that the platform uses.',
	};
}

/**
 * Describes a refusal. Its texts are shortened, because the platform decides how long they are, and
 * n8n stores them with the execution.
 *
 * @param flaw describes a body that is not a refusal in the format of the interface
 */
function refusalOf(
	{ status, retryAfter, date }: HttpAnswer,
	readCode: CodeReader,
	{ message, requestId, ...envelope }: RefusalEnvelope,
	flaw?: string,
): Refusal {
	const code = shorten(envelope.code, MAX_CODE);
	const { reading, ...rest } = readCode(code, status, message);
	const quoted = `${code === undefined ? '' : `code ${code}: `}${quoteMessage(message)}`;
	const isExplained = flaw === undefined || code !== undefined || message !== undefined;
	return {
		kind: 'refused',
		status,
		reason: isExplained ? `${reading} (${quoted})` : `HTTP ${status}, ${reading}, with ${flaw}`,
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
function quoteMessage(message: string | null | undefined) {
	const trimmed = message?.trim();
	return trimmed ? `“${trimmed.slice(0, MAX_QUOTED)}”` : 'no message';
}

/**
 * The schema of a code. A code of an unexpected type is also read, because a refusal must not be
 * missed only because of its code.
 */
export const code = z.lazy(() =>
	z.union([
		z.int(),
		// Maximum length of a number in text. A longer number would lose digits.
		z
			.string()
			.regex(/^\d{1,15}$/)
			.transform(Number),
		z.string().min(1),
	]),
);
const text = z.lazy(() => z.union([z.string(), z.number().transform(String)]));

/**
 * The schema of the business envelope (platform interface, "Business response envelope"). Unknown
 * fields are kept. Only `success` is required: other fields with a wrong type are left out.
 */
const envelopeSchema = z.lazy(() =>
	z.looseObject({
		requestId: text.nullish().catch(undefined),
		success: z.boolean(),
		message: text.nullish().catch(undefined),
		/** The business code, which is not the HTTP status. A refusal may have no code. */
		code: code.nullish().catch(undefined),
		data: z.unknown(),
	}),
);
export type Envelope = z.infer<typeof envelopeSchema>;

/**
 * The meaning of a body without its HTTP status: its value, a refusal, or a noun phrase for a body
 * that the interface does not describe. Such a body may report success and contradict itself.
 */
export type BodyReading<T> =
	{ value: T } | { refusal: RefusalEnvelope } | { flaw: string; reportsSuccess?: boolean };

/** The fields of a refusal. */
type RefusalEnvelope = Pick<Envelope, 'message' | 'code' | 'requestId'>;

/** Maximum length of a code that is not a number. */
const MAX_CODE = 64;

/**
 * Reads a response body. Both `success` and `code` are checked (platform interface, "Errors"):
 * `success: false` is a refusal, whatever the code is. A refusal with an action, and `success: true`
 * with a code other than 200, contradict themselves. They are not refusals, because the request may
 * or may not have taken effect.
 *
 * @param body the unchanged text of the response
 */
export function readEnvelope(body: string): BodyReading<Envelope> {
	const json = jsonOf(body);
	if (json === undefined) return { flaw: describeText(body) };
	const { data: envelope } = envelopeSchema.safeParse(json);
	const { success, data } = fieldsOf(json);
	const { action_sn, social_post_id } = fieldsOf(data);
	if ((action_sn || social_post_id) && !envelope?.success) {
		return { flaw: 'JSON with the ID of a post, but without success', reportsSuccess: true };
	}
	if (!envelope) {
		return {
			flaw: 'JSON without the expected fields success, code and data',
			reportsSuccess: /^(true|1)$/i.test(String(success)),
		};
	}
	if (!envelope.success) return { refusal: envelope };
	if (envelope.code === 200) return { value: envelope };
	const code = String(envelope.code ?? 'none').slice(0, MAX_CODE);
	return {
		flaw: `success is true but the code is ${code} instead of 200`,
		reportsSuccess: true,
	};
}

/**
 * Reads a refusal from JSON that is not the business envelope. Its message and code are at the top
 * level or under `error`, as in the responses of gateways in front of the platform.
 *
 * @returns no fields if there is neither a message nor a code
 */
function readOtherRefusal(body: string): RefusalEnvelope {
	const json = fieldsOf(jsonOf(body));
	const fields: Record<string, unknown> = { ...fieldsOf(json.error), ...json };
	const message = ['message', 'msg', 'error', 'detail']
		.map((name) => text.safeParse(fields[name]).data)
		.find((value) => value?.trim());
	const { data: knownCode } = code.safeParse(fields.code);
	if (message === undefined && knownCode === undefined) return {};
	const requestId = text.safeParse(fields.requestId ?? fields.request_id).data;
	return { message, code: knownCode, requestId };
}

/**
 * Parses the JSON of a body.
 *
 * @returns undefined if the body is not JSON, or has too many values or levels
 */
export function jsonOf(body: string): unknown {
	if (isTooComplex(body)) return undefined;
	try {
		return parseJson(withoutByteOrderMark(body));
	} catch {
		return undefined;
	}
}

/** Describes a body without usable JSON, as a noun phrase for messages. */
export function describeText(body: string) {
	if (isTooComplex(body)) return `JSON that ${TOO_COMPLEX}`;
	if (body.trim() === '') return 'an empty response';
	if (/^\s*</.test(body)) return 'an HTML page instead of JSON';
	return /^\s*[[{"]/.test(body) ? 'JSON that is cut off or damaged' : 'text that is not JSON';
}

/**
 * Reads a complete response.
 *
 * @param secrets secrets to redact in the result
 */
export type AnswerReader<T> = (answer: HttpAnswer, secrets: readonly string[]) => Answer<T>;

/** Maximum size of a response. Even long chat responses are far smaller. */
const MAX_ANSWER_BYTES = 16 * 2 ** 20;

/**
 * Reads a response of n8n's HTTP helper. n8n itself sets no limit, and a compressed response may
 * become a thousand times larger when it is decompressed. If the body of a refusal is too large, only
 * the status is used.
 */
export async function readWhole<T>(
	{ statusCode: status, headers, body }: StreamedResponse,
	read: AnswerReader<T>,
	secrets: readonly string[],
): Promise<Answer<T>> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of body) {
		length += chunk.length;
		if (length > MAX_ANSWER_BYTES) break;
		chunks.push(chunk);
	}
	const isTooLarge = length > MAX_ANSWER_BYTES;
	if (isTooLarge && status < 300) {
		const reason = 'the platform responded with more than 16 MB';
		return { kind: 'unknown', status, reason, advice: CHECK_BASE_URL };
	}
	const answer = {
		status,
		body: isTooLarge ? '' : Buffer.concat(chunks).toString(),
		location: headers.location,
		retryAfter: headers['retry-after'],
		date: headers.date,
	};
	return read(answer, secrets);
}
