import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Answer } from '../protocol/answer';
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

/** The answer as a whole. */
export function whole<T>(read: AnswerReader<T>): Reception<T> {
	return {
		options: wholeAnswer,
		read: async (response, secrets) => read(toHttpAnswer(response as WholeResponse), secrets),
	};
}

/** Bytes as they come; Node's readable streams are such. */
export interface ByteStream extends AsyncIterable<Uint8Array> {
	toArray(): Promise<Uint8Array[]>;
	destroy(): void;
}

/** An answer that comes in pieces, or whole from a platform that does not stream. */
export type Streamed<T> = { pieces: ByteStream } | { whole: T };

interface StreamedResponse extends Omit<WholeResponse, 'body'> {
	body: ByteStream;
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
			const { body, ...rest } = response as StreamedResponse;
			const isStream = /^text\/event-stream/i.test(rest.headers['content-type'] ?? '');
			if (isStream && rest.statusCode < 300) return { kind: 'success', value: { pieces: body } };
			const bytes = Buffer.concat(await body.toArray());
			const answer = read(toHttpAnswer({ ...rest, body: bytes }), secrets);
			if (answer.kind !== 'success') return answer;
			return { kind: 'success', value: { whole: answer.value } };
		},
	};
}
