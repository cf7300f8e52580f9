import { jsonOf } from '../platform/answer';
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

/** It explains why a reply is incomplete, and what users can do. */
export interface Flaw {
	message: string;
	advice: string;
}

const MAX_QUOTED = 300;

/** A complete reply has one of these finish reasons. Some platforms send none. */
const completeReasons = new Set(['', 'stop', 'tool_calls']);

/** Some platforms use other names for finish reasons. */
const synonyms = new Map(
	Object.entries({
		completed: 'stop',
		end_turn: 'stop',
		eos: 'stop',
		eos_token: 'stop',
		stop_sequence: 'stop',
		max_output_tokens: 'length',
		max_tokens: 'length',
		function_call: 'tool_calls',
	}),
);

/** These tool calls wait for a result. The platform executes all others itself. */
const outputCalls: unknown[] = ['function_call', 'custom_tool_call'];

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
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Reads a response in the format of either operation. */
export function readReply(json: ChatJson): ChatReply {
	return json.choices ? readCompletion(json) : readResponse(json);
}

/** Reads the first choice in the response of `POST /v1/chat/completions`. */
export function readCompletion(json: ChatJson): ChatReply {
	const { finish_reason, message } = fieldsOf(listOf(json.choices)[0]);
	const { content, refusal, tool_calls } = fieldsOf(message);
	return {
		...splitReasoning(joinParts(content, 'text')),
		finishReason: toFinishReason(finish_reason),
		refusal: textOf(refusal) || joinParts(content, 'refusal'),
		toolCalls: listOf(tool_calls),
		...headOf(json),
	};
}

/** Reads the response of `POST /v1/responses`. A blank line separates its messages. */
export function readResponse(json: ChatJson): ChatReply {
	const output = listOf(json.output).map(fieldsOf);
	const messages = output.filter(({ type }) => type === 'message');
	const toolCalls = output.filter(({ type }) => outputCalls.includes(type));
	const states = [
		fieldsOf(json.incomplete_details).reason,
		...[json, ...messages, ...toolCalls].map(({ status }) => status),
	];
	const unfinished = states.find((state) => textOf(state) && state !== 'completed');
	const texts = messages.map(({ content }) => joinParts(content, 'text'));
	return {
		...splitReasoning(texts.filter(Boolean).join('\n\n')),
		finishReason: toFinishReason(unfinished ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop')),
		refusal: messages.map(({ content }) => joinParts(content, 'refusal')).join(''),
		toolCalls,
		...headOf(json),
	};
}

/**
 * Finds out why a reply is incomplete.
 *
 * @returns undefined for a complete reply
 */
export function whyIncomplete(reply: ChatReply): Flaw | undefined {
	const { text, refusal, finishReason, toolCalls } = reply;
	if (refusal || finishReason === 'refusal') {
		const message = `The model refused to answer${refusal ? `: ${quoted(refusal)}` : ''}`;
		return { message, advice: REWORD };
	}
	if (finishReason === 'content_filter') {
		return { message: "The platform's content filter stopped the answer", advice: REWORD };
	}
	if (finishReason === 'length') {
		const advice = "Increase 'Max Tokens', or ask for a shorter answer.";
		return { message: 'The answer was cut off at the token limit', advice };
	}
	const hasCalls = toolCalls.length > 0;
	const isEmpty = text.trim() === '' && !hasCalls;
	const ended = `it ended with ${quoted(finishReason)}`;
	let message = isEmpty && 'The answer is empty';
	if (!completeReasons.has(finishReason)) {
		message = `The answer ${isEmpty ? 'is empty' : 'may be incomplete'}: ${ended}`;
	} else if (finishReason === 'tool_calls' && !hasCalls) {
		message = `The answer may be incomplete: ${ended}, but contains no tool call`;
	}
	if (!message) return undefined;
	return { message, advice: 'Send the request again, or change its wording.' };
}

/** Reads the JSON of a reply, and checks it with its schema. */
export function readJsonReply(text: string, schema: unknown): { value?: object; flaw?: Flaw } {
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

/**
 * Finds a part of a value that does not match a JSON Schema. It checks `type`, `enum`, `const`,
 * `required`, `properties`, `additionalProperties: false` and `items`. Other keywords always match.
 *
 * @param path names the value in the result
 * @returns what is wrong, as a clause
 */
export function mismatchIn(value: unknown, schema: unknown, path = 'it'): string | undefined {
	if (!isJsonObject(schema)) return undefined;
	const { type = [], required = [], additionalProperties, patternProperties } = schema;
	const kinds = [type].flat() as string[];
	if (kinds.length > 0 && !kinds.some((kind) => types[kind]?.(value) ?? true)) {
		return `${path} is not of type ${kinds.join(' or ')}`;
	}
	const allowed = 'const' in schema ? [schema.const] : schema.enum;
	if (Array.isArray(allowed) && !allowed.some((one) => mayEqual(one, value))) {
		return `${path} has a value that is not allowed`;
	}
	if (Array.isArray(value)) {
		const items = 'prefixItems' in schema ? undefined : schema.items;
		return value.map((item, index) => mismatchIn(item, items, `${path}[${index}]`)).find(Boolean);
	}
	if (!isJsonObject(value)) return undefined;
	const names = Object.keys(value);
	const properties = isJsonObject(schema.properties) ? schema.properties : {};
	const missing = ([required].flat() as string[]).find((name) => !Object.hasOwn(value, name));
	if (missing !== undefined) return `${path} has no field '${missing}'`;
	const isClosed = additionalProperties === false && !patternProperties;
	const extra = isClosed && names.find((name) => !Object.hasOwn(properties, name));
	if (extra) return `${path} has the additional field '${extra}'`;
	return names
		.map((name) => mismatchIn(value[name], properties[name], `${path}.${name}`))
		.find(Boolean);
}

/** Objects and numbers beyond 2^53 are not compared. */
function mayEqual(one: unknown, other: unknown): boolean {
	const isLarge = typeof other === 'number' && Math.abs(other) > Number.MAX_SAFE_INTEGER;
	return one === other || Object(one) === one || isLarge;
}

function headOf({ usage, model, id }: ChatJson) {
	return { usage: isJsonObject(usage) ? usage : undefined, model: textOf(model), id: textOf(id) };
}

function toFinishReason(given: unknown): string {
	const reason = (textOf(given ?? '') ?? 'unknown').toLowerCase();
	return synonyms.get(reason) ?? reason;
}

/** Separates the reasoning that some models write before their answer. */
function splitReasoning(text: string) {
	const [found = '', reasoning] = REASONING.exec(text) ?? [];
	return { text: text.slice(found.length), reasoning: reasoning?.trim() };
}

/** Joins the parts of a content, which is a text or a list of parts. */
function joinParts(content: unknown, field: 'text' | 'refusal'): string {
	const parts = typeof content === 'string' ? [{ text: content }] : listOf(content);
	return parts.map((part) => textOf(fieldsOf(part)[field]) ?? '').join('');
}

/**
 * Quotes and shortens a text of the platform, because the platform decides how long its texts are,
 * and n8n stores messages with the execution.
 */
function quoted(text: string): string {
	return `“${text.slice(0, MAX_QUOTED)}”`;
}
