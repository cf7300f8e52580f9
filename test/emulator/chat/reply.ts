import { createHash } from 'node:crypto';

import { pieces } from './pieces';
import { schemaExample } from './schema-example';
import type { ScriptedReply } from './script';

/** A chat request to either of the two operations. */
export interface ChatInput {
	model: string;
	/** All text of the request, for which prompt tokens are counted. */
	prompt: string;
	/** The latest message. */
	latest: string;
	/** Whether the latest message is the result of a tool call. */
	latestIsToolResult: boolean;
	/** The name of the tool that the model must call. */
	forcedTool?: string;
	/** The schema of the requested JSON, which is empty if any JSON is allowed. */
	schema?: object;
	maxTokens: number;
	stream: boolean;
	/** Whether the stream ends with the number of tokens. */
	includeUsage: boolean;
}

export interface ToolCall {
	id: string;
	name: string;
	/** The arguments as JSON text. */
	arguments: string;
}

/** The date of all replies (2026-01-01), so that the same request gets the same bytes. */
export const CREATED = 1_767_225_600;

export interface Reply {
	/** A hash of the request, so that the same request gets the same ID. */
	id: string;
	text: string;
	refusal?: string;
	toolCalls: ToolCall[];
	/** The finish reason of `/v1/chat/completions`. */
	finish: string;
	promptTokens: number;
	completionTokens: number;
}

function plainText({ latest, latestIsToolResult, schema }: ChatInput): string {
	const echo = latestIsToolResult ? `The tool said: ${latest}` : `You said: ${latest}`;
	if (!schema) return echo;
	const example = Object.keys(schema).length > 0 ? schemaExample(schema, echo) : { answer: echo };
	return JSON.stringify(example);
}

/**
 * Returns the scripted reply, or else a call of the forced tool, or else an echo, which is JSON if JSON
 * was requested. Text is cut at the token limit. The reply depends only on the arguments.
 */
export function replyTo(input: ChatInput, scripted: ScriptedReply | undefined): Reply {
	const id = createHash('sha256')
		.update(JSON.stringify([input, scripted]))
		.digest('hex')
		.slice(0, 24);
	const forced: ScriptedReply = {
		tool_calls: input.forcedTool ? [{ name: input.forcedTool }] : [],
	};
	const calls = (scripted ?? forced).tool_calls ?? [];
	const toolCalls = calls.map((call, index) => ({
		id: `call_${id.slice(0, 16)}${index}`,
		name: call.name,
		arguments:
			typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {}),
	}));
	const content = scripted
		? (scripted.content ?? '')
		: toolCalls.length > 0
			? ''
			: plainText(input);
	const all = pieces(content);
	const kept = all.slice(0, input.maxTokens);
	const cut = kept.length < all.length;
	const finish = cut ? 'length' : toolCalls.length > 0 ? 'tool_calls' : 'stop';
	const otherTexts = [scripted?.refusal ?? '', ...toolCalls.map((call) => call.arguments)];
	return {
		id,
		text: cut ? kept.join('') : content,
		refusal: scripted?.refusal,
		toolCalls,
		finish: scripted?.finish_reason ?? finish,
		promptTokens: pieces(input.prompt).length,
		completionTokens: kept.length + otherTexts.flatMap(pieces).length,
	};
}
