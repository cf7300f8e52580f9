import { fieldsOf, isJsonObject } from '../platform/json';
import {
	jsonOf,
	outcomeOf,
	readEnvelope,
	refusalIn,
	type BodyReading,
	type ResponseReader,
} from '../platform/response';

export type ChatJson = Record<string, unknown>;

/** The name of a single chat request in messages. */
export const CHAT_REQUEST = 'the chat request';

export const readChatResponse: ResponseReader<ChatJson> = (response, request) =>
	outcomeOf(response, request, readBody);

/**
 * Reads a chat response in OpenAI's format, a chat response inside the platform's business
 * envelope, or a refusal in either format.
 */
function readBody(json: ChatJson): BodyReading<ChatJson> {
	const { error } = json;
	const replies = repliesIn(json);
	const { message, code } = refusalIn({ error });
	// Some platforms send an empty `error` field in every response.
	if (error && (message || code || !replies)) return {};
	if (replies?.length) return { value: json };
	if (fieldsOf(json.base_resp).status_code) return {};
	const { value, ...read } = 'success' in json ? readEnvelope(json) : {};
	if ('success' in json && !value) return read;
	const inside = fieldsOf(value?.data);
	if (repliesIn(inside)?.length) return { value: inside };
	return { flaw: 'JSON without the expected field choices or output' };
}

/** Finds the list of replies in a response of either chat operation. */
function repliesIn({ success, choices, output }: ChatJson): unknown[] | undefined {
	return success === false ? undefined : [choices, output].find(Array.isArray);
}

/**
 * Matches the reasoning that some models write before their answer. Some models omit the first tag.
 * The lazy quantifier prevents a stack overflow for long answers.
 */
const REASONING =
	/^(?:(?:\s*<(?:think|thinking|thought)>)?(?:(?!<(?:think|thinking|thought)>).)*?<\/(?:think|thinking|thought)>)+\s*/is;

const REASONING_TAG = /<\/?(?:think|thinking|thought)>/i;

/** Matches JSON in a code fence, which some models add. */
const CODE_FENCE = /^\s*```(?:json\b)?(.*)```\s*$/is;

/** Matches the finish reason of a complete answer. Some platforms send none. */
const IS_COMPLETE = /^(stop|completed|end_turn|eos|eos_token|stop_sequence)?$/i;

const REWORD = 'Change the wording of the request.';

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Returns the reply in a chat response, in the same form for both operations. */
export function readReply(json: ChatJson) {
	const [choice] = itemsOf(json.choices).map(fieldsOf);
	const message = fieldsOf(choice?.message);
	const { messages, toolCalls, finishReason } = choice
		? {
				messages: [message],
				toolCalls: itemsOf(message.tool_calls),
				finishReason: choice.finish_reason,
			}
		: readOutput(json);
	return {
		text: joinParts(messages, 'text').replace(REASONING, ''),
		/** Usually `stop`, `length`, `content_filter` or `tool_calls`; others may occur. */
		finishReason: (textOf(finishReason ?? '') ?? 'unknown').replace(
			/^max_(output_)?tokens$/i,
			'length',
		),
		/** The model's refusal, or an empty string. */
		refusal: joinParts(messages, 'refusal'),
		/** The tool calls in the format of the operation. */
		toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
	};
}

/** Reads a response to `POST /v1/responses`. */
function readOutput({ output, status, incomplete_details: details }: ChatJson) {
	const items = itemsOf(output).map(fieldsOf);
	// The caller must execute function and custom tool calls. The platform executes all others
	// itself.
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
 * Joins the texts or the refusals of messages, with an empty line between two messages. The content
 * of a message is a string or a list of parts. A refusal is a field of the message or of a part.
 */
function joinParts(messages: ChatJson[], field: 'text' | 'refusal') {
	return messages
		.map(({ content, refusal }) => [{ text: content, refusal }, ...itemsOf(content)])
		.map((parts) => parts.map((part) => textOf(fieldsOf(part)[field])).join(''))
		.filter(Boolean)
		.join('\n\n');
}

/** Returns the flaw in an incomplete reply, or undefined if the reply is complete. */
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
	const isComplete = IS_COMPLETE.test(finishReason) || (toolCalls && finishReason === 'tool_calls');
	if (!isComplete) {
		return flawOf(`The answer may be incomplete: it ended with ${quoted(finishReason)}`);
	}
	if (text.trim() === '' && !toolCalls) return flawOf('The answer is empty');
	return REASONING_TAG.test(text)
		? flawOf('The reasoning in the answer cannot be separated from its text')
		: undefined;
}

const flawOf = (message: string, advice = 'Send the request again, or change its wording.') => ({
	message,
	advice,
});

/** Reads the JSON in a reply. A list is accepted only if there is a schema. */
export function readJsonReply(text: string, schema: unknown) {
	const value = jsonOf(CODE_FENCE.exec(text)?.[1] ?? text);
	if (!isJsonObject(value) && !(schema && Array.isArray(value))) {
		const advice = 'Describe the JSON in the messages, or provide a schema.';
		return { flaw: flawOf('The answer is not the requested JSON', advice) };
	}
	const why = mismatchOf(value, schema);
	if (!why) return { value };
	const advice = 'Send the request again, or turn on Strict Schema.';
	return { value, flaw: flawOf(`The answer does not match the JSON Schema: ${why}`, advice) };
}

/**
 * Checks an answer's type and required fields against a JSON Schema, but only at the top level. The
 * platform checks the rest if *Strict Schema* is on.
 *
 * @returns the first mismatch as a clause, or undefined
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
 * Quotes text from the platform. Long text is shortened, because n8n stores messages with the
 * execution.
 */
const quoted = (text: string) => `“${text.slice(0, 300)}”`;
