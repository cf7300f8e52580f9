import { z } from 'zod/v4';

/** The JSON of a response to a chat request. */
export type ChatJson = Record<string, unknown>;

/** The reply of a model, in the same form for both chat operations. */
export interface ChatReply {
	text: string;
	/** What the model thought before its answer. */
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

/** Why a reply is incomplete, and what to do. */
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
const outputCalls = new Set(['function_call', 'custom_tool_call']);

const REASONING = /^\s*<think>(.*?)<\/think>\s*/s;

const SEND_AGAIN = 'Send the request again, or change its wording.';

const text = z.string().optional().catch(undefined);
const part = z.looseObject({ text, refusal: text }).catch({});

/** A text, or a list of parts that each may have a text. */
const content = z
	.union([z.string(), z.array(part)])
	.optional()
	.catch(undefined);

const head = {
	id: text,
	model: text,
	usage: z.record(z.string(), z.unknown()).optional().catch(undefined),
};

const message = z.looseObject({
	content,
	refusal: text,
	tool_calls: z.array(z.unknown()).catch([]),
});
const choice = z.looseObject({
	finish_reason: z.string().nullish().catch('unknown'),
	message: message.optional(),
});
const completion = z.looseObject({ ...head, choices: z.array(choice).catch([]) });

const outputItem = z.looseObject({ type: text, status: text, content }).catch({});
const response = z.looseObject({
	...head,
	output: z.array(outputItem).catch([]),
	status: text,
	incomplete_details: z.looseObject({ reason: text }).nullish().catch(undefined),
});

/** Reads the first choice in the response of `POST /v1/chat/completions`. */
export function readCompletion(json: ChatJson): ChatReply {
	const { id, model, usage, choices } = completion.parse(json);
	const { finish_reason, message } = choices[0] ?? {};
	return {
		...splitReasoning(joinParts(message?.content, 'text')),
		finishReason: toFinishReason(finish_reason),
		refusal: message?.refusal || joinParts(message?.content, 'refusal'),
		toolCalls: message?.tool_calls ?? [],
		...{ usage, model, id },
	};
}

/** Reads the response of `POST /v1/responses`. A blank line separates its messages. */
export function readResponse(json: ChatJson): ChatReply {
	const { id, model, usage, output, status, incomplete_details } = response.parse(json);
	const messages = output.filter(({ type }) => type === 'message');
	const toolCalls = output.filter(({ type }) => outputCalls.has(type ?? ''));
	const states = [
		incomplete_details?.reason,
		status,
		...[...messages, ...toolCalls].map((one) => one.status),
	];
	const unfinished = states.find((state) => state && state !== 'completed');
	const texts = messages.map((one) => joinParts(one.content, 'text'));
	return {
		...splitReasoning(texts.filter(Boolean).join('\n\n')),
		finishReason: toFinishReason(unfinished ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop')),
		refusal: messages.map((one) => joinParts(one.content, 'refusal')).join(''),
		toolCalls,
		...{ usage, model, id },
	};
}

/**
 * Why a reply is incomplete.
 *
 * @returns undefined for a complete reply
 */
export function whyIncomplete(reply: ChatReply): Flaw | undefined {
	const { text, refusal, finishReason, toolCalls } = reply;
	const ended = `it ended with ${quoted(finishReason)}`;
	const isEmpty = text.trim() === '' && toolCalls.length === 0;
	if (refusal || finishReason === 'refusal') {
		const message = `The model refused to answer${refusal ? `: ${quoted(refusal)}` : ''}`;
		return { message, advice: 'Change the wording of the request.' };
	}
	if (finishReason === 'content_filter') {
		const message = "The platform's content filter stopped the answer";
		return { message, advice: 'Change the wording of the request.' };
	}
	if (finishReason === 'length') {
		const message = 'The answer was cut off at the token limit';
		return { message, advice: "Increase 'Max Tokens', or ask for a shorter answer." };
	}
	if (!completeReasons.has(finishReason)) {
		const message = `The answer ${isEmpty ? 'is empty' : 'may be incomplete'}: ${ended}`;
		return { message, advice: SEND_AGAIN };
	}
	if (finishReason === 'tool_calls' && toolCalls.length === 0) {
		const message = `The answer may be incomplete: ${ended}, but contains no tool call`;
		return { message, advice: SEND_AGAIN };
	}
	return isEmpty ? { message: 'The answer is empty', advice: SEND_AGAIN } : undefined;
}

function toFinishReason(given: string | null | undefined): string {
	const reason = (given ?? '').toLowerCase();
	return synonyms.get(reason) ?? reason;
}

/** Separates the reasoning that some models write before their answer. */
function splitReasoning(text: string): Pick<ChatReply, 'text' | 'reasoning'> {
	const [found = '', reasoning] = REASONING.exec(text) ?? [];
	return { text: text.slice(found.length), reasoning: reasoning?.trim() };
}

function joinParts(given: z.infer<typeof content>, field: 'text' | 'refusal'): string {
	if (typeof given === 'string') return field === 'text' ? given : '';
	return (given ?? []).map((one) => one[field] ?? '').join('');
}

/**
 * Quotes and shortens a text of the platform, because the platform decides how long its texts are,
 * and n8n stores messages with the execution.
 */
function quoted(text: string): string {
	return `“${text.slice(0, MAX_QUOTED)}”`;
}
