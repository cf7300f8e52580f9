import { z } from 'zod/v4';

/**
 * The JSON response of a chat operation. The platform's documentation does not show it, so the
 * package assumes the responses of the public interfaces with the same paths
 * (https://platform.openai.com/docs/api-reference). Only the fields that are used are described,
 * and each of them may be missing.
 */
export type ChatJson = Record<string, unknown>;

/** The content of a chat response, in the same format for both operations. */
export interface ChatReply {
	text: string;
	/**
	 * `stop`, `length`, `content_filter`, `tool_calls`, or any other value that the platform sends.
	 */
	finishReason: string;
	/** The text with which a model refuses to answer. */
	refusal?: string;
	/** The tool calls as the platform sends them. The two operations use different formats. */
	toolCalls: unknown[];
	/**
	 * A reason, other than the finish reason, why the reply may be incomplete. It is the second half
	 * of a sentence.
	 */
	broken?: string;
	/** The token counts as the platform sends them. */
	usage?: Record<string, unknown>;
	model?: string;
	id?: string;
}

/** Why a reply is incomplete or unusable, and what to do. */
export interface Flaw {
	message: string;
	advice: string;
}

const MAX_QUOTED = 300;

/** Maximum number of tool calls. n8n takes quadratic time to join streamed tool calls. */
const MAX_CALLS = 128;

/** The finish reasons of a complete reply. Some platforms send no finish reason. */
const completeReasons = new Set([
	'',
	'stop',
	'tool_calls',
	'function_call',
	'end_turn',
	'stop_sequence',
	'eos',
]);

/** Finish reasons that require a tool call. */
const callReasons = new Set(['tool_calls', 'function_call']);

/**
 * The statuses of `POST /v1/responses`, with the finish reasons of `POST /v1/chat/completions` that
 * mean the same.
 */
const finishReasons = new Map([
	['completed', 'stop'],
	['max_output_tokens', 'length'],
]);

/** Tool calls that wait for a result. The platform executes all other tool calls itself. */
const outputCalls = new Set(['function_call', 'custom_tool_call']);

const text = z.string().optional().catch(undefined);

/** JSON as text. Some platforms send the JSON value itself. */
export const jsonText = z
	.unknown()
	.transform((value) =>
		typeof value === 'string' ? value : (JSON.stringify(value ?? undefined) ?? ''),
	);

/** A list of tool calls. Some platforms send a single tool call without a list. */
export const toolCallList = z.unknown().transform((value): unknown[] => {
	if (Array.isArray(value)) return value as unknown[];
	return typeof value === 'object' && hasValue(value) ? [value] : [];
});

const part = z.looseObject({ text, refusal: text, type: text }).catch({});

/** A text, or a list of parts that each may have a text. */
export const content = z.union([z.string(), z.array(part)]).catch('');
type Content = z.infer<typeof content>;

const message = z.looseObject({
	content,
	refusal: text,
	tool_calls: toolCallList,
	function_call: z.unknown(),
});
export const choice = z.looseObject({
	index: z.number().optional().catch(undefined),
	finish_reason: jsonText,
	message: message.optional().catch(undefined),
	error: z.unknown(),
});

const head = {
	id: text,
	model: text,
	usage: z.record(z.string(), z.unknown()).optional().catch(undefined),
};
export const completion = z.looseObject({
	...head,
	choices: z.array(choice.catch({ finish_reason: '', error: undefined })).catch([]),
});

const outputItem = z
	.looseObject({ type: text, status: text, content: z.array(part).optional().catch(undefined) })
	.catch({});

const response = z.looseObject({
	...head,
	output: z.array(outputItem).catch([]),
	status: text,
	incomplete_details: z.looseObject({ reason: text }).nullish().catch(undefined),
});

/** Reads the first choice in the response of `POST /v1/chat/completions`. */
export function readCompletion(json: ChatJson): ChatReply {
	const { id, model, usage, choices } = completion.parse(json);
	const { finish_reason = '', message, error } = choices[0] ?? {};
	return {
		text: textOf(message?.content),
		// Without a message, a choice contains no reply, even if its finish reason says that the reply
		// is complete.
		finishReason: message || !isComplete(finish_reason) ? finish_reason : '',
		refusal: message?.refusal || refusalOf(message?.content),
		toolCalls: message?.tool_calls ?? [],
		...readBroken(error, [message?.function_call]),
		usage,
		model,
		id,
	};
}

/** Reads the response of `POST /v1/responses`, and joins the texts of its messages. */
export function readResponse(json: ChatJson): ChatReply {
	const { id, model, usage, output, status, incomplete_details } = response.parse(json);
	const parts = output.filter(({ type }) => type === 'message').flatMap((one) => one.content ?? []);
	const toolCalls = output.filter(({ type }) => outputCalls.has(type ?? ''));
	const replies = output.filter(({ type }) => type === 'message' || outputCalls.has(type ?? ''));
	const unfinished = replies.find((one) => (one.status ?? 'completed') !== 'completed');
	const overall = incomplete_details?.reason ?? status ?? '';
	const reason = ['', 'completed'].includes(overall) ? (unfinished?.status ?? overall) : overall;
	const finishReason = finishReasons.get(reason) ?? reason;
	return {
		text: textOf(parts),
		finishReason: finishReason === 'stop' && toolCalls.length > 0 ? 'tool_calls' : finishReason,
		refusal: refusalOf(parts),
		toolCalls,
		usage,
		model,
		id,
	};
}

export function isComplete(finishReason: string): boolean {
	return completeReasons.has(finishReason);
}

export function requiresCall(finishReason: string): boolean {
	return callReasons.has(finishReason);
}

/**
 * Why a reply is incomplete.
 *
 * @returns undefined for a complete reply
 */
export function whyIncomplete(reply: ChatReply): Flaw | undefined {
	const { text, refusal, finishReason, toolCalls, broken } = reply;
	if (refusal || finishReason === 'refusal') {
		const words = refusal ? `: ${quoted(refusal)}` : '';
		return {
			message: `The model refused to answer${words}`,
			advice: 'Change the wording of the request.',
		};
	}
	if (finishReason === 'content_filter') {
		return {
			message: "The platform's content filter stopped the answer",
			advice: 'Change the wording of the request.',
		};
	}
	if (finishReason === 'length') {
		return {
			message: 'The answer was cut off at the token limit',
			advice: "Increase 'Max Tokens', or ask for a shorter answer.",
		};
	}
	if (broken)
		return {
			message: `The answer may be incomplete: ${broken}`,
			advice: 'Send the request again.',
		};
	if (toolCalls.length > MAX_CALLS) {
		return {
			message: `The answer contains more than ${MAX_CALLS} tool calls`,
			advice: 'Send the request again, or choose another model.',
		};
	}
	if (toolCalls.length === 0 && requiresCall(finishReason)) {
		return {
			message: `The answer may be incomplete: it ended with ${quoted(finishReason)}, but contains no tool call`,
			advice: 'Send the request again.',
		};
	}
	if (text.trim() === '' && toolCalls.length === 0) {
		const how = isComplete(finishReason) ? '' : ` (it ended with ${quoted(finishReason)})`;
		return {
			message: `The answer is empty${how}`,
			advice: 'Send the request again, or change its wording.',
		};
	}
	if (!isComplete(finishReason)) {
		return {
			message: `The answer may be incomplete: it ended with ${quoted(finishReason)}`,
			advice: 'Send the request again.',
		};
	}
	return undefined;
}

/**
 * Detects signs of an incomplete reply other than its finish reason.
 *
 * @param legacyCalls values of `function_call`, the predecessor of `tool_calls`, which n8n cannot
 * execute
 */
export function readBroken(error: unknown, legacyCalls: unknown[]): Pick<ChatReply, 'broken'> {
	if (hasValue(error)) return { broken: `the platform ended the answer early${quoteError(error)}` };
	if (legacyCalls.some(hasValue)) {
		return { broken: 'it calls a function with function_call instead of tool_calls' };
	}
	return {};
}

/** Whether the complete message of a stream contains more than the pieces that came before it. */
export function containsMore(
	{ content, refusal, tool_calls }: z.infer<typeof message>,
	reply: ChatReply,
): boolean {
	return (
		!['', reply.text].includes(textOf(content)) ||
		!['', undefined, reply.refusal].includes(refusal) ||
		tool_calls.length > reply.toolCalls.length
	);
}

export function textOf(given: Content = ''): string {
	return typeof given === 'string' ? given : joinParts(given, 'text');
}

function refusalOf(given: Content = ''): string | undefined {
	return typeof given === 'string' ? undefined : joinParts(given, 'refusal') || undefined;
}

function joinParts(parts: Array<z.infer<typeof part>>, field: 'text' | 'refusal'): string {
	return parts.map((one) => one[field] ?? '').join('');
}

/**
 * Whether a field has any content. Some platforms send every field, and leave most of them empty.
 */
function hasValue(value: unknown): boolean {
	return Object.values(Object(value) as object).some(Boolean);
}

function quoteError(error: unknown): string {
	const words = typeof error === 'string' ? error : (error as { message?: unknown }).message;
	return typeof words === 'string' && words !== '' ? `: ${quoted(words)}` : '';
}

/**
 * Quotes and shortens a text of the platform, because the platform decides how long its texts are,
 * and n8n stores messages with the execution.
 */
export function quoted(text: string): string {
	return `“${text.slice(0, MAX_QUOTED)}”`;
}
