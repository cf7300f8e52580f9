import {
	CHECK_BASE_URL,
	readHttpAnswer,
	type Answer,
	type HttpAnswer,
	type StreamedResponse,
} from '../protocol/answer';

/**
 * Reads the response of n8n's HTTP helper.
 *
 * @param secrets secrets to redact in the result
 */
export type ResponseFormat<T> = (
	response: StreamedResponse,
	secrets: readonly string[],
) => Promise<Answer<T>>;

/** Reads a complete response. */
type AnswerReader<T> = (answer: HttpAnswer, secrets: readonly string[]) => Answer<T>;

/** Maximum size of a response. Even long chat responses are far smaller. */
const MAX_ANSWER_BYTES = 16 * 2 ** 20;

/** Creates the format of a response that is read as a whole. */
export function whole<T>(read: AnswerReader<T>): ResponseFormat<T> {
	return async (response, secrets) => await readWhole(response, read, secrets);
}

/** Reads a response of limited size. */
export async function readWhole<T>(
	response: StreamedResponse,
	read: AnswerReader<T>,
	secrets: readonly string[],
): Promise<Answer<T>> {
	const answer = await readHttpAnswer(response, MAX_ANSWER_BYTES);
	if (answer) return read(answer, secrets);
	const reason = 'the platform responded with more than 16 MB';
	return { kind: 'unknown', status: response.statusCode, reason, advice: CHECK_BASE_URL };
}
