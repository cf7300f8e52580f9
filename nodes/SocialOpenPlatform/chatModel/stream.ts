import type { StreamChunk } from '@n8n/ai-node-sdk';
import { OperationalError } from 'n8n-workflow';
import { quoteMessage, type ByteStream } from '../protocol/answer';
import { refusalIn } from '../protocol/chat/answer';
import { readCompletion, type ChatJson, type ChatReply } from '../protocol/chat/reply';
import { CompletionStream, DONE } from '../protocol/chat/stream';
import { jsonOf, type RefusalEnvelope } from '../protocol/envelope';
import { isJsonObject, measureJson } from '../protocol/json';
import { PiecewiseRedaction, redact } from '../protocol/redact';
import type { Streamed } from '../transport/response';
import { incomplete, streamBroken, StreamFailed, type ChatClient } from './client';
import { finishReasonOf, whyUnusable, textOrRefusal, toolCallsOf, usageOf } from './result';
import type { Sdk } from './sdk';

/** A generator of a stream's parts, for a stream whose first event has arrived. */
type Chunks = () => AsyncGenerator<StreamChunk>;

/** Milliseconds to wait for the token usage after the end of the reply. */
const USAGE_MS = 2000;

/** Maximum size of a whole stream, at about 300 bytes per token. */
const MAX_STREAM_BYTES = 64 * 2 ** 20;

/** Maximum number of bytes between two events. */
const MAX_EVENT_BYTES = 4 * 2 ** 20;

/** Maximum number of events in a stream, at about one event per token. */
const MAX_EVENTS = 200_000;

/** Maximum number of JSON values in all events of a stream. */
const MAX_VALUES = 4_000_000;

const LF = 0x0a;
const CR = 0x0d;

const CUT_OFF = 'the answer was cut off in the middle';

/** The connection from which the events of a stream are read. */
interface EventSource {
	pieces: ByteStream;
	/** Closes the connection. */
	close: () => void;
	/** Whether the reply is complete. */
	hasEnded: () => boolean;
}

/** Counts what has arrived in a stream. */
interface StreamCount {
	bytes: number;
	/** Set to 0 by the reader of the events at each event. */
	bytesSinceEvent: number;
	events: number;
	values: number;
}

/** Waits for the first event. If the stream breaks off before, its request can be resent. */
export async function beginStream(
	client: ChatClient,
	sdk: Sdk,
	{ response, close }: { response: Streamed<ChatJson>; close: () => void },
): Promise<Chunks> {
	if ('whole' in response) {
		const reply = readCompletion(response.whole);
		return async function* () {
			const text = textOrRefusal(reply);
			if (text !== '') yield { type: 'text-delta', delta: text };
			yield* lastChunks(reply);
		};
	}
	const stream = new CompletionStream();
	const hasEnded = () => stream.hasEnded;
	const events = readEvents(client, sdk, { pieces: response.pieces, close, hasEnded });
	const first = await events.next();
	return async function* () {
		const redaction = new PiecewiseRedaction(client.secrets);
		try {
			let event = first;
			for (; !event.done; event = await events.next()) {
				const delta = redaction.add(stream.add(event.value));
				if (delta !== '') yield { type: 'text-delta', delta };
			}
			const rest = redaction.end();
			if (rest !== '') yield { type: 'text-delta', delta: rest };
			// A secret may be divided between pieces of a tool call, so it is redacted in the complete
			// reply.
			const reply = redact(stream.reply, client.secrets);
			if (event.value !== DONE && !hasEnded()) throw streamBroken(CUT_OFF);
			if (reply.text === '' && reply.refusal) yield { type: 'text-delta', delta: reply.refusal };
			yield* lastChunks(reply);
		} finally {
			await events.return(undefined);
		}
	};
}

/**
 * The last parts of a stream: tool calls, finish reason and usage. They are known once the reply is
 * complete.
 */
async function* lastChunks(reply: ChatReply): AsyncGenerator<StreamChunk> {
	const flaw = whyUnusable(reply);
	if (flaw) throw new StreamFailed(incomplete(flaw));
	for (const { toolCallId: id, toolName: name, input } of toolCallsOf(reply)) {
		yield { type: 'tool-call-delta', id, name, argumentsDelta: input };
	}
	yield { type: 'finish', finishReason: finishReasonOf(reply), usage: usageOf(reply) };
}

/**
 * Reads the JSON of each event, and redacts secrets in it. Closes the connection at the end, also
 * after an error.
 *
 * @returns `[DONE]` if the platform ended the stream with it
 * @throws StreamFailed if the stream breaks off, reports an error, or sends nothing in time
 */
async function* readEvents(
	client: ChatClient,
	sdk: Sdk,
	{ pieces, close, hasEnded }: EventSource,
): AsyncGenerator<unknown, string | undefined> {
	const count: StreamCount = { bytes: 0, bytesSinceEvent: 0, events: 0, values: 0 };
	const idle = new IdleTimeout();
	const events = sdk.parseSSEStream(joinLines(pieces, count))[Symbol.asyncIterator]();
	try {
		for (;;) {
			const timeout = hasEnded() ? Math.min(USAGE_MS, client.timeout) : client.timeout;
			const event = await idle.wait(timeout, events.next()).catch((error: Error) => {
				// Some platforms keep the connection open after the end of the reply.
				if (hasEnded()) return { done: true } as const;
				if (error instanceof StreamFailed) throw error;
				const isLate = error.message.startsWith('timeout');
				throw streamBroken(isLate ? 'no further part arrived in time' : CUT_OFF);
			});
			if (event.done) return undefined;
			const { event: name, data } = event.value;
			countEvent(count, data);
			if (data === DONE) return DONE;
			if (data !== undefined) yield readEvent(client, data, name === 'error');
		}
	} finally {
		close();
		pieces.destroy();
	}
}

/**
 * Divides the bytes of a stream only at line ends. n8n's parser searches an unfinished line again
 * with each piece, which would take quadratic time.
 *
 * @throws StreamFailed if there are too many bytes
 */
async function* joinLines(pieces: ByteStream, count: StreamCount): AsyncGenerator<Uint8Array> {
	let line: Uint8Array[] = [];
	for await (const piece of pieces) {
		count.bytes += piece.length;
		count.bytesSinceEvent += piece.length;
		if (count.bytes > MAX_STREAM_BYTES) {
			throw streamBroken('the platform responded with more than 64 MB');
		}
		if (count.bytesSinceEvent > MAX_EVENT_BYTES) {
			throw streamBroken('a part of the answer is larger than 4 MB');
		}
		const end = Math.max(piece.lastIndexOf(LF), piece.lastIndexOf(CR)) + 1;
		if (end === 0) line.push(piece);
		else {
			yield Buffer.concat([...line, piece.subarray(0, end)]);
			line = [piece.subarray(end)];
		}
	}
	yield Buffer.concat(line);
}

/**
 * Counts an event and its values.
 *
 * @throws StreamFailed if there are now too many events or values
 */
function countEvent(count: StreamCount, data = ''): void {
	count.bytesSinceEvent = 0;
	count.events++;
	count.values += measureJson(data).values;
	if (count.events > MAX_EVENTS) throw streamBroken('the answer has more than 200,000 parts');
	if (count.values > MAX_VALUES) throw streamBroken('the answer has more than 4,000,000 values');
}

/**
 * Reads the JSON of an event.
 *
 * @throws StreamFailed if the event is not a JSON object, or reports an error
 */
function readEvent(client: ChatClient, data: string, isError: boolean): object {
	const parsed = jsonOf(data);
	if (isError && parsed === undefined) throw reportedByPlatform(redact(data, client.secrets));
	const json = redact(parsed, client.secrets);
	if (isError && typeof json === 'string') throw reportedByPlatform(json);
	if (!isJsonObject(json)) {
		throw streamBroken('a part of the answer is not a JSON object');
	}
	const refusal = refusalIn(json) ?? (isError ? envelopeIn(json) : businessRefusalIn(json));
	// Some platforms send an empty `error` field in every piece.
	const isEmpty = !refusal?.message && !refusal?.code;
	const isPiece = !isError && isEmpty && 'choices' in json;
	if (refusal && !isPiece) throw reportedByPlatform(refusal.message);
	return json;
}

function reportedByPlatform(message?: string | null): StreamFailed {
	return streamBroken(`the platform ended the answer early: ${quoteMessage(message)}`);
}

/** A refusal in the business envelope, which the responses of other operations also use. */
function businessRefusalIn(json: object): RefusalEnvelope | undefined {
	return 'success' in json && json.success === false ? envelopeIn(json) : undefined;
}

function envelopeIn(json: object): RefusalEnvelope {
	return 'message' in json && typeof json.message === 'string' ? { message: json.message } : {};
}

/**
 * Limits the time between the events of a stream. It starts a new timer only when the previous one
 * has expired, because a timer for each event would take much memory.
 */
class IdleTimeout {
	/** The end of the current wait. All times are those of `performance.now()`. */
	private deadline = Infinity;

	private expiresAt = Infinity;

	private timedOut?: () => void;

	/** Rejects with a timeout error if a promise is not settled in time. */
	async wait<T>(ms: number, promise: Promise<T>): Promise<T> {
		this.deadline = performance.now() + ms;
		if (this.deadline < this.expiresAt) this.start(ms);
		return await new Promise((resolve, reject) => {
			this.timedOut = () => reject(new OperationalError('timeout: no part arrived in time'));
			promise.finally(() => (this.deadline = Infinity)).then(resolve, reject);
		});
	}

	private start(ms: number): void {
		this.expiresAt = performance.now() + ms;
		AbortSignal.timeout(Math.ceil(ms)).addEventListener('abort', () => {
			this.expiresAt = Infinity;
			const left = this.deadline - performance.now();
			if (left <= 0) this.timedOut?.();
			else if (left < Infinity) this.start(left);
		});
	}
}
