import { z } from 'zod/v4';

/**
 * The answers of the two chat operations. The platform's interface does not show them; assumed are
 * those of the public interfaces with the same paths (https://platform.openai.com/docs/api-reference).
 * Only what is looked at is described, and all of it may be missing.
 */
export type ChatJson = Record<string, unknown>;

/** A message of a conversation as it is sent; its other fields depend on its role. */
export interface WireMessage {
	role: string;
	content: unknown;
	[field: string]: unknown;
}

/** What an answer says, whichever operation it came from. */
export interface ChatReply {
	text: string;
	/** `stop`, `length`, `content_filter`, `tool_calls`, or whatever else came. */
	finishReason: string;
	/** The model's words where it did not want to answer. */
	refusal?: string;
	/** As they came; the two operations write them differently. */
	toolCalls: unknown[];
	/** What else shows that the answer is not whole, as the second half of a sentence. */
	broken?: string;
	/** Tokens, as they came. */
	usage?: Record<string, unknown>;
	model?: string;
	id?: string;
}

const text = z.string().optional().catch(undefined);
/** JSON as text; some platforms write the value itself. */
export const jsonText = z
	.unknown()
	.transform((value) =>
		typeof value === 'string' ? value : (JSON.stringify(value ?? undefined) ?? ''),
	);

/** Whether a field says something: some platforms send all fields, most of them empty. */
const isFilled = (value: unknown): boolean => Object.values(Object(value) as object).some(Boolean);

/** A call that is not in a list is one, too. */
export const calls = z.unknown().transform((value): unknown[] => {
	if (Array.isArray(value)) return value as unknown[];
	return typeof value === 'object' && isFilled(value) ? [value] : [];
});

const counts = z.record(z.string(), z.unknown()).optional().catch(undefined);

const part = z.looseObject({ text, refusal: text, type: text }).catch({});

/** A text, or parts with one each. */
export const content = z.union([z.string(), z.array(part)]).catch('');
type Content = z.infer<typeof content>;

const joined = (parts: Array<z.infer<typeof part>>, field: 'text' | 'refusal') =>
	parts.map((one) => one[field] ?? '').join('');

/** The text of a content. */
export const textIn = (given: Content = '') =>
	typeof given === 'string' ? given : joined(given, 'text');

const refusalIn = (given: Content = '') =>
	typeof given === 'string' ? undefined : joined(given, 'refusal') || undefined;

const head = { id: text, model: text, usage: counts };

/** A reason that is no text is none that is known. */
const ending = z
	.unknown()
	.transform((value) =>
		typeof value === 'string' ? value : (JSON.stringify(value ?? undefined) ?? ''),
	);

const message = z.looseObject({
	content,
	refusal: text,
	tool_calls: calls,
	function_call: z.unknown(),
});
export const choice = z.looseObject({
	index: z.number().optional().catch(undefined),
	finish_reason: ending,
	message: message.optional().catch(undefined),
	error: z.unknown(),
});
export const completionSchema = z.looseObject({
	...head,
	choices: z.array(choice.catch({ finish_reason: '', error: undefined })).catch([]),
});

/** Reads the answer of `POST /v1/chat/completions`: its first choice. */
export function readCompletion(json: ChatJson): ChatReply {
	const { id, model, usage, choices } = completionSchema.parse(json);
	const { finish_reason = '', message, error } = choices[0] ?? {};
	return {
		text: textIn(message?.content),
		// Without a message nothing was said, however that ended.
		finishReason: message || !isWhole(finish_reason) ? finish_reason : '',
		refusal: message?.refusal || refusalIn(message?.content),
		toolCalls: message?.tool_calls ?? [],
		...whatIsBroken(error, [message?.function_call]),
		...{ usage, model, id },
	};
}

/** Whether a message of a stream holds more than the pieces before it. */
export const holdsMore = (said: z.infer<typeof message>, reply: ChatReply): boolean =>
	!['', reply.text].includes(textIn(said.content)) ||
	!['', undefined, reply.refusal].includes(said.refusal) ||
	said.tool_calls.length > reply.toolCalls.length;

/**
 * What shows that a choice is not whole, beside how it ended.
 *
 * @param legacyCalls of functions, as interfaces had it before there were tools; n8n knows none
 */
export function whatIsBroken(error: unknown, legacyCalls: unknown[]): Pick<ChatReply, 'broken'> {
	if (isFilled(error)) return { broken: `the platform broke it off${wordsIn(error)}` };
	if (legacyCalls.some(isFilled))
		return { broken: 'it calls a function by function_call, not by tool_calls' };
	return {};
}

function wordsIn(error: unknown): string {
	const words = typeof error === 'string' ? error : (error as { message?: unknown }).message;
	return typeof words === 'string' && words !== '' ? `: “${words.slice(0, MAX_QUOTED)}”` : '';
}

const item = z
	.looseObject({ type: text, status: text, content: z.array(part).optional().catch(undefined) })
	.catch({});

const response = z.looseObject({
	...head,
	output: z.array(item).catch([]),
	status: text,
	incomplete_details: z.looseObject({ reason: text }).nullish().catch(undefined),
});

/** Why a response ended, in the words of the other operation. */
const reasons = new Map([
	['completed', 'stop'],
	['max_output_tokens', 'length'],
]);

/** Calls that wait for a result; the platform runs the others itself. */
const callsOfTools = new Set(['function_call', 'custom_tool_call']);

/** Reads the answer of `POST /v1/responses`: the texts of its messages, one after the other. */
export function readResponse(json: ChatJson): ChatReply {
	const { id, model, usage, output, status, incomplete_details } = response.parse(json);
	const parts = output.filter(({ type }) => type === 'message').flatMap((one) => one.content ?? []);
	const toolCalls = output.filter(({ type }) => callsOfTools.has(type ?? ''));
	const said = output.filter(({ type }) => type === 'message' || callsOfTools.has(type ?? ''));
	const half = said.find((one) => (one.status ?? 'completed') !== 'completed');
	const all = incomplete_details?.reason ?? status ?? '';
	const why = ['', 'completed'].includes(all) ? (half?.status ?? all) : all;
	const reason = reasons.get(why) ?? why;
	return {
		text: textIn(parts),
		finishReason: reason === 'stop' && toolCalls.length > 0 ? 'tool_calls' : reason,
		refusal: refusalIn(parts),
		toolCalls,
		...{ usage, model, id },
	};
}

/** How a whole answer ends; some platforms do not say. */
const endings = new Set([
	'',
	'stop',
	'tool_calls',
	'function_call',
	'end_turn',
	'stop_sequence',
	'eos',
]);

export const isWhole = (finishReason: string): boolean => endings.has(finishReason);

/** Endings after which a call of a tool has to be there. */
export const callEndings = new Set(['tool_calls', 'function_call']);

/** What is wrong with an answer, and what to do about it. */
export interface Flaw {
	message: string;
	advice: string;
}

/** What keeps a reply from being a whole answer. */
export function whyIncomplete(reply: ChatReply): Flaw | undefined {
	const { text, refusal, finishReason, toolCalls, broken } = reply;
	if (refusal || finishReason === 'refusal') {
		const words = refusal ? `: “${refusal.slice(0, MAX_QUOTED)}”` : '';
		return { message: `The model refused to answer${words}`, advice: 'Ask in other words.' };
	}
	if (finishReason === 'content_filter') {
		return {
			message: "The platform's content filter stopped the answer",
			advice: 'Ask in other words, or for something else.',
		};
	}
	if (finishReason === 'length') {
		return {
			message: 'The answer was cut off at the token limit',
			advice: "Raise 'Max Tokens', or ask for a shorter answer.",
		};
	}
	if (broken) return { message: `The answer may not be whole: ${broken}`, advice: 'Ask again.' };
	if (toolCalls.length > MAX_CALLS) {
		return {
			message: `The answer holds more than ${MAX_CALLS} tool calls`,
			advice: 'Ask again, or choose another model.',
		};
	}
	if (toolCalls.length === 0 && callEndings.has(finishReason)) {
		return {
			message: `The answer may not be whole: it ended with “${finishReason}”, but holds no tool call`,
			advice: 'Ask again.',
		};
	}
	if (text.trim() === '' && toolCalls.length === 0) {
		const how = isWhole(finishReason) ? '' : ` (it ended with “${finishReason}”)`;
		return { message: `The answer is empty${how}`, advice: 'Ask again, or in other words.' };
	}
	if (!isWhole(finishReason)) {
		return {
			message: `The answer may not be whole: it ended with “${finishReason}”`,
			advice: 'Ask again.',
		};
	}
	return undefined;
}

const MAX_QUOTED = 300;

/** n8n takes quadratic time to put streamed tool calls together. */
const MAX_CALLS = 128;
