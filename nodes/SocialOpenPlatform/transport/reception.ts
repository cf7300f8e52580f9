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
