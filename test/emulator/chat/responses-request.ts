import { brokenField } from './bounds';
import { brokenItems } from './conversation';
import type { ChatInput } from './reply';
import { textOf } from './text-of';

interface Item {
	type?: string;
	role?: string;
	content?: unknown;
	output?: unknown;
}

interface Tool {
	name?: string;
	parameters?: unknown;
}

/** Reads the body of a `/v1/responses` request, or returns its issue as a string. */
export function readResponses(body: Record<string, unknown>): ChatInput | string {
	const { model, input } = body;
	if (typeof model !== 'string') return 'you must provide a model parameter';
	if (typeof input !== 'string' && !Array.isArray(input))
		return "'input' must be a string or an array";
	const items: Item[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
	const problem = brokenItems(items, body.previous_response_id != null) ?? brokenField(body);
	if (problem) return problem;
	const isResult = ({ type }: Item) => type === 'function_call_output';
	const latest = items.findLast((item) => item.role === 'user' || isResult(item));
	const textIn = (item: Item | undefined) => textOf(item?.content ?? item?.output);
	return {
		model,
		prompt: [textOf(body.instructions), ...items.map(textIn)].join('\n'),
		latest: textIn(latest),
		latestIsToolResult: latest !== undefined && isResult(latest),
		forcedTool: forcedTool(body),
		schema: schemaOf(body.text),
		maxTokens: Number(body.max_output_tokens ?? Infinity),
		stream: body.stream === true,
	};
}

function forcedTool({
	tools,
	tool_choice: choice,
}: Record<string, unknown>): ChatInput['forcedTool'] {
	const offered = Array.isArray(tools) ? (tools as Tool[]) : [];
	const wanted = (choice as Tool | undefined)?.name;
	const tool =
		choice === 'required' ? offered[0] : offered.find(({ name }) => name && name === wanted);
	return tool?.name ? { name: tool.name, parameters: tool.parameters } : undefined;
}

function schemaOf(text: unknown): object | undefined {
	const { type, schema } =
		(text as { format?: { type?: string; schema?: object } } | undefined)?.format ?? {};
	if (type === 'json_schema') return schema ?? {};
	return type === 'json_object' ? {} : undefined;
}
