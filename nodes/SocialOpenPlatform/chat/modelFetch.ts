import { sleep, type INode } from 'n8n-workflow';
import { readWhole, type ByteStream } from '../platform/response';
import { readConnectionError } from '../platform/connection';
import { waitBefore } from '../platform/codes';
import { redact } from '../platform/redact';
import type { Settings } from '../platform/settings';
import { toNodeError, withDescription, type NodeError } from '../platform/nodeError';
import { noUsableResponse, notSent, paragraphOf, type Failed } from '../platform/outcome';
import { CHAT_REQUEST, readChatResponse } from './response';

interface FetchOptions {
	/** Errors name this node and this item. */
	node: INode;
	itemIndex: number;
	settings: Settings;
	/** The header with the App Secret has this value. */
	secret: string;
	/** They are redacted in errors and streams. */
	secrets: readonly string[];
	maxRetries: number;
	/** A response must begin within these milliseconds, including all retries. */
	timeout: number;
}

/**
 * This error contains the one to show, because the model's client replaces errors that mention a
 * timeout.
 */
export class FetchFailed extends Error {
	constructor(readonly error: NodeError) {
		super('The chat request failed');
	}
}

const request = { what: CHAT_REQUEST, operation: 'chatCompletions' as const };

/** A stream has at most this many characters. */
const MAX_STREAM = 32 * 2 ** 20;

/** Our own messages quote at most this many characters of a system's message. */
const MAX_QUOTED = 300;

const CUT_OFF = 'the answer was cut off in the middle';

const DONE = /^data: ?\[DONE\]/;

/** An answer is complete after such a line of a stream. */
const IS_LAST = /^data:.*("finish_reason": ?"\w|"type": ?"response\.(completed|incomplete)")/;

/** Such a line may be a refusal. Some platforms send it without `data:`. */
const MAY_REFUSE = /"(error|success)"/;

/** With this context, n8n shows an error on the model node, not on the agent node. */
export const onModelNode = { functionality: 'configuration-node' as const };

/**
 * Creates the error to show. Where a chat streams, n8n shows only the description of an error, which
 * therefore includes the message.
 */
export function modelError(
	{ node, itemIndex }: Pick<FetchOptions, 'node' | 'itemIndex'>,
	failed: Failed,
	isStreamed = true,
) {
	const error = toNodeError(node, itemIndex, failed);
	if (isStreamed) withDescription(error, paragraphOf(failed.failure));
	return Object.assign(error, onModelNode);
}

/**
 * Creates the `fetch` of the model's client. It sends the App Secret in the configured header, sends
 * a request again if it got no usable response, and throws readable errors without secrets. The
 * model itself does not contain the secret, because n8n stores its options with the execution.
 */
export function platformFetch(options: FetchOptions): typeof fetch {
	return async (url, init = {}) => {
		const { stream: isStreamed = false } = JSON.parse(init.body as string) as { stream?: boolean };
		const headers = new Headers(init.headers);
		// The client puts its placeholder of an API key there.
		headers.delete('Authorization');
		headers.set(options.settings.chatAuthHeader, options.secret);
		const endsAt = performance.now() + options.timeout;
		for (let sends = 1; ; sends++) {
			// `fetch` would send a secret in a custom header to the target of a redirect.
			const fetched = await fetch(url, { ...init, headers, redirect: 'manual' })
				.then(async (response) => await readResponse(response, isStreamed, options))
				.catch((error: unknown) => connectionFailed(error, options.secrets, init.signal?.aborted));
			if (!('failure' in fetched)) return fetched;
			const wait = waitBeforeRetry(fetched, sends);
			const isLast = sends > options.maxRetries || init.signal?.aborted;
			if (isLast || performance.now() + wait > endsAt) {
				throw new FetchFailed(modelError(options, fetched, isStreamed));
			}
			await sleep(wait);
		}
	};
}

/** Reads a response. The text of a stream is checked as it arrives. */
async function readResponse(
	response: Response,
	isStreamed: boolean,
	options: FetchOptions,
): Promise<Response | Failed> {
	const { body, status: statusCode } = response;
	const headers = Object.fromEntries(response.headers);
	const isEvents = /^text\/event-stream/i.test(headers['content-type'] ?? '');
	if (isStreamed && isEvents && response.ok && body) {
		return new Response(checkedLines(body, options), response);
	}
	const bytes = (body ?? []) as unknown as ByteStream;
	const outcome = await readWhole({ statusCode, headers, body: bytes }, readChatResponse, {
		...request,
		...options,
	});
	if (outcome.kind !== 'accepted') return outcome;
	if (!isStreamed) return Response.json(outcome.value);
	const reason = 'the platform responded with JSON instead of a stream';
	return noUsableResponse(CHAT_REQUEST, reason, "Turn off 'Enable Streaming' in the agent.");
}

/**
 * Passes the lines of a stream on as they arrive. An early return closes the connection, which some
 * platforms keep open after the end of the answer.
 *
 * @throws NodeError if the stream contains a refusal, ends before the answer is complete, or is too
 * large
 */
async function* checkedLines(body: ReadableStream<Uint8Array>, options: FetchOptions) {
	const { secrets } = options;
	const failed = (reason: string) => modelError(options, noUsableResponse(CHAT_REQUEST, reason));
	const reader = body.getReader();
	const decoder = new TextDecoder();
	let size = 0;
	let rest = '';
	let isComplete = false;
	try {
		for (;;) {
			const { done, value } = await reader.read().catch((error: unknown) => {
				if (isComplete) return { done: true, value: undefined };
				const isLate = /timeout/i.test(originOf(error).message);
				throw failed(isLate ? 'no further part arrived in time' : CUT_OFF);
			});
			const text = done ? '\n' : decoder.decode(value, { stream: true });
			size += text.length;
			if (size > MAX_STREAM) throw failed('the answer is larger than 32 MB');
			const lines = text.split('\n');
			lines[0] = rest + lines[0]!;
			rest = lines.pop()!;
			for (const line of lines) {
				if (MAY_REFUSE.test(line)) {
					const part = { status: 200, body: line.replace(/^data:/, '') };
					const outcome = readChatResponse(part, { ...request, ...options });
					if (outcome.kind === 'refused') throw modelError(options, outcome);
				}
				yield Buffer.from(`${redact(line, secrets)}\n`);
				isComplete ||= IS_LAST.test(line) || DONE.test(line);
				if (DONE.test(line)) return;
			}
			if (done && isComplete) return;
			if (done) throw failed(CUT_OFF);
		}
	} finally {
		// Some platforms keep the connection open after the end of the answer.
		await reader.cancel().catch(() => {});
	}
}

/**
 * Returns the milliseconds to wait before a request is sent again. A chat request publishes nothing,
 * so only a refusal that is not a rate limit is final.
 */
function waitBeforeRetry({ kind, failure: { cause } }: Failed, sends: number) {
	const isRateLimited = cause?.cause === 'rate-limited';
	if (kind === 'refused' && !isRateLimited) return Infinity;
	return waitBefore(isRateLimited ? cause.retryAfterMs : undefined, sends, Math.random());
}

/** Returns the failure of a request without a response. */
function connectionFailed(error: unknown, secrets: readonly string[], isLate = false) {
	const cause = isLate ? new Error('timeout') : originOf(error);
	const { mayHaveArrived, reason, advice } = readConnectionError(cause);
	const message = redact(cause.message, secrets).slice(0, MAX_QUOTED);
	const why = reason.includes('timeout') ? reason : `${reason} (${message})`;
	return (mayHaveArrived ? noUsableResponse : notSent)(CHAT_REQUEST, why, advice);
}

/** `fetch` keeps the original error as the cause of its own. */
function originOf(error: unknown) {
	let origin = error as Error;
	while (origin.cause instanceof Error) origin = origin.cause;
	return origin;
}
