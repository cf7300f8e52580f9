import { fieldsOf, isJsonObject } from '../platform/json';

/** The JSON of a response to a chat request. */
export type ChatJson = Record<string, unknown>;

/** The reply of a model, in the same form for both chat operations. */
export interface ChatReply {
	text: string;
	/** The reasoning of the model before its answer. */
	reasoning?: string;
	/**
	 * `stop`, `length`, `content_filter`, `tool_calls`, or any other value that the platform sends.
	 */
	finishReason: string;
	/** The text with which a model refuses to answer. */
	refusal?: string;
	/** The tool calls as the platform sends them. The two operations use different formats. */
	toolCalls: unknown[];
	/** The token counts as the platform sends them. */
	usage?: Record<string, unknown>;
	model?: string;
	id?: string;
}

/** The reason why a reply is incomplete, and advice for users. */
export interface Flaw {
	message: string;
	advice: string;
}

const MAX_QUOTED = 300;

/** The finish reasons of a complete reply. Some platforms send no finish reason. */
const completeReasons = new Set(['', 'stop', 'tool_calls']);

/** Other names of finish reasons. */
const synonyms = new Map([
	['completed', 'stop'],
	['end_turn', 'stop'],
	['eos', 'stop'],
	['eos_token', 'stop'],
	['stop_sequence', 'stop'],
	['max_output_tokens', 'length'],
	['max_tokens', 'length'],
	['function_call', 'tool_calls'],
]);

/** Tool calls that wait for a result. The platform executes all other tool calls itself. */
const outputCalls: unknown[] = ['function_call', 'custom_tool_call'];

const REASONING = /^\s*<think>(.*?)<\/think>\s*/s;

const REWORD = 'Change the wording of the request.';
const SEND_AGAIN = 'Send the request again, or change its wording.';

/** The flaws that the finish reason alone shows. */
const flaws = new Map<string, Flaw>([
	[
		'content_filter',
		{ message: "The platform's content filter stopped the answer", advice: REWORD },
	],
	[
		'length',
		{
			message: 'The answer was cut off at the token limit',
			advice: "Increase 'Max Tokens', or ask for a shorter answer.",
		},
	],
]);

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
	const isEmpty = text.trim() === '' && toolCalls.length === 0;
	const ended = `it ended with ${quoted(finishReason)}`;
	let message = isEmpty && 'The answer is empty';
	if (!completeReasons.has(finishReason)) {
		message = `The answer ${isEmpty ? 'is empty' : 'may be incomplete'}: ${ended}`;
	} else if (finishReason === 'tool_calls' && toolCalls.length === 0) {
		message = `The answer may be incomplete: ${ended}, but contains no tool call`;
	}
	return flaws.get(finishReason) ?? (message ? { message, advice: SEND_AGAIN } : undefined);
}

function headOf({ usage, model, id }: ChatJson): Pick<ChatReply, 'usage' | 'model' | 'id'> {
	return { usage: isJsonObject(usage) ? usage : undefined, model: textOf(model), id: textOf(id) };
}

function toFinishReason(given: unknown): string {
	const reason = (textOf(given ?? '') ?? 'unknown').toLowerCase();
	return synonyms.get(reason) ?? reason;
}

/** Separates the reasoning that some models write before their answer. */
function splitReasoning(text: string): Pick<ChatReply, 'text' | 'reasoning'> {
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
