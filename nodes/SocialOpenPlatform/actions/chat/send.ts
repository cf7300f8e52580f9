import type { IExecuteFunctions } from 'n8n-workflow';
import { parameterReader, type ParameterReader } from '../../parameters/parameterReader';
import { toJson } from '../../parameters/values';
import { readChatAnswer, type ChatOperation } from '../../protocol/chat/answer';
import { whyIncomplete, type ChatJson, type ChatReply } from '../../protocol/chat/reply';
import type { Limiter } from '../../transport/limiter';
import { invalid, lines, type Failed, type Outcome } from '../../transport/outcome';
import { sendRequest, type Connection } from '../../transport/request';
import { whole } from '../../transport/response';
import { openSession } from '../../transport/session';
import { isTool } from '../agentTool';
import { describeRateLimits, nameOf, type ItemFailure, type Run } from '../run';
import type { PreparedChat } from './request';

/** What the chat requests of one run share. */
export interface ChatRun extends Run {
	parameter: ParameterReader;
	connection: Connection;
	/** The number of tokens of each accepted item, or 0 if the response does not contain it. */
	tokens: number[];
	itemCount: number;
}

/** The parts of a chat request in which the two chat operations differ. */
interface ChatCall {
	operation: ChatOperation;
	chat: PreparedChat;
	read: (json: ChatJson) => ChatReply;
}

/** The values from which the summary of a run is created. */
interface RunFacts {
	tokens: number[];
	failures: ItemFailure[];
	itemCount: number;
	limiter: Pick<Limiter, 'rateLimits'>;
}

/** How messages name a chat request. */
const CHAT_REQUEST = 'the chat request';

const NOT_JSON = {
	message: 'The answer is not the requested JSON',
	advice: 'Describe the JSON in the messages, or provide a schema.',
};

const ALLOW_INCOMPLETE =
	"The details contain the incomplete answer. To output it as an item, turn on the option 'Allow Incomplete Answers'.";

const CODE_FENCE = '```';

/** Reads what all items of a run share. */
export async function beginChat(
	context: IExecuteFunctions,
	limiter: Limiter,
): Promise<ChatRun | Failed> {
	const session = await openSession(context, CHAT_REQUEST);
	if ('failure' in session) return session;
	const itemCount = context.getInputData().length;
	const tokens: number[] = [];
	return {
		connection: { session, limiter },
		parameter: parameterReader(context, isTool(context)),
		tokens,
		itemCount,
		summary: (failures) => ({ text: summaryOf({ tokens, failures, itemCount, limiter }) }),
	};
}

/**
 * Sends the chat request of an item. Its outcome is not recorded and a retry sends it again,
 * because a chat request publishes nothing.
 *
 * @returns the output item
 */
export async function sendChat(
	itemIndex: number,
	{ connection, tokens, itemCount }: ChatRun,
	{ operation, chat, read }: ChatCall,
): Promise<Outcome<object>> {
	const { body, options, problems } = chat;
	const name = nameOf('chat request', itemIndex, itemCount);
	if (problems.length > 0) return invalid(name, problems);
	return await connection.limiter.run(itemIndex, async () => {
		const outcome = await sendRequest(connection, itemIndex, {
			operation,
			body,
			format: whole((answer, secrets) => readChatAnswer(operation, answer, secrets)),
			timeout: Math.ceil(options.timeout * 1000),
			rateLimitWait: options.rateLimitWait * 1000,
			what: name ?? CHAT_REQUEST,
			isSafeToRepeat: true,
		});
		if (outcome.kind !== 'accepted') return outcome;
		const reply = read(outcome.value);
		const output = outputOf(chat, reply, outcome.value);
		const total = reply.usage?.total_tokens;
		if (output.kind === 'accepted') tokens.push(Number.isSafeInteger(total) ? Number(total) : 0);
		return output;
	});
}

/**
 * The output item of a reply. For an incomplete reply, the outcome is `incomplete` unless the user
 * allows such replies.
 */
function outputOf(
	{ options, isJson }: PreparedChat,
	reply: ChatReply,
	response: ChatJson,
): Outcome<object> {
	const { text, finishReason, refusal, toolCalls, usage, model, id } = reply;
	const parsed: unknown = isJson ? toJson(withoutCodeFence(text)) : undefined;
	const hasJson = typeof parsed === 'object' && parsed !== null;
	const isRequestedFormat = !isJson || hasJson || toolCalls.length > 0;
	const flaw = whyIncomplete(reply) ?? (isRequestedFormat ? undefined : NOT_JSON);
	const output = {
		text,
		...(hasJson && { json: parsed }),
		finish_reason: finishReason,
		...(toolCalls.length > 0 && { tool_calls: toolCalls }),
		...(refusal && { refusal }),
		...(flaw && options.allowIncomplete && { note: flaw.message }),
		usage,
		model,
		id,
		...(options.fullResponse && { response }),
	};
	if (!flaw || options.allowIncomplete) return { kind: 'accepted', value: output };
	const description = lines(flaw.advice, ALLOW_INCOMPLETE);
	return { kind: 'incomplete', failure: { message: flaw.message, description, facts: output } };
}

/** Returns the text without the code fence in which some models wrap JSON. */
function withoutCodeFence(text: string): string {
	const trimmed = text.trim();
	if (!trimmed.startsWith(CODE_FENCE) || !trimmed.endsWith(CODE_FENCE)) return text;
	return trimmed.slice(CODE_FENCE.length, -CODE_FENCE.length).replace(/^json\b/, '');
}

/**
 * Counts the replies and their tokens. A run with a single item has no summary, unless it waited
 * for a rate limit.
 */
function summaryOf({ tokens, failures, itemCount, limiter }: RunFacts): string {
	if (itemCount < 2 && limiter.rateLimits.pauses === 0) return '';
	const left = itemCount - tokens.length - failures.length;
	const total = tokens.reduce((sum, some) => sum + some, 0);
	const parts = [
		`${tokens.length} complete`,
		failures.length > 0 && `${failures.length} failed`,
		left > 0 && `${left} not requested yet`,
	];
	const counts = `Answers: ${parts.filter(Boolean).join(', ')}.`;
	return lines(total > 0 ? `${counts} Tokens: ${total}.` : counts, describeRateLimits(limiter));
}
