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
	callEndings,
	isWhole,
	jsonText,
	whyIncomplete,
	type ChatReply,
	type Flaw,
} from '../protocol/chat';
import { parseJson } from '../protocol/json';

const number = z.number().catch(0);
const details = z.record(z.string(), z.number().optional().catch(undefined)).optional();

const usageSchema = z.looseObject({
	prompt_tokens: number,
	completion_tokens: number,
	total_tokens: number,
	prompt_tokens_details: details.catch(undefined),
	completion_tokens_details: details.catch(undefined),
});

/** What an answer took, in n8n's words. */
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

const reasons = new Map<string, FinishReason>([
	['stop', 'stop'],
	['length', 'length'],
	['content_filter', 'content-filter'],
	['tool_calls', 'tool-calls'],
]);

export function finishReasonOf({ finishReason }: ChatReply): FinishReason {
	return reasons.get(finishReason) ?? 'other';
}

const call = z.looseObject({
	id: z.string().optional().catch(undefined),
	function: z.looseObject({ name: z.string().min(1), arguments: jsonText }),
});

/**
 * The calls of an answer that are of functions; n8n knows no others. Whoever answers a call names it by
 * its id, and in a stream n8n tells calls apart by nothing else: each gets one of its own.
 */
export function toolCallsOf({ toolCalls }: ChatReply): ContentToolCall[] {
	const taken = new Set<string | undefined>(['', undefined]);
	return toolCalls.flatMap((one): ContentToolCall[] => {
		const read = call.safeParse(one).data;
		if (!read) return [];
		const { name, arguments: input } = read.function;
		const toolCallId = taken.has(read.id) ? `call_${randomUUID()}` : read.id;
		taken.add(toolCallId);
		return [{ type: 'tool-call', toolCallId, toolName: name, input: argumentsOf(input) }];
	});
}

/** The words of an answer; those of a refusal where there are no others. */
export const wordsOf = ({ text, refusal }: ChatReply): string => text || refusal || '';

/** LangChain drops a call whose arguments are anything else, and the agent would end without a word. */
function isJsonObject(text: string): boolean {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === 'object' && value !== null && !Array.isArray(value);
	} catch {
		return false;
	}
}

/** Some platforms write nothing for a call without arguments. Large numbers keep their digits as text. */
function argumentsOf(text: string): string {
	if (['', 'null'].includes(text.trim())) return '{}';
	return isJsonObject(text) ? JSON.stringify(parseJson(text)) : text;
}

/** Words that were cut off or refused can be read all the same. */
const readable = new Set(['length', 'content_filter', 'refusal']);

const TRY_AGAIN = 'Run it again, or choose another model.';

/** What makes an answer useless for an agent: calls that may not be whole, or no word where some were due. */
export function flawOf(reply: ChatReply): Flaw | undefined {
	const { finishReason, toolCalls } = reply;
	const flaw = whyIncomplete(reply);
	const hasCalls = toolCalls.length > 0 || callEndings.has(finishReason);
	const mayBeEmpty = isWhole(finishReason) && finishReason !== '';
	const isEmpty = wordsOf(reply) === '' && !mayBeEmpty;
	const isCutOff = flaw && (reply.broken || hasCalls || isEmpty);
	if (isCutOff || !(isWhole(finishReason) || readable.has(finishReason))) return flaw;
	const calls = toolCallsOf(reply);
	if (calls.length < toolCalls.length) {
		return { message: 'The model called something that is no function', advice: TRY_AGAIN };
	}
	const broken = calls.find(({ input }) => !isJsonObject(input));
	if (!broken) return undefined;
	const message = `The model called the tool '${broken.toolName}' with arguments that are no JSON object`;
	return { message, advice: TRY_AGAIN };
}

/** An answer, in n8n's words. */
export function resultOf(reply: ChatReply): GenerateResult {
	const words = wordsOf(reply);
	const content: MessageContent[] = words === '' ? [] : [{ type: 'text', text: words }];
	return {
		id: reply.id,
		finishReason: finishReasonOf(reply),
		usage: usageOf(reply),
		message: { role: 'assistant', content: [...content, ...toolCallsOf(reply)], id: reply.id },
	};
}
