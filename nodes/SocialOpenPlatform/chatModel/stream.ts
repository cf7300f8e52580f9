import type { StreamChunk } from '@n8n/ai-node-sdk';
import { quote, type ByteStream } from '../protocol/answer';
import { readCompletion, type ChatJson, type ChatReply } from '../protocol/chat';
import { refusalIn } from '../protocol/chatAnswer';
import { CompletionStream, DONE } from '../protocol/chatStream';
import type { RefusalEnvelope } from '../protocol/envelope';
import { parseJson } from '../protocol/json';
import { PiecewiseRedaction, redact } from '../protocol/redact';
import type { Streamed } from '../transport/response';
import { within } from '../transport/send';
import { incomplete, streamBroken, StreamFailed, type ChatClient } from './client';
import { finishReasonOf, flawOf, toolCallsOf, usageOf, wordsOf } from './result';
import type { Sdk } from './supply';

/** A streamed answer that has begun. */
export type Chunks = () => AsyncGenerator<StreamChunk>;

/** How long to wait for the usage after the end of the answer, in milliseconds. */
const USAGE_MS = 2000;

/** Of a whole stream, at about 300 bytes for each token. */
const MAX_STREAM_BYTES = 64 * 2 ** 20;

/** Between two events. */
const MAX_EVENT_BYTES = 4 * 2 ** 20;

const LF = 0x0a;
const CR = 0x0d;

/** Waits for the first event. A stream that breaks off before that can be requested again. */
export async function beginStream(
	client: ChatClient,
	sdk: Sdk,
	{ answer, close }: { answer: Streamed<ChatJson>; close: () => void },
): Promise<Chunks> {
	if ('whole' in answer) {
		const reply = readCompletion(answer.whole);
		return async function* () {
			const words = wordsOf(reply);
			if (words !== '') yield { type: 'text-delta', delta: words };
			yield* lastChunks(reply);
		};
	}
	const stream = new CompletionStream();
	const isWhole = () => stream.hasEnded;
	const events = eventsOf(client, sdk, { pieces: answer.pieces, close, isWhole });
	const first = await events.next();
	return async function* () {
		const shown = new PiecewiseRedaction(client.secrets);
		try {
			let event = first;
			for (; !event.done; event = await events.next()) {
				const delta = shown.add(stream.add(event.value));
				if (delta !== '') yield { type: 'text-delta', delta };
			}
			const rest = shown.end();
			if (rest !== '') yield { type: 'text-delta', delta: rest };
			// The arguments of a tool call arrive in pieces, too.
			const reply = redact(stream.whole(), client.secrets);
			if (event.value !== DONE && !isWhole()) {
				throw streamBroken('the answer was cut off in the middle');
			}
			if (reply.text === '' && reply.refusal) yield { type: 'text-delta', delta: reply.refusal };
			yield* lastChunks(reply);
		} finally {
			await events.return(undefined);
		}
	};
}

/** What only the end of an answer tells. A tool call is passed on when it is complete. */
async function* lastChunks(reply: ChatReply): AsyncGenerator<StreamChunk> {
	const flaw = flawOf(reply);
	if (flaw) throw new StreamFailed(incomplete(flaw));
	for (const { toolCallId: id, toolName: name, input } of toolCallsOf(reply)) {
		yield { type: 'tool-call-delta', id, name, argumentsDelta: input };
	}
	yield { type: 'finish', finishReason: finishReasonOf(reply), usage: usageOf(reply) };
}

/** Where events come from. */
interface EventSource {
	pieces: ByteStream;
	/** Closes the connection. */
	close: () => void;
	/** Whether all has been said already. */
	isWhole: () => boolean;
}

/**
 * The JSON of each event of a stream, secrets taken out. The connection is let go of at the end,
 * whoever makes it.
 *
 * @returns `[DONE]` where the platform said so
 * @throws StreamFailed when the stream breaks off, says that it cannot go on, or no piece comes in time
 */
async function* eventsOf(
	client: ChatClient,
	sdk: Sdk,
	{ pieces, close, isWhole }: EventSource,
): AsyncGenerator<unknown, string | undefined> {
	const came = { inAll: 0, sinceEvent: 0 };
	const events = sdk.parseSSEStream(linesOf(pieces, came))[Symbol.asyncIterator]();
	try {
		for (;;) {
			const timeout = isWhole() ? Math.min(USAGE_MS, client.timeout) : client.timeout;
			const event = await within(timeout, events.next()).catch((error: Error) => {
				// Some platforms keep the connection when all has been said.
				if (isWhole()) return { done: true } as const;
				if (error instanceof StreamFailed) throw error;
				const isLate = error.message.startsWith('timeout');
				throw streamBroken(
					isLate ? 'no further piece of it came in time' : 'the answer was cut off in the middle',
				);
			});
			if (event.done) return undefined;
			came.sinceEvent = 0;
			const { event: name, data } = event.value;
			if (data === DONE) return DONE;
			if (data !== undefined) yield jsonOf(client, data, name === 'error');
		}
	} finally {
		close();
		pieces.destroy();
	}
}

/**
 * The same bytes, cut only at the ends of lines: n8n's parser goes through all of a line again with
 * every piece of it.
 *
 * @param came counts them; `sinceEvent` is reset from outside
 * @throws StreamFailed when there are too many
 */
async function* linesOf(
	pieces: ByteStream,
	came: { inAll: number; sinceEvent: number },
): AsyncGenerator<Uint8Array> {
	let line: Uint8Array[] = [];
	for await (const piece of pieces) {
		came.inAll += piece.length;
		came.sinceEvent += piece.length;
		if (came.inAll > MAX_STREAM_BYTES) {
			throw streamBroken('the platform answered with more than 64 MB');
		}
		if (came.sinceEvent > MAX_EVENT_BYTES) {
			throw streamBroken('a piece of the answer has more than 4 MB');
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

function jsonOf(client: ChatClient, data: string, isError: boolean): unknown {
	const json: unknown = redact(parsed(data) ?? data, client.secrets);
	if (isError && typeof json === 'string') throw brokenOff(json);
	if (typeof json !== 'object' || json === null || Array.isArray(json)) {
		throw streamBroken('a piece of the answer is no JSON object');
	}
	const refusal = refusalIn(json) ?? (isError ? envelopeIn(json) : businessRefusalIn(json));
	// Beside a piece, an error that says nothing is none.
	const saysNothing = !refusal?.message && !refusal?.code;
	const isNone = !isError && saysNothing && 'choices' in json;
	if (refusal && !isNone) throw brokenOff(refusal.message);
	return json;
}

const brokenOff = (words?: string | null) =>
	streamBroken(`the platform broke it off: ${quote(words)}`);

/** The business envelope, in which the platform refuses elsewhere. */
function businessRefusalIn(json: object) {
	return 'success' in json && json.success === false ? envelopeIn(json) : undefined;
}

function envelopeIn(json: object): RefusalEnvelope {
	return 'message' in json && typeof json.message === 'string' ? { message: json.message } : {};
}

function parsed(data: string): unknown {
	try {
		return parseJson(data);
	} catch {
		return undefined;
	}
}
