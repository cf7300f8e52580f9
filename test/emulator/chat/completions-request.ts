import { brokenField } from './bounds';
import { brokenMessages } from './conversation';
import type { ChatInput } from './reply';
import { textOf } from './text-of';

interface Message {
	role?: string;
	content?: unknown;
}

interface Tool {
	function?: { name: string; parameters?: unknown };
}

/** Reads the body of a `/v1/chat/completions` request, or returns its issue as a string. */
export function readCompletions(body: Record<string, unknown>): ChatInput | string {
	const { model, messages } = body;
	if (typeof model !== 'string') return 'you must provide a model parameter';
	if (!Array.isArray(messages) || messages.length === 0)
		return "'messages' must be a non-empty array";
	const problem = brokenMessages(messages) ?? brokenField(body);
	if (problem) return problem;
	const conversation = messages as Message[];
	const latest = conversation.findLast(({ role }) => role === 'user' || role === 'tool');
	return {
		model,
		prompt: conversation.map(({ content }) => textOf(content)).join('\n'),
		latest: textOf(latest?.content),
		latestIsToolResult: latest?.role === 'tool',
		forcedTool: forcedTool(body),
		schema: schemaOf(body.response_format),
		maxTokens: Number(body.max_completion_tokens ?? body.max_tokens ?? Infinity),
		stream: body.stream === true,
	};
}

function forcedTool({
	tools,
	tool_choice: choice,
}: Record<string, unknown>): ChatInput['forcedTool'] {
	const offered = (Array.isArray(tools) ? (tools as Tool[]) : []).flatMap(
		(tool) => tool.function ?? [],
	);
	const wanted = (choice as Tool | undefined)?.function?.name;
	const tool = choice === 'required' ? offered[0] : offered.find(({ name }) => name === wanted);
	return tool && { name: tool.name, parameters: tool.parameters };
}

function schemaOf(format: unknown): object | undefined {
	const { type, json_schema: named } = (format ?? {}) as {
		type?: string;
		json_schema?: { schema?: object };
	};
	if (type === 'json_schema') return named?.schema ?? {};
	return type === 'json_object' ? {} : undefined;
}
