import type {
	ContentToolCall,
	FinishReason,
	GenerateResult,
	MessageContent,
	TokenUsage,
} from '@n8n/ai-node-sdk';
import { randomUUID } from 'node:crypto';
import { z } from 'zod/v4';
import {
	isComplete,
	jsonText,
	requiresCall,
	whyIncomplete,
	type ChatReply,
	type Flaw,
} from '../protocol/chat/reply';
import { isJsonObject, parseJson } from '../protocol/json';

/** Maximum length of a tool's name in an error message. */
const MAX_NAME = 100;

const TRY_AGAIN = 'Run the workflow again, or choose another model.';

const finishReasons = new Map<string, FinishReason>([
	['stop', 'stop'],
	['length', 'length'],
	['content_filter', 'content-filter'],
	['tool_calls', 'tool-calls'],
]);

/** Finish reasons of an incomplete reply whose text an agent can still use. */
const usableReasons = new Set(['length', 'content_filter', 'refusal']);

const number = z.number().catch(0);
const details = z.record(z.string(), z.number().optional().catch(undefined)).optional();

const usageSchema = z.looseObject({
	prompt_tokens: number,
	completion_tokens: number,
	total_tokens: number,
	prompt_tokens_details: details.catch(undefined),
	completion_tokens_details: details.catch(undefined),
});

const functionCall = z.looseObject({
	id: z.string().optional().catch(undefined),
	function: z.looseObject({ name: z.string().min(1), arguments: jsonText }),
});

/** Converts a reply to the format of n8n's SDK. */
export function resultOf(reply: ChatReply): GenerateResult {
	const text = textOrRefusal(reply);
	const content: MessageContent[] = text === '' ? [] : [{ type: 'text', text }];
	return {
		id: reply.id,
		finishReason: finishReasonOf(reply),
		usage: usageOf(reply),
		message: { role: 'assistant', content: [...content, ...toolCallsOf(reply)], id: reply.id },
	};
}

/**
 * Why an agent cannot use a reply, or undefined if it can. A reply is unusable if its tool calls
 * may be incomplete, or if it has neither text nor tool calls. Text that was cut off, filtered or
 * refused is usable.
 */
export function whyUnusable(reply: ChatReply): Flaw | undefined {
	const { finishReason, toolCalls } = reply;
	const flaw = whyIncomplete(reply);
	const hasCalls = toolCalls.length > 0 || requiresCall(finishReason);
	const mayBeEmpty = isComplete(finishReason) && finishReason !== '';
	const isEmpty = textOrRefusal(reply) === '' && !mayBeEmpty;
	const isUnusable = flaw && (reply.broken || hasCalls || isEmpty);
	if (isUnusable || !(isComplete(finishReason) || usableReasons.has(finishReason))) return flaw;
	const calls = toolCallsOf(reply);
	if (calls.length < toolCalls.length) {
		return {
			message: 'The model requested a tool call that is not a function call',
			advice: TRY_AGAIN,
		};
	}
	const invalid = calls.find(({ input }) => !isObjectText(input));
	if (!invalid) return undefined;
	const name = invalid.toolName.slice(0, MAX_NAME);
	const message = `The model called the tool '${name}' with arguments that are not a JSON object`;
	return { message, advice: TRY_AGAIN };
}

export function textOrRefusal({ text, refusal }: ChatReply): string {
	return text || refusal || '';
}

export function finishReasonOf({ finishReason }: ChatReply): FinishReason {
	return finishReasons.get(finishReason) ?? 'other';
}

export function usageOf({ usage }: ChatReply): TokenUsage | undefined {
	if (!usage) return undefined;
	const read = usageSchema.parse(usage);
	const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = read;
	return {
		promptTokens,
		completionTokens,
		totalTokens: read.total_tokens || promptTokens + completionTokens,
		inputTokenDetails: { cacheRead: read.prompt_tokens_details?.cached_tokens },
		outputTokenDetails: { reasoning: read.completion_tokens_details?.reasoning_tokens },
	};
}

/**
 * The function calls of a reply, because n8n supports no other tool calls. Each call gets a unique
 * ID: n8n finds the result of a call by its ID, and uses the ID to join the pieces of a streamed
 * call.
 */
export function toolCallsOf({ toolCalls }: ChatReply): ContentToolCall[] {
	const usedIds = new Set<string | undefined>(['', undefined]);
	return toolCalls.flatMap((call): ContentToolCall[] => {
		const read = functionCall.safeParse(call).data;
		if (!read) return [];
		const { name, arguments: input } = read.function;
		const toolCallId = usedIds.has(read.id) ? `call_${randomUUID()}` : read.id;
		usedIds.add(toolCallId);
		return [{ type: 'tool-call', toolCallId, toolName: name, input: argumentsOf(input) }];
	});
}

/**
 * Reads the arguments of a call. Some platforms send no text for a call without arguments. Large
 * numbers become text with all digits.
 */
function argumentsOf(text: string): string {
	if (['', 'null'].includes(text.trim())) return '{}';
	return isObjectText(text) ? JSON.stringify(parseJson(text)) : text;
}

/**
 * Whether the arguments of a call are a JSON object. LangChain drops all other calls, and the agent
 * would end without text.
 */
function isObjectText(text: string): boolean {
	try {
		return isJsonObject(JSON.parse(text));
	} catch {
		return false;
	}
}
