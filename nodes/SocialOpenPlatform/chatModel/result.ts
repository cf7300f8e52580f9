import type { FinishReason, GenerateResult, MessageContent, TokenUsage } from '@n8n/ai-node-sdk';
import { z } from 'zod/v4';
import { whyIncomplete, type ChatReply, type Flaw } from '../protocol/chat';

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

const reasons: Record<string, FinishReason> = {
	stop: 'stop',
	length: 'length',
	content_filter: 'content-filter',
	tool_calls: 'tool-calls',
};

export function finishReasonOf({ finishReason }: ChatReply): FinishReason {
	return reasons[finishReason] ?? 'other';
}

export type ToolCall = Extract<MessageContent, { type: 'tool-call' }>;

const call = z.looseObject({
	id: z.string().optional().catch(undefined),
	function: z.looseObject({ name: z.string(), arguments: z.string().catch('{}') }),
});

/** The calls of an answer that are functions; n8n knows no others. */
export function toolCallsOf({ toolCalls }: ChatReply): ToolCall[] {
	return toolCalls.flatMap((one) => {
		const read = call.safeParse(one).data;
		if (!read) return [];
		const { name, arguments: input } = read.function;
		return { type: 'tool-call', toolCallId: read.id, toolName: name, input: input.trim() || '{}' };
	});
}

/** The words of an answer; those of a refusal where there are no others. */
export const wordsOf = ({ text, refusal }: ChatReply): string => text || refusal || '';

const isJson = (text: string) => {
	try {
		return typeof JSON.parse(text) === 'object';
	} catch {
		return false;
	}
};

/** What makes an answer useless for an agent: calls that are cut off, or nothing where a filter stood. */
export function flawOf(reply: ChatReply): Flaw | undefined {
	const flaw = whyIncomplete(reply);
	const broken = toolCallsOf(reply).find(({ input }) => !isJson(input));
	if (broken) {
		const message = `The model called the tool '${broken.toolName}' with broken JSON`;
		return flaw ?? { message, advice: 'Run it again, or choose another model.' };
	}
	return reply.finishReason === 'content_filter' && wordsOf(reply) === '' ? flaw : undefined;
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
