import type { IHttpRequestOptions } from 'n8n-workflow';
import {
	CHECK_BASE_URL,
	readHttpAnswer,
	responseOptions,
	type Answer,
	type ByteStream,
	type HttpAnswer,
	type StreamedResponse,
} from '../protocol/answer';

/** How a response is received and read. */
export interface ResponseFormat<T> {
	/** Options of n8n's HTTP helper. */
	options: Partial<IHttpRequestOptions>;
	/** @param secrets secrets to redact in the result */
	read(response: unknown, secrets: readonly string[]): Promise<Answer<T>>;
}

/** Reads a complete response. */
type AnswerReader<T> = (answer: HttpAnswer, secrets: readonly string[]) => Answer<T>;

/** The pieces of a response, or the whole response if the platform does not stream it. */
export type Streamed<T> = { pieces: ByteStream } | { whole: T };

/** Maximum size of a response. Even long chat responses are far smaller. */
const MAX_ANSWER_BYTES = 16 * 2 ** 20;

/** Creates the format of a response that is read as a whole. */
export function whole<T>(read: AnswerReader<T>): ResponseFormat<T> {
	return {
		options: responseOptions,
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
	const reason = 'the platform responded with more than 16 MB';
	return { kind: 'unknown', status: response.statusCode, reason, advice: CHECK_BASE_URL };
}

/**
 * Creates the format of a response that is a stream of server-sent events
 * (https://html.spec.whatwg.org/#server-sent-events).
 */
export function streamed<T>(read: AnswerReader<T>): ResponseFormat<Streamed<T>> {
	return {
		options: {
			...responseOptions,
			headers: { Accept: 'text/event-stream, application/json' },
		},
		read: async (response, secrets) => {
			const { body, headers, statusCode } = response as StreamedResponse;
			const isStream = /^text\/event-stream/i.test(headers['content-type'] ?? '');
			if (isStream && statusCode < 300) return { kind: 'accepted', value: { pieces: body } };
			const answer = await readWhole(response as StreamedResponse, read, secrets);
			if (answer.kind !== 'accepted') return answer;
			return { kind: 'accepted', value: { whole: answer.value } };
		},
	};
}
