import {
	CHECK_BASE_URL,
	readHttpAnswer,
	type Answer,
	type HttpAnswer,
	type StreamedResponse,
} from './answer';

/**
 * Reads a complete response.
 *
 * @param secrets secrets to redact in the result
 */
export type AnswerReader<T> = (answer: HttpAnswer, secrets: readonly string[]) => Answer<T>;

/** Maximum size of a response. Even long chat responses are far smaller. */
const MAX_ANSWER_BYTES = 16 * 2 ** 20;

/** Reads a response of n8n's HTTP helper, whose size is limited. */
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
