import { z } from 'zod/v4';

/**
 * The response of a chat operation. The platform's documentation does not show one. The responses of the
 * public interfaces with the same paths are assumed (https://platform.openai.com/docs/api-reference). Only
 * the fields that are read are described, and each of them may be missing.
 */
export type ChatJson = Record<string, unknown>;

/** The content of a response, in the same form for both operations. */
export interface ChatReply {
	text: string;
	/** `stop`, `length`, `content_filter`, `tool_calls`, or any other value of the platform. */
	finishReason: string;
	/** The text of a model that refuses to answer. */
	refusal?: string;
	/** As the platform sends them. The two operations use different formats. */
	toolCalls: unknown[];
	/** Another reason why the reply may be incomplete, as the second half of a sentence. */
	broken?: string;
	/** The tokens, as the platform sends them. */
	usage?: Record<string, unknown>;
	model?: string;
	id?: string;
}

/** Why a reply is not complete, and what to do. */
export interface Flaw {
	message: string;
	advice: string;
}

const MAX_QUOTED = 300;

/** n8n takes quadratic time to put streamed tool calls together. */
const MAX_CALLS = 128;

/** The finish reasons of a complete reply. Some platforms send none. */
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

/** The finish reasons of a completion, by what `POST /v1/responses` says instead. */
const finishReasons = new Map([
	['completed', 'stop'],
	['max_output_tokens', 'length'],
]);

/** Calls that wait for a result. The platform executes other calls itself. */
const outputCalls = new Set(['function_call', 'custom_tool_call']);

const text = z.string().optional().catch(undefined);

/** JSON as text. Some platforms send the value itself. */
export const jsonText = z
	.unknown()
	.transform((value) =>
		typeof value === 'string' ? value : (JSON.stringify(value ?? undefined) ?? ''),
	);

/** A list of tool calls. Some platforms send a single call without a list. */
export const toolCallList = z.unknown().transform((value): unknown[] => {
	if (Array.isArray(value)) return value as unknown[];
	return typeof value === 'object' && hasValue(value) ? [value] : [];
});

const part = z.looseObject({ text, refusal: text, type: text }).catch({});

/** A text, or a list of parts that each have one. */
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

/** Reads the response of `POST /v1/chat/completions`: its first choice. */
export function readCompletion(json: ChatJson): ChatReply {
	const { id, model, usage, choices } = completion.parse(json);
	const { finish_reason = '', message, error } = choices[0] ?? {};
	return {
		text: textOf(message?.content),
		// A choice without a message contains no reply, whatever its finish reason is.
		finishReason: message || !isComplete(finish_reason) ? finish_reason : '',
		refusal: message?.refusal || refusalOf(message?.content),
		toolCalls: message?.tool_calls ?? [],
		...readBroken(error, [message?.function_call]),
		...{ usage, model, id },
	};
}

/** Reads the response of `POST /v1/responses`: the joined texts of its messages. */
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
		...{ usage, model, id },
	};
}

export function isComplete(finishReason: string): boolean {
	return completeReasons.has(finishReason);
}

export function requiresCall(finishReason: string): boolean {
	return callReasons.has(finishReason);
}

/** @returns undefined for a complete reply */
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
			advice: 'Change the wording or the request.',
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
 * Reads what shows, beside its finish reason, that a choice is not complete.
 *
 * @param legacyCalls values of `function_call`, which came before `tool_calls`. n8n cannot execute them.
 */
export function readBroken(error: unknown, legacyCalls: unknown[]): Pick<ChatReply, 'broken'> {
	if (hasValue(error)) return { broken: `the platform ended it early${quoteError(error)}` };
	if (legacyCalls.some(hasValue)) {
		return { broken: 'it calls a function with function_call instead of tool_calls' };
	}
	return {};
}

/** Whether a complete message inside a stream contains more than the pieces before it. */
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

/** Whether a field is in use. Some platforms send every field, and leave most of them empty. */
function hasValue(value: unknown): boolean {
	return Object.values(Object(value) as object).some(Boolean);
}

function quoteError(error: unknown): string {
	const words = typeof error === 'string' ? error : (error as { message?: unknown }).message;
	return typeof words === 'string' && words !== '' ? `: ${quoted(words)}` : '';
}

/** The platform decides how long its texts are. Messages are stored with the execution. */
export function quoted(text: string): string {
	return `“${text.slice(0, MAX_QUOTED)}”`;
}
