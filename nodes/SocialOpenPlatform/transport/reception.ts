import type { IHttpRequestOptions } from 'n8n-workflow';
import { CHECK_BASE_URL, type Answer } from '../protocol/answer';
import {
	readHttpAnswer,
	wholeAnswer,
	type ByteStream,
	type HttpAnswer,
	type StreamedResponse,
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

/** An answer that comes in pieces, or whole from a platform that does not stream. */
export type Streamed<T> = { pieces: ByteStream } | { whole: T };

/** Chats with long answers stay far below this. */
const MAX_ANSWER_BYTES = 16 * 2 ** 20;

/** The answer as a whole. */
export function whole<T>(read: AnswerReader<T>): Reception<T> {
	return {
		options: wholeAnswer,
		read: async (response, secrets) => await readWhole(response as StreamedResponse, read, secrets),
	};
}

async function readWhole<T>(
	response: StreamedResponse,
	read: AnswerReader<T>,
	secrets: readonly string[],
): Promise<Answer<T>> {
	const answer = await readHttpAnswer(response, MAX_ANSWER_BYTES);
	if (answer) return read(answer, secrets);
	const reason = 'the platform answered with more than 16 MB';
	return { kind: 'unclear', status: response.statusCode, reason, advice: CHECK_BASE_URL };
}

/** The answer as a stream of server-sent events (https://html.spec.whatwg.org/#server-sent-events). */
export function streamed<T>(read: AnswerReader<T>): Reception<Streamed<T>> {
	return {
		options: {
			...wholeAnswer,
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
