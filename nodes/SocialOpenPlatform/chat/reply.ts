import { jsonOf } from '../platform/response';
import { fieldsOf, isJsonObject } from '../platform/json';

export type ChatJson = Record<string, unknown>;

/** Both chat operations return a reply in this form. */
export interface ChatReply {
	text: string;
	/** Some models write their reasoning before their answer. */
	reasoning?: string;
	/** It is `stop`, `length`, `content_filter`, `tool_calls`, or another value of the platform. */
	finishReason: string;
	/** It is not empty if the model refuses to answer. */
	refusal?: string;
	/** They are unchanged: the two operations use different formats. */
	toolCalls: unknown[];
	usage?: Record<string, unknown>;
	model?: string;
	id?: string;
}

const MAX_QUOTED = 300;

const REASONING = /^\s*<think>(.*?)<\/think>\s*/s;

/** Some models wrap JSON in a code fence. */
const CODE_FENCE = /^\s*```(?:json\b)?(.*)```\s*$/is;

const types: Record<string, (value: unknown) => boolean> = {
	array: Array.isArray,
	boolean: (value) => typeof value === 'boolean',
	integer: Number.isInteger,
	null: (value) => value === null,
	number: (value) => typeof value === 'number',
	object: isJsonObject,
	string: (value) => typeof value === 'string',
};

const REWORD = 'Change the wording of the request.';
export const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Reads a response in the format of either operation. */
export function readReply(json: ChatJson) {
	return json.choices ? readCompletion(json) : readResponse(json);
}

/** Reads the first choice in the response of `POST /v1/chat/completions`. */
export function readCompletion(json: ChatJson) {
	const choice = fieldsOf(listOf(json.choices)[0]);
	const message = fieldsOf(choice.message);
	return replyOf(json, [message], listOf(message.tool_calls), choice.finish_reason);
}

/** Reads the response of `POST /v1/responses`. */
export function readResponse(json: ChatJson) {
	const output = listOf(json.output).map(fieldsOf);
	const messages = output.filter(({ type }) => type === 'message');
	// These tool calls wait for a result. The platform executes all others itself.
	const toolCalls = output.filter(
		({ type }) => type === 'function_call' || type === 'custom_tool_call',
	);
	const states = [
		fieldsOf(json.incomplete_details).reason,
		...[json, ...messages, ...toolCalls].map(({ status }) => status),
	];
	const unfinished = states.find((state) => textOf(state) && state !== 'completed');
	const finishReason = unfinished ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
	return replyOf(json, messages, toolCalls, finishReason);
}

/** Creates the reply of a response with these messages. A blank line separates their texts. */
function replyOf(
	{ usage, model, id }: ChatJson,
	messages: ChatJson[],
	toolCalls: unknown[],
	finishReason: unknown,
): ChatReply {
	const texts = messages.map(({ content }) => joinParts(content, 'text'));
	const text = texts.filter(Boolean).join('\n\n');
	const [thinking = '', reasoning] = REASONING.exec(text) ?? [];
	return {
		text: text.slice(thinking.length),
		reasoning: reasoning?.trim(),
		finishReason: toFinishReason(finishReason),
		refusal: messages
			.map(({ content, refusal }) => textOf(refusal) || joinParts(content, 'refusal'))
			.join(''),
		toolCalls,
		usage: isJsonObject(usage) ? usage : undefined,
		model: textOf(model),
		id: textOf(id),
	};
}

/** Some platforms use other names for finish reasons. */
function toFinishReason(given: unknown) {
	return (textOf(given ?? '') ?? 'unknown')
		.toLowerCase()
		.replace(/^(completed|end_turn|eos|eos_token|stop_sequence)$/, 'stop')
		.replace(/^max_(output_)?tokens$/, 'length')
		.replace(/^function_call$/, 'tool_calls');
}

/**
 * Finds out why a reply is incomplete.
 *
 * @returns undefined for a complete reply
 */
export function whyIncomplete({ text, refusal, finishReason, toolCalls }: ChatReply) {
	if (refusal || finishReason === 'refusal') {
		return flawOf(`The model refused to answer${refusal ? `: ${quoted(refusal)}` : ''}`, REWORD);
	}
	if (finishReason === 'content_filter') {
		return flawOf("The platform's content filter stopped the answer", REWORD);
	}
	if (finishReason === 'length') {
		const advice = "Increase 'Max Tokens', or ask for a shorter answer.";
		return flawOf('The answer was cut off at the token limit', advice);
	}
	const hasCalls = toolCalls.length > 0;
	const isEmpty = text.trim() === '' && !hasCalls;
	const ended = `it ended with ${quoted(finishReason)}`;
	// Some platforms send no finish reason.
	if (!['', 'stop', 'tool_calls'].includes(finishReason)) {
		return flawOf(`The answer ${isEmpty ? 'is empty' : 'may be incomplete'}: ${ended}`);
	}
	if (finishReason === 'tool_calls' && !hasCalls) {
		return flawOf(`The answer may be incomplete: ${ended}, but contains no tool call`);
	}
	return isEmpty ? flawOf('The answer is empty') : undefined;
}

/** Explains why a reply is incomplete, and what users can do. */
const flawOf = (message: string, advice = 'Send the request again, or change its wording.') => ({
	message,
	advice,
});

/** Reads the JSON of a reply, and checks it with its schema. */
export function readJsonReply(text: string, schema: unknown) {
	const unfenced = (CODE_FENCE.exec(text)?.[1] ?? text).trim();
	const value = jsonOf(unfenced);
	if (typeof value !== 'object' || value === null) {
		const advice = 'Describe the JSON in the messages, or provide a schema.';
		return { flaw: flawOf('The answer is not the requested JSON', advice) };
	}
	// Large numbers are text in `value`.
	const why = mismatchIn(JSON.parse(unfenced), schema);
	if (!why) return { value };
	const message = `The answer does not match the JSON Schema: ${why}`;
	return { value, flaw: flawOf(message, 'Send the request again, or turn on Strict Schema.') };
}

/**
 * Finds a part of a value that does not match a JSON Schema. It checks `type`, `enum`, `const`,
 * `required`, `properties`, `additionalProperties: false` and `items`. Other keywords always match.
 *
 * @param path names the value in the result
 * @returns what is wrong, as a clause
 */
export function mismatchIn(value: unknown, schema: unknown, path = 'it'): string | undefined {
	if (!isJsonObject(schema)) return undefined;
	const { type = [], required = [] } = schema;
	const kinds = [type].flat() as string[];
	if (kinds.length > 0 && !kinds.some((kind) => types[kind]?.(value) ?? true)) {
		return `${path} is not of type ${kinds.join(' or ')}`;
	}
	const allowed = 'const' in schema ? [schema.const] : schema.enum;
	const isLarge = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
	// Objects and numbers beyond 2^53 are not compared.
	const mayBe = (one: unknown) => isLarge || one === value || Object(one) === one;
	if (Array.isArray(allowed) && !allowed.some(mayBe)) {
		return `${path} has a value that is not allowed`;
	}
	if (Array.isArray(value)) {
		const items = 'prefixItems' in schema ? undefined : schema.items;
		return value.map((item, index) => mismatchIn(item, items, `${path}[${index}]`)).find(Boolean);
	}
	if (!isJsonObject(value)) return undefined;
	const names = Object.keys(value);
	const properties = fieldsOf(schema.properties);
	const missing = ([required].flat() as string[]).find((name) => !Object.hasOwn(value, name));
	if (missing !== undefined) return `${path} has no field '${missing}'`;
	const isClosed = schema.additionalProperties === false && !schema.patternProperties;
	const extra = isClosed && names.find((name) => !Object.hasOwn(properties, name));
	if (extra) return `${path} has the additional field '${extra}'`;
	return names
		.map((name) => mismatchIn(value[name], properties[name], `${path}.${name}`))
		.find(Boolean);
}

/** Joins the parts of a content, which is a text or a list of parts. */
function joinParts(content: unknown, field: 'text' | 'refusal') {
	const parts = typeof content === 'string' ? [{ text: content }] : listOf(content);
	return parts.map((part) => textOf(fieldsOf(part)[field])).join('');
}

/**
 * Quotes and shortens a text of the platform, because the platform decides how long its texts are,
 * and n8n stores messages with the execution.
 */
const quoted = (text: string) => `“${text.slice(0, MAX_QUOTED)}”`;
