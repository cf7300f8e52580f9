import type { IExecuteFunctions } from 'n8n-workflow';
import { parameterReader, type ParameterReader } from '../items/parameterReader';
import { readChatAnswer } from './chatAnswer';
import { mismatchIn } from './jsonSchema';
import { readReply, whyIncomplete, type ChatJson, type Flaw } from './reply';
import type { Operation } from '../platform/endpoints';
import { jsonOf } from '../platform/envelope';
import type { Limiter } from '../platform/limiter';
import { invalid, lines, type Failed, type Outcome } from '../platform/outcome';
import { sendRequest, type Connection } from '../platform/request';
import { openSession } from '../platform/session';
import { describeRateLimits, nameOf, type Run } from '../items/operation';
import type { PreparedChat } from './chatRequest';

/** The data that all chat requests of one run share. */
export interface ChatRun extends Run {
	parameter: ParameterReader;
	connection: Connection;
	itemCount: number;
}

/** The name of a chat request in messages. */
const CHAT_REQUEST = 'the chat request';

const ALLOW_INCOMPLETE =
	"The details contain the incomplete answer. To output it as an item, turn on the option 'Allow Incomplete Answers'.";

/** The code fence in which some models wrap JSON. */
const CODE_FENCE = /^\s*```(?:json\b)?(.*)```\s*$/is;

/** Reads the data that all items of a run share. */
export async function beginChat(
	context: IExecuteFunctions,
	limiter: Limiter,
): Promise<ChatRun | Failed> {
	const session = await openSession(context, CHAT_REQUEST);
	if ('failure' in session) return session;
	return {
		connection: { session, limiter },
		parameter: parameterReader(context),
		itemCount: context.getInputData().length,
		summary: () => ({ text: describeRateLimits(limiter) }),
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
	{ connection, itemCount }: ChatRun,
	operation: Operation,
	chat: PreparedChat,
): Promise<Outcome<object>> {
	const { body, options, problems } = chat;
	const name = nameOf('chat request', itemIndex, itemCount);
	if (problems.length > 0) return invalid(name, problems);
	return await connection.limiter.run(itemIndex, async () => {
		const outcome = await sendRequest(connection, itemIndex, {
			operation,
			body,
			read: readChatAnswer,
			timeout: Math.ceil(options.timeout * 1000),
			rateLimitWait: options.rateLimitWait * 1000,
			what: name ?? CHAT_REQUEST,
			isSafeToRepeat: true,
		});
		if (outcome.kind !== 'accepted') return outcome;
		return outputOf(chat, outcome.value);
	});
}

/**
 * The output item of a reply. For an incomplete reply, the outcome is `incomplete` unless the user
 * allows such replies.
 */
function outputOf({ options, format }: PreparedChat, response: ChatJson): Outcome<object> {
	const reply = readReply(response);
	const { text, reasoning, finishReason, refusal, toolCalls, usage, model, id } = reply;
	const isJson = format && toolCalls.length === 0;
	const json = isJson ? readJson(text, format.schema) : {};
	const flaw = whyIncomplete(reply) ?? json.flaw;
	const output = {
		text,
		...(reasoning && { reasoning }),
		...(json.value !== undefined && { json: json.value }),
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

/** Reads the JSON of a reply, and checks it with its schema. */
function readJson(text: string, schema: unknown): { value?: object; flaw?: Flaw } {
	const unfenced = (CODE_FENCE.exec(text)?.[1] ?? text).trim();
	const value = jsonOf(unfenced);
	if (typeof value !== 'object' || value === null) {
		const advice = 'Describe the JSON in the messages, or provide a schema.';
		return { flaw: { message: 'The answer is not the requested JSON', advice } };
	}
	// Large numbers are text in `value`.
	const why = mismatchIn(JSON.parse(unfenced), schema);
	if (!why) return { value };
	const message = `The answer does not match the JSON Schema: ${why}`;
	return { value, flaw: { message, advice: 'Send the request again, or turn on Strict Schema.' } };
}
