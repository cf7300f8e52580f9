import { jsonOf } from '../platform/response';
import { fieldsOf } from '../platform/json';

export type ChatJson = Record<string, unknown>;

const REASONING = /^\s*<think>(.*?)<\/think>\s*/s;

/** Some models wrap JSON in a code fence. */
const CODE_FENCE = /^\s*```(?:json\b)?(.*)```\s*$/is;

/** A complete answer has one of these finish reasons. Some platforms send none. */
const IS_COMPLETE = /^(stop|completed|end_turn|eos|eos_token|stop_sequence)?$/i;

const REWORD = 'Change the wording of the request.';

export const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Reads a response of either operation. Both have a reply in the same form. */
export function readReply(json: ChatJson) {
	const [choice] = itemsOf(json.choices).map(fieldsOf);
	const { messages, toolCalls, finishReason } = choice ? readChoice(choice) : readOutput(json);
	const text = joinParts(messages, 'text');
	return {
		text: text.replace(REASONING, ''),
		/** Some models write their reasoning before their answer. */
		reasoning: REASONING.exec(text)?.[1]?.trim(),
		/** It is `stop`, `length`, `content_filter`, `tool_calls`, or another value of the platform. */
		finishReason: (textOf(finishReason ?? '') ?? 'unknown').replace(
			/^max_(output_)?tokens$/i,
			'length',
		),
		/** It is not empty if the model refuses to answer. */
		refusal: joinParts(messages, 'refusal'),
		/** They are unchanged: the two operations use different formats. */
		toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
	};
}

/** Reads a choice in the response of `POST /v1/chat/completions`. */
function readChoice(choice: ChatJson) {
	const message = fieldsOf(choice.message);
	return {
		messages: [message],
		toolCalls: itemsOf(message.tool_calls),
		finishReason: choice.finish_reason,
	};
}

/** Reads the response of `POST /v1/responses`. */
function readOutput({ output, status, incomplete_details: details }: ChatJson) {
	const items = itemsOf(output).map(fieldsOf);
	// These tool calls wait for a result. The platform executes all others itself.
	const toolCalls = items.filter(
		({ type }) => type === 'function_call' || type === 'custom_tool_call',
	);
	const ended = toolCalls.length > 0 ? 'tool_calls' : 'stop';
	const state = textOf(fieldsOf(details).reason) || textOf(status) || 'completed';
	return {
		messages: items.filter(({ type }) => type === 'message'),
		toolCalls,
		finishReason: state === 'completed' ? ended : state,
	};
}

/**
 * Joins the texts or the refusals of messages, with a blank line between two messages. The content
 * of a message is a text or a list of parts. A refusal is beside the content, or one of its parts.
 */
function joinParts(messages: ChatJson[], field: 'text' | 'refusal') {
	return messages
		.map(({ content, refusal }) => [{ text: content, refusal }, ...itemsOf(content)])
		.map((parts) => parts.map((part) => textOf(fieldsOf(part)[field])).join(''))
		.filter(Boolean)
		.join('\n\n');
}

/**
 * Finds out why a reply is incomplete.
 *
 * @returns undefined for a complete reply
 */
export function whyIncomplete({
	text,
	refusal,
	finishReason,
	toolCalls,
}: ReturnType<typeof readReply>) {
	if (refusal) return flawOf(`The model refused to answer: ${quoted(refusal)}`, REWORD);
	if (finishReason === 'content_filter') {
		return flawOf("The platform's content filter stopped the answer", REWORD);
	}
	if (finishReason === 'length') {
		return flawOf(
			'The answer was cut off at the token limit',
			"Increase 'Max Tokens', or ask for a shorter answer.",
		);
	}
	const isEmpty = text.trim() === '' && !toolCalls;
	const what = `The answer ${isEmpty ? 'is empty' : 'may be incomplete'}`;
	const isComplete = IS_COMPLETE.test(finishReason) || (toolCalls && finishReason === 'tool_calls');
	if (!isComplete) return flawOf(`${what}: it ended with ${quoted(finishReason)}`);
	return isEmpty ? flawOf(what) : undefined;
}

/** Explains why a reply is incomplete, and what users can do. */
const flawOf = (message: string, advice = 'Send the request again, or change its wording.') => ({
	message,
	advice,
});

/** Reads the JSON of a reply, and checks it with its schema. */
export function readJsonReply(text: string, schema: unknown) {
	const value = jsonOf(CODE_FENCE.exec(text)?.[1] ?? text);
	if (typeof value !== 'object' || value === null) {
		const advice = 'Describe the JSON in the messages, or provide a schema.';
		return { flaw: flawOf('The answer is not the requested JSON', advice) };
	}
	const why = mismatchOf(value, schema);
	if (!why) return { value };
	const advice = 'Send the request again, or turn on Strict Schema.';
	return { value, flaw: flawOf(`The answer does not match the JSON Schema: ${why}`, advice) };
}

/**
 * Finds out whether an answer is the object or the list that a JSON Schema describes, with its
 * required fields. The platform checks the rest if *Strict Schema* is on.
 *
 * @returns what is wrong, as a clause
 */
function mismatchOf(value: object, schema: unknown) {
	const { type, required } = fieldsOf(schema);
	const actual = Array.isArray(value) ? 'array' : 'object';
	const allowed = [type ?? actual].flat() as string[];
	if (!allowed.includes(actual)) return `it is not of type ${allowed.join(' or ')}`;
	const missing = (itemsOf(required) as string[]).find((name) => !Object.hasOwn(value, name));
	return missing && `it has no field '${missing}'`;
}

/**
 * Quotes and shortens a text of the platform, because the platform decides how long its texts are,
 * and n8n stores messages with the execution.
 */
const quoted = (text: string) => `“${text.slice(0, 300)}”`;
