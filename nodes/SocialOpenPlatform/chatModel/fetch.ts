import { sleep, type ISupplyDataFunctions } from 'n8n-workflow';
import type { Answer, ByteStream, HttpAnswer } from '../protocol/answer';
import { readChatAnswer } from '../protocol/chat/answer';
import type { ChatJson } from '../protocol/chat/reply';
import { chatSecret } from '../protocol/chat/secret';
import { readConnectionError, type ConnectionError } from '../protocol/connection';
import { waitBefore } from '../protocol/rateLimit';
import { redact } from '../protocol/redact';
import type { Settings } from '../protocol/settings';
import {
	credentialUnusable,
	noUsableResponse,
	notSent,
	type Failed,
	type NodeError,
} from '../transport/outcome';
import { outcomeOf } from '../transport/request';
import { readWhole } from '../transport/response';
import { CHAT_REQUEST, modelError } from './error';

interface FetchOptions {
	context: ISupplyDataFunctions;
	itemIndex: number;
	settings: Settings;
	maxRetries: number;
	/** Milliseconds within which a response must begin, including all retries. */
	timeout: number;
}

/** How the responses to one request are read. */
interface Reading {
	isStreamed: boolean;
	settings: Settings;
	secrets: readonly string[];
	read: (answer: HttpAnswer) => Answer<ChatJson>;
	errorOf: (failed: Failed) => NodeError;
}

/**
 * The error of a request. It contains the error to show in a property, because the model's client
 * replaces errors that mention a timeout.
 */
export class FetchFailed extends Error {
	constructor(readonly error: NodeError) {
		super('The chat request failed');
	}
}

type Fetched = { kind: 'accepted'; value: Response } | Failed;

const request = { what: CHAT_REQUEST, isSafeToRepeat: true };

/** Maximum number of characters of a line in a stream. */
const MAX_LINE = 4 * 2 ** 20;

/** Maximum length of a system's message in our own message. */
const MAX_QUOTED = 300;

const CUT_OFF = 'the answer was cut off in the middle';
const TOO_LONG = 'a part of the answer is larger than 4 MB';

const DONE = /^data: ?\[DONE\]/;

/** A line of a stream after which an answer is complete. */
const IS_LAST = /^data:.*("finish_reason": ?"\w|"type": ?"response\.(completed|incomplete)")/;

/** A line of a stream that may be a refusal. Some platforms send it without `data:`. */
const MAY_REFUSE = /"(error|success)"/;

/**
 * Creates the `fetch` of the model's client. It sends the App Secret in the configured header, sends
 * a request again if it got no usable response, and throws readable errors without secrets. The
 * model itself does not contain the secret, because n8n stores its options with the execution.
 *
 * @throws NodeApiError if no header can contain the secret
 */
export function platformFetch(options: FetchOptions): typeof fetch {
	const { context, itemIndex, settings, maxRetries, timeout } = options;
	const secret = secretFor(options);
	const secrets = [settings.appSecret, settings.accessToken];
	return async (input, init = {}) => {
		const url = input as string;
		const { stream: isStreamed = false } = JSON.parse(init.body as string) as { stream?: boolean };
		const operation = url.endsWith('/responses') ? 'responses' : 'chatCompletions';
		const reading: Reading = {
			...{ isStreamed, settings, secrets },
			read: (answer) => readChatAnswer(operation, answer, secrets),
			errorOf: (failed) => modelError(context, itemIndex, failed, isStreamed),
		};
		const headers = new Headers(init.headers);
		// The client puts its placeholder of an API key there.
		headers.delete('Authorization');
		headers.set(settings.chatAuthHeader, secret);
		const endsAt = performance.now() + timeout;
		for (let sends = 1; ; sends++) {
			// `fetch` would send a secret in a custom header to the target of a redirect.
			const fetched = await fetch(url, { ...init, headers, redirect: 'manual' })
				.then(async (response) => await readResponse(response, reading))
				.catch((error: unknown) => connectionFailed(error, secrets, init.signal?.aborted));
			if (fetched.kind === 'accepted') return fetched.value;
			const wait = waitBeforeRetry(fetched, sends);
			const isLast = sends > maxRetries || init.signal?.aborted;
			if (isLast || performance.now() + wait > endsAt)
				throw new FetchFailed(reading.errorOf(fetched));
			await sleep(wait);
		}
	};
}

function secretFor({ context, itemIndex, settings }: FetchOptions): string {
	try {
		return chatSecret(settings);
	} catch (error) {
		const failed = credentialUnusable(CHAT_REQUEST, (error as Error).message);
		throw modelError(context, itemIndex, failed);
	}
}

/** Reads a response. The text of a stream is checked as it arrives. */
async function readResponse(response: Response, reading: Reading): Promise<Fetched> {
	const { body, status: statusCode } = response;
	const { isStreamed, settings, secrets, read } = reading;
	const headers = Object.fromEntries(response.headers);
	if (
		isStreamed &&
		response.ok &&
		body &&
		/^text\/event-stream/i.test(headers['content-type'] ?? '')
	) {
		return { kind: 'accepted', value: new Response(checkedLines(body, reading), response) };
	}
	const bytes = (body ?? []) as unknown as ByteStream;
	const answer = await readWhole({ statusCode, headers, body: bytes }, read, secrets);
	const outcome = outcomeOf(answer, request, settings);
	if (outcome.kind !== 'accepted') return outcome;
	if (!isStreamed) return { kind: 'accepted', value: Response.json(outcome.value) };
	const reason = 'the platform responded with JSON instead of a stream';
	return noUsableResponse(CHAT_REQUEST, reason, "Turn off 'Enable Streaming' in the agent.");
}

/**
 * Passes the lines of a stream on as they arrive.
 *
 * @throws NodeError if the stream contains a refusal, or ends before the answer is complete
 */
async function* checkedLines(
	body: ReadableStream<Uint8Array>,
	{ settings, secrets, read, errorOf }: Reading,
): AsyncGenerator<Uint8Array> {
	const reader = body.getReader();
	const decoder = new TextDecoder();
	let rest = '';
	let isComplete = false;
	try {
		for (;;) {
			const { done, value } = await reader.read().catch((error: unknown) => {
				if (isComplete) return { done: true, value: undefined };
				throw errorOf(streamFailed(error));
			});
			const lines = (rest + (done ? '\n' : decoder.decode(value, { stream: true }))).split('\n');
			rest = lines.pop()!;
			if (rest.length > MAX_LINE) throw errorOf(noUsableResponse(CHAT_REQUEST, TOO_LONG));
			for (const line of lines) {
				const answer = MAY_REFUSE.test(line)
					? read({ status: 200, body: line.replace(/^data:/, '') })
					: undefined;
				if (answer?.kind === 'refused')
					throw errorOf(outcomeOf(answer, request, settings) as Failed);
				yield Buffer.from(`${redact(line, secrets)}\n`);
				isComplete ||= IS_LAST.test(line) || DONE.test(line);
				if (DONE.test(line)) return;
			}
			if (done && isComplete) return;
			if (done) throw errorOf(noUsableResponse(CHAT_REQUEST, CUT_OFF));
		}
	} finally {
		// Some platforms keep the connection open after the end of the answer.
		await reader.cancel().catch(() => {});
	}
}

/**
 * Milliseconds to wait before a request is sent again. A chat request publishes nothing, so only a
 * refusal that is not a rate limit is final.
 */
function waitBeforeRetry({ kind, failure: { cause } }: Failed, sends: number): number {
	const isRateLimited = cause?.cause === 'rate-limited';
	if (kind === 'refused' && !isRateLimited) return Infinity;
	return waitBefore(isRateLimited ? cause.retryAfterMs : undefined, sends, Math.random());
}

/** The failure of a request without a response. */
function connectionFailed(
	error: unknown,
	secrets: readonly string[],
	isLate: boolean | undefined,
): Failed {
	const cause = isLate ? { message: 'timeout' } : originOf(error);
	const { mayHaveArrived, reason, advice } = readConnectionError(cause);
	const message = redact(cause.message ?? '', secrets).slice(0, MAX_QUOTED);
	const why = reason.includes('timeout') ? reason : `${reason} (${message})`;
	if (!mayHaveArrived) return notSent(CHAT_REQUEST, why, advice);
	return noUsableResponse(CHAT_REQUEST, why, advice);
}

/** The failure of a stream that breaks off. */
function streamFailed(error: unknown): Failed {
	const isLate = /timeout/i.test(originOf(error).message ?? '');
	return noUsableResponse(CHAT_REQUEST, isLate ? 'no further part arrived in time' : CUT_OFF);
}

/** The original error. `fetch` keeps it as the cause of its own. */
function originOf(error: unknown): ConnectionError {
	let origin = error as Error;
	while (origin.cause instanceof Error) origin = origin.cause;
	return origin;
}
