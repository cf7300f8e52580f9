import type {
	ContentToolCall,
	FinishReason,
	GenerateResult,
	MessageContent,
	TokenUsage,
} from '@n8n/ai-node-sdk';
import { randomUUID } from 'node:crypto';
import { z } from 'zod/v4';
import { jsonText, whyIncomplete, type ChatReply, type Flaw } from '../protocol/chat';

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

const call = z.looseObject({
	id: z.string().optional().catch(undefined),
	function: z.looseObject({ name: z.string().min(1), arguments: jsonText }),
});

/** The calls of an answer that are of functions; n8n knows no others. */
export function toolCallsOf({ toolCalls }: ChatReply): ContentToolCall[] {
	return toolCalls.flatMap((one): ContentToolCall[] => {
		const read = call.safeParse(one).data;
		if (!read) return [];
		const { name, arguments: input } = read.function;
		// Whoever answers it names it, and in a stream n8n tells calls apart by nothing else.
		const toolCallId = read.id || `call_${randomUUID()}`;
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

/** Some platforms write nothing, or null, for a call without arguments. */
const argumentsOf = (text: string) => (/^\s*(null)?\s*$/.test(text) ? '{}' : text);

/** What makes an answer useless for an agent: calls that are cut off, or nothing where a filter stood. */
export function flawOf(reply: ChatReply): Flaw | undefined {
	const flaw = whyIncomplete(reply);
	const calls = toolCallsOf(reply);
	const advice = 'Run it again, or choose another model.';
	if (calls.length < reply.toolCalls.length) {
		return flaw ?? { message: 'The model called something that is no function', advice };
	}
	const broken = calls.find(({ input }) => !isJsonObject(input));
	if (broken) {
		const message = `The model called the tool '${broken.toolName}' with arguments that are no JSON object`;
		return flaw ?? { message, advice };
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
