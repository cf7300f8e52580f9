import { createHash } from 'node:crypto';

import { pieces } from './pieces';
import { schemaExample } from './schema-example';
import type { ScriptedReply } from './script';

/** A chat request, whichever of the two operations it came to. */
export interface ChatInput {
	model: string;
	/** Everything that was sent as text: what prompt tokens are counted over. */
	prompt: string;
	/** The latest message, and whether it is a tool's result. */
	latest: string;
	latestIsToolResult: boolean;
	/** The tool the caller insists on, with its parameters' schema. */
	forcedTool?: { name: string; parameters: unknown };
	/** Present when the answer is to be JSON; an empty schema when any JSON will do. */
	schema?: object;
	maxTokens: number;
	stream: boolean;
}

export interface ToolCall {
	id: string;
	name: string;
	/** JSON text. */
	arguments: string;
}

/** Answers are dated alike (2026-01-01), so that the same request gets the same bytes. */
export const CREATED = 1_767_225_600;

export interface Reply {
	/** Derived from the request: the same request has the same id. */
	id: string;
	text: string;
	refusal?: string;
	toolCalls: ToolCall[];
	/** Why the model stopped, in the words of `/v1/chat/completions`. */
	finish: string;
	promptTokens: number;
	completionTokens: number;
}

function plainText({ latest, latestIsToolResult, schema }: ChatInput): string {
	const said = latestIsToolResult ? `The tool said: ${latest}` : `You said: ${latest}`;
	if (!schema) return said;
	const example = Object.keys(schema).length > 0 ? schemaExample(schema, said) : { answer: said };
	return JSON.stringify(example);
}

/**
 * The reply to a request: the scripted one, else the tool insisted on, else an echo (as JSON where
 * JSON is asked for), cut at the token limit. Depends on its arguments alone.
 */
export function replyTo(input: ChatInput, scripted: ScriptedReply | undefined): Reply {
	const id = createHash('sha256')
		.update(JSON.stringify([input, scripted]))
		.digest('hex')
		.slice(0, 24);
	const forced = input.forcedTool && {
		name: input.forcedTool.name,
		arguments: schemaExample(input.forcedTool.parameters, input.latest),
	};
	const calls = scripted ? (scripted.tool_calls ?? []) : forced ? [forced] : [];
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
	const saidElse = [scripted?.refusal ?? '', ...toolCalls.map((call) => call.arguments)];
	return {
		id,
		text: cut ? kept.join('') : content,
		refusal: scripted?.refusal,
		toolCalls,
		finish: scripted?.finish_reason ?? finish,
		promptTokens: pieces(input.prompt).length,
		completionTokens: kept.length + saidElse.flatMap(pieces).length,
	};
}
