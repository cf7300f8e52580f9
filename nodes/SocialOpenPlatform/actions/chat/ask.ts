import type { IExecuteFunctions } from 'n8n-workflow';
import type { ChatJson, ChatReply } from '../../protocol/chat';
import { readChatAnswer, type ChatOperation } from '../../protocol/chatAnswer';
import { unanswered, type Clues } from '../../transport/errors';
import { whole } from '../../transport/reception';
import { request } from '../../transport/request';
import { parameterError } from '../../parameters/parameterError';
import { outputOf } from './answer.output';
import { ChatReader, type PreparedChat } from './chatFields';
import type { ChatRun } from './chatRun';

const WHAT = 'the chat request';

/** What tells one chat operation from the other. */
export interface Question {
	operation: ChatOperation;
	prepare: (reader: ChatReader) => PreparedChat;
	read: (json: ChatJson) => ChatReply;
}

/**
 * Asks for one item. It publishes nothing, so no account is kept of it: whoever asks again is answered
 * again.
 *
 * @throws NodeOperationError with every problem of the item, before anything is sent
 * @throws NodeApiError when the platform refuses, does not answer, or not with a whole answer
 */
export async function ask(
	this: IExecuteFunctions,
	itemIndex: number,
	run: ChatRun,
	{ operation, prepare, read }: Question,
): Promise<object> {
	const chat = prepare(new ChatReader(run.parameter, itemIndex));
	const { body, options, problems } = chat;
	if (problems.length > 0) throw parameterError(this.getNode(), itemIndex, problems);
	const call = {
		operation,
		body,
		reception: whole((answer, secrets) => readChatAnswer(operation, answer, secrets)),
		timeout: Math.ceil(options.timeout * 1000),
		rateLimitWait: options.rateLimitWait * 1000,
		what: WHAT,
		abandon: new AbortController(),
		unanswered: (reason: string, clues?: Clues) => unanswered(WHAT, reason, clues),
	};
	return await run.line.gate.through(itemIndex, async () => {
		const json = await (request<ChatJson>).call(this, itemIndex, call, run.line);
		const reply = read(json);
		const output = outputOf.call(this, itemIndex, chat, { reply, whole: json });
		const tokens = reply.usage?.total_tokens;
		run.tokens.push(Number.isSafeInteger(tokens) ? (tokens as number) : 0);
		return output;
	});
}
