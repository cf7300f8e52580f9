import { NodeApiError } from 'n8n-workflow';
import { quote } from '../protocol/answer';
import { refusalIn } from '../protocol/chatAnswer';
import { DONE } from '../protocol/chatStream';
import type { RefusalEnvelope } from '../protocol/envelope';
import { parseJson } from '../protocol/json';
import { redact } from '../protocol/redact';
import type { ByteStream } from '../protocol/httpAnswer';
import { within } from '../transport/within';
import type { Asker } from './asker';
import type { Sdk } from './sdk';

/** How long to wait, when all has been said, for what it took. */
const LAST_WORDS_MS = 2000;

/** Of a whole stream, at some 300 bytes for each token. */
const MAX_STREAM_BYTES = 64 * 2 ** 20;

/** Between two events. */
const MAX_EVENT_BYTES = 4 * 2 ** 20;

/** Where events come from. */
interface EventSource {
	pieces: ByteStream;
	/** Closes the connection. */
	letGo: () => void;
	/** Whether all has been said already. */
	isWhole: () => boolean;
}

/**
 * The JSON of each event of a stream, secrets taken out. The connection is let go of at the end,
 * whoever makes it.
 *
 * @returns `[DONE]` where the platform said so
 * @throws NodeApiError when the stream breaks off, says that it cannot go on, or no piece comes in time
 */
export async function* eventsOf(
	asker: Asker,
	sdk: Sdk,
	{ pieces, letGo, isWhole }: EventSource,
): AsyncGenerator<unknown, string | undefined> {
	const came = { inAll: 0, sinceEvent: 0 };
	const events = sdk.parseSSEStream(linesOf(asker, pieces, came))[Symbol.asyncIterator]();
	try {
		for (;;) {
			const timeout = isWhole() ? Math.min(LAST_WORDS_MS, asker.timeout) : asker.timeout;
			const event = await within(timeout, events.next()).catch((error: Error) => {
				// Some platforms keep the connection when all has been said.
				if (isWhole()) return { done: true } as const;
				if (error instanceof NodeApiError) throw error;
				const isLate = error.message.startsWith('timeout');
				throw asker.unanswered(
					isLate ? 'no further piece of it came in time' : 'the answer was cut off in the middle',
				);
			});
			if (event.done) return undefined;
			came.sinceEvent = 0;
			const { event: name, data } = event.value;
			if (data === DONE) return DONE;
			if (data !== undefined) yield jsonOf(asker, data, name === 'error');
		}
	} finally {
		letGo();
		pieces.destroy();
	}
}

/**
 * The same bytes, cut only at the ends of lines: n8n's parser goes through all of a line again with
 * every piece of it.
 *
 * @param came counts them; `sinceEvent` is reset from outside
 * @throws NodeApiError when there are too many
 */
async function* linesOf(
	asker: Asker,
	pieces: ByteStream,
	came: { inAll: number; sinceEvent: number },
): AsyncGenerator<Uint8Array> {
	let line: Uint8Array[] = [];
	for await (const piece of pieces) {
		came.inAll += piece.length;
		came.sinceEvent += piece.length;
		if (came.inAll > MAX_STREAM_BYTES) {
			throw asker.unanswered('the platform answered with more than 64 MB');
		}
		if (came.sinceEvent > MAX_EVENT_BYTES) {
			throw asker.unanswered('a piece of the answer has more than 4 MB');
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

const LF = 0x0a;
const CR = 0x0d;

function jsonOf(asker: Asker, data: string, isError: boolean): unknown {
	const json: unknown = redact(parsed(data) ?? data, asker.secrets);
	if (isError && typeof json === 'string') throw brokenOff(asker, json);
	if (typeof json !== 'object' || json === null || Array.isArray(json)) {
		throw asker.unanswered('a piece of the answer is no JSON object');
	}
	const refusal = refusalIn(json) ?? (isError ? envelopeIn(json) : businessRefusalIn(json));
	// Beside a piece, an error that says nothing is none.
	const saysNothing = !refusal?.message && !refusal?.code;
	const isNone = !isError && saysNothing && 'choices' in json;
	if (refusal && !isNone) throw brokenOff(asker, refusal.message);
	return json;
}

const brokenOff = (asker: Asker, words?: string | null) =>
	asker.unanswered(`the platform broke it off: ${quote(words)}`);

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
