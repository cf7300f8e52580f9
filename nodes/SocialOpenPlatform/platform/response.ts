import { explain, readRetryAfter, type CodeSettings } from './codes';
import { type Failed, failed, isChat, lines, type RequestKind, type Result } from './outcome';
import { fieldsOf, isTooComplex, parseJson, redact, TOO_COMPLEX } from './json';

/** The parts of a complete HTTP response that this package uses. `body` is not parsed. */
export interface CompleteResponse {
	status: number;
	body: string;
	/** The Location header of a redirect. */
	location?: string;
	/** The Retry-After header, unchanged. */
	retryAfter?: string;
}

/**
 * The parts of n8n's response to a request with {@link responseOptions} that this package reads.
 */
export interface StreamedResponse {
	statusCode: number;
	headers: Record<string, string | undefined>;
	body: AsyncIterable<Uint8Array>;
}

/** The properties of a request that are needed to read its response. */
export interface SentRequest extends RequestKind {
	settings: CodeSettings;
	/** The spellings of the secrets to redact in the outcome. */
	secrets: readonly string[];
}

/** Reads the outcome of a request from its complete response. */
export type ResponseReader<T> = (response: CompleteResponse, request: SentRequest) => Result<T>;

/**
 * The parts of the business envelope that this package uses. The envelope is the outer object of a
 * response (platform interface, "Business response envelope").
 */
export interface Envelope {
	requestId?: string;
	data: unknown;
}

/**
 * The meaning of a body, regardless of its HTTP status: a value, a flaw, or neither if the body is
 * a refusal. A body with a flaw is not in the expected format, or contradicts itself.
 */
export interface BodyReading<T> {
	value?: T;
	/** The flaw, as a noun phrase for messages. */
	flaw?: string;
}

type JsonObject = Record<string, unknown>;

/**
 * Options with which n8n's HTTP helper returns every response with its status, and follows no
 * redirects. The body is a stream, so that its size can be limited and 64-bit integers keep their
 * digits.
 */
export const responseOptions = {
	json: true,
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
} as const;

/**
 * HTTP 408 means that the server has not received the complete request (RFC 9110, section 15.5.9).
 * A proxy may also send it after the platform has received the request.
 */
const REQUEST_TIMEOUT = 408;

const CHECK_BASE_URL = 'Check the Base URL in the credential.';
const TRY_LATER = 'The platform seems to be having technical difficulties. Try again later.';

/** Maximum length of an address or of the platform's message in a failure, in characters. */
const MAX_IN_MESSAGE = 300;

/**
 * Maximum length of a code, a request ID or a Retry-After header in a failure, in characters. A
 * UUID has 36 characters, and some platforms join several UUIDs.
 */
const MAX_FACT = 128;

/** Maximum size of a response in MB. */
const MAX_MB = 4;

/**
 * Reads a response to its end, unless it is too large. n8n itself sets no limit, and a compressed
 * response may become a thousand times larger when it is decompressed.
 */
export async function readWhole<T>(
	{ statusCode: status, headers, body }: StreamedResponse,
	read: ResponseReader<T>,
	request: SentRequest,
): Promise<Result<T>> {
	const { location, 'retry-after': retryAfter } = headers;
	const chunks: Uint8Array[] = [];
	let left = MAX_MB * 2 ** 20;
	for await (const chunk of body) {
		left -= chunk.length;
		if (left < 0) {
			return failed.unknown(
				request,
				`the platform responded with more than ${MAX_MB} MB`,
				CHECK_BASE_URL,
				status,
			);
		}
		chunks.push(chunk);
	}
	return read({ status, body: Buffer.concat(chunks).toString(), location, retryAfter }, request);
}

/**
 * Reads the response to a token request or a post. `success: false` is assumed to be a refusal,
 * even with HTTP 200.
 */
export const readBusinessResponse: ResponseReader<Envelope> = (response, request) =>
	outcomeOf(response, request, readEnvelope);

/**
 * Reads the outcome of a request from its response. HTTP 4xx, except 408, means that the request
 * had no effect, unless the body reports success or a post. HTTP 3xx, 408 and 5xx may be sent
 * before or after the request took effect.
 *
 * @param readBody reads the JSON of the body, regardless of the HTTP status
 */
export function outcomeOf<T>(
	response: CompleteResponse,
	request: SentRequest,
	readBody: (json: JsonObject) => BodyReading<T>,
): Result<T> {
	// Secrets are redacted before strings are shortened, because a part of a secret would not be
	// recognized.
	const parsed = { ...response, body: '', json: jsonOf(response.body) };
	const { json, ...headers } = redact(parsed, request.secrets);
	const { status } = response;
	const unclear = (what: string, advice = CHECK_BASE_URL, by = 'the platform') =>
		failed.unknown(request, `${by} responded with ${what}`, advice, status);
	const fields = fieldsOf(json);
	// Some gateways wrap a refusal in a list.
	const refusal = refusalIn(fieldsOf([json].flat()[0]));
	const read: BodyReading<T> =
		json === undefined ? { flaw: describeText(response.body) } : readBody(fields);
	// A post's ID contradicts a refusal, even in a list, in a string, or in JSON that is cut off. A
	// response to a chat request may quote such an ID from the request.
	const noSuccess =
		!read.value && !isChat(request) && ACTION.test(response.body)
			? 'JSON with the ID of a post, but without success'
			: undefined;
	const { value, flaw = noSuccess } = read;
	if (status >= 300 && status < 400) return redirected(headers, request);
	if (status >= 500 || status === REQUEST_TIMEOUT) {
		const isRefusal = !flaw && !value;
		return unclear(
			`HTTP ${status}${isRefusal ? `: ${quoteMessage(refusal.message)}` : ''}`,
			TRY_LATER,
			// A proxy may have responded before or after it sent the request to the platform.
			flaw && 'the platform or a proxy',
		);
	}
	if (status >= 400 && (value || fields.success || noSuccess)) {
		return unclear(`HTTP ${status}, but reports success or an action`);
	}
	if (value) return { kind: 'accepted', value };
	if (flaw && status < 400) return unclear(flaw);
	return refusalOutcome(headers, request, refusal, flaw);
}

/** Creates the failure for a redirected request, which the server may already have processed. */
function redirected({ status, location }: CompleteResponse, request: SentRequest): Failed {
	const address = location?.replace(/[?#].*$/s, '').slice(0, MAX_IN_MESSAGE);
	const target = address ? ` to ${address}` : '';
	const reason = `the address responds with a redirect${target} (HTTP ${status})`;
	const advice = 'Set the Base URL in the credential to the address that the platform uses.';
	return failed.unknown(request, reason, advice, status);
}

/**
 * Creates the outcome of a refused request. The platform's texts are shortened, because they can be
 * of any length and n8n stores them with the execution.
 *
 * @param flaw describes a body that is not a refusal in the platform's format
 */
function refusalOutcome(
	{ status, retryAfter }: CompleteResponse,
	request: SentRequest,
	{ code, message, requestId }: ReturnType<typeof refusalIn>,
	flaw?: string,
): Failed {
	const wait = retryAfter?.slice(0, MAX_FACT);
	const isForeign = flaw !== undefined;
	const { reading, advice, cause } = explain({ status, code, message, isForeign }, request);
	const quoted = `${code === undefined ? '' : `code ${code}: `}${quoteMessage(message)}`;
	const isExplained = !flaw || code !== undefined || message !== undefined;
	const reason = isExplained
		? `${reading} (${quoted})`
		: `HTTP ${status}, ${reading}, with ${flaw}`;
	return failed.refused(request.what, reason, {
		description: lines(
			advice,
			wait && `The platform asks you to wait: Retry-After ${wait}.`,
			requestId && `Request ID: ${requestId}.`,
		),
		facts: { code, http_status: status, request_id: requestId, retry_after: wait },
		cause:
			cause === 'rate-limited'
				? { cause, retryAfterMs: readRetryAfter(retryAfter) }
				: cause && { cause },
		isForeign,
	});
}

/** Quotes and shortens the platform's message. */
function quoteMessage(message = '') {
	const trimmed = message.trim();
	return trimmed ? `“${trimmed.slice(0, MAX_IN_MESSAGE)}”` : 'no message';
}

/** Returns a field's value as a string. Some platforms send a number instead of a string. */
const textIn = (value: unknown) =>
	typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/**
 * Returns a code as a number or a string. A string of up to 15 digits becomes a number, because
 * JavaScript can represent its value exactly.
 */
function codeIn(value: unknown) {
	if (typeof value !== 'string') return Number.isSafeInteger(value) ? (value as number) : undefined;
	return /^\d{1,15}$/.test(value) ? Number(value) : value.slice(0, MAX_FACT) || undefined;
}

/** Returns a message as a string. A list, such as FastAPI's invalid fields, becomes JSON. */
const messageIn = (value: unknown) =>
	Array.isArray(value) && value.length > 0 ? JSON.stringify(value) : textIn(value);

/**
 * Reads the fields of a refusal. They are at the top level, or, in responses from gateways and
 * OpenAI's API, under `error` or `base_resp`. A field of an unexpected type is ignored, so that the
 * refusal is still recognized.
 */
export function refusalIn(json: JsonObject) {
	const error = fieldsOf([json.error ?? json.base_resp].flat()[0]);
	const fields: JsonObject = { ...error, ...json };
	return {
		message: ['message', 'msg', 'status_msg', 'error', 'detail']
			.map((name) => messageIn(fields[name]))
			.find((text) => text?.trim()),
		code: codeIn(fields.code ?? error.type ?? error.status_code),
		requestId: textIn(fields.requestId ?? fields.request_id)?.slice(0, MAX_FACT),
	};
}

/** Matches a non-empty ID of a post or its publishing action, in JSON or a string with JSON. */
const ACTION = /"(action_sn|social_post_id)\\*"\s*:[\s"\\]*(?!null|0\b)\w/;

/**
 * Reads the business envelope (platform interface, "Business response envelope"). Both `success`
 * and `code` are checked ("Errors"). `success: false` is a refusal, whatever the code is.
 * `success: true` with a code other than 200 is not a refusal, because it does not show whether the
 * request took effect.
 */
export function readEnvelope(json: JsonObject): BodyReading<Envelope> {
	const { success, data } = json;
	if (typeof success !== 'boolean') {
		return { flaw: 'JSON without the expected fields success, code and data' };
	}
	if (!success) return {};
	const code = codeIn(json.code) ?? 'none';
	if (code === 200) return { value: { requestId: textIn(json.requestId), data } };
	return { flaw: `success is true but the code is ${code} instead of 200` };
}

/**
 * Parses a body as JSON.
 *
 * @returns undefined if the body is not JSON, or has too many values or levels
 */
export function jsonOf(body: string): unknown {
	if (isTooComplex(body)) return undefined;
	try {
		// Some servers begin their JSON with a byte order mark (RFC 8259, section 8.1).
		return parseJson(body.replace(/^\uFEFF/, ''));
	} catch {
		return undefined;
	}
}

/** Describes a body without usable JSON, as a noun phrase for messages. */
function describeText(body: string) {
	if (isTooComplex(body)) return `JSON that ${TOO_COMPLEX}`;
	if (body.trim() === '') return 'an empty response';
	if (/^\s*</.test(body)) return 'an HTML page instead of JSON';
	return /^\s*[[{"]/.test(body) ? 'JSON that is cut off or damaged' : 'text that is not JSON';
}
