import type { IHttpRequestOptions } from 'n8n-workflow';
import { CHECK_BASE_URL, type Answer } from '../protocol/answer';
import {
	toHttpAnswer,
	wholeAnswer,
	type HttpAnswer,
	type WholeResponse,
} from '../protocol/httpAnswer';

/** How an answer is taken in, and what it means. */
export interface Reception<T> {
	/** What n8n's HTTP helper has to know of it. */
	options: Partial<IHttpRequestOptions>;
	/** @param secrets taken out of all that the answer says */
	read(response: unknown, secrets: readonly string[]): Promise<Answer<T>>;
}

/** Tells what an answer means, once it is there. */
export type AnswerReader<T> = (answer: HttpAnswer, secrets: readonly string[]) => Answer<T>;

/** Bytes as they come; Node's readable streams are such. */
export interface ByteStream extends AsyncIterable<Uint8Array> {
	destroy(): void;
}

/** An answer that comes in pieces, or whole from a platform that does not stream. */
export type Streamed<T> = { pieces: ByteStream } | { whole: T };

interface StreamedResponse extends Omit<WholeResponse, 'body'> {
	body: ByteStream;
}

/** n8n sets no limit of its own, and a packed answer may be a thousand times as large when unpacked. */
const MAX_ANSWER_BYTES = 16 * 2 ** 20;

/** The answer as a whole. */
export function whole<T>(read: AnswerReader<T>): Reception<T> {
	return {
		options: { ...wholeAnswer, encoding: 'stream' },
		read: async (response, secrets) => await readWhole(response as StreamedResponse, read, secrets),
	};
}

/** Its status alone says that it is refused; of any other that is too large nothing can be said. */
async function readWhole<T>(
	{ body, ...rest }: StreamedResponse,
	read: AnswerReader<T>,
	secrets: readonly string[],
): Promise<Answer<T>> {
	const bytes = await bytesOf(body);
	if (bytes || rest.statusCode >= 300) {
		return read(toHttpAnswer({ ...rest, body: bytes ?? new Uint8Array() }), secrets);
	}
	const reason = 'the platform answered with more than 16 MB';
	return { kind: 'unclear', status: rest.statusCode, reason, advice: CHECK_BASE_URL };
}

/** @returns undefined when there are too many; the connection is then closed */
async function bytesOf(body: ByteStream): Promise<Uint8Array | undefined> {
	const pieces: Uint8Array[] = [];
	let length = 0;
	for await (const piece of body) {
		length += piece.length;
		if (length > MAX_ANSWER_BYTES) return undefined;
		pieces.push(piece);
	}
	return Buffer.concat(pieces);
}

/** The answer as a stream of server-sent events (https://html.spec.whatwg.org/#server-sent-events). */
export function streamed<T>(read: AnswerReader<T>): Reception<Streamed<T>> {
	return {
		options: {
			...wholeAnswer,
			encoding: 'stream',
			headers: { Accept: 'text/event-stream, application/json' },
		},
		read: async (response, secrets) => {
			const { body, headers, statusCode } = response as StreamedResponse;
			const isStream = /^text\/event-stream/i.test(headers['content-type'] ?? '');
			if (isStream && statusCode < 300) return { kind: 'success', value: { pieces: body } };
			const answer = await readWhole(response as StreamedResponse, read, secrets);
			if (answer.kind !== 'success') return answer;
			return { kind: 'success', value: { whole: answer.value } };
		},
	};
}
