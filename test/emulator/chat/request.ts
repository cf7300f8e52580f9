import { z } from 'zod/v4';

import type { ChatInput } from './reply';

/** The text of a message, which is a string or a list of parts. */
const content = z.union([
	z.string(),
	z
		.array(z.looseObject({ text: z.string().optional() }))
		.transform((parts) => parts.map(({ text = '' }) => text).join('')),
]);

const limit = z.int().min(1).nullish();

const named = z.looseObject({
	name: z.string().regex(/^[\w-]{1,64}$/),
	parameters: z.unknown().optional(),
});

const schema = named.extend({ schema: z.looseObject({}) });

/** An output format. Its schema is in the format itself or in `json_schema`. */
const format = z
	.looseObject({
		type: z.enum(['text', 'json_object', 'json_schema']),
		schema: z.looseObject({}).optional(),
		json_schema: schema.optional(),
	})
	.refine(
		(one) => one.type !== 'json_schema' || schema.safeParse(one.json_schema ?? one).success,
		'a schema has a name and a schema',
	);

const shared = {
	model: z.string(),
	temperature: z.number().min(0).max(2).nullish(),
	stream: z.boolean().nullish(),
	tools: z.array(z.looseObject({ function: named.optional() })).nullish(),
};

const message = z.looseObject({
	role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
	content: content.nullish(),
	tool_calls: z.array(z.looseObject({ id: z.string() })).nullish(),
	tool_call_id: z.string().optional(),
});

const item = z.looseObject({
	type: z.string().optional(),
	role: z.string().optional(),
	content: content.optional(),
	output: content.optional(),
	call_id: z.string().optional(),
});

const bodies = {
	chatCompletions: z.looseObject({
		...shared,
		messages: z.array(message).min(1),
		response_format: format.nullish(),
		max_tokens: limit,
		max_completion_tokens: limit,
		stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
	}),
	responses: z.looseObject({
		...shared,
		input: z.union([
			z.array(item),
			z.string().transform((text) => [item.parse({ role: 'user', content: text })]),
		]),
		instructions: z.string().nullish(),
		previous_response_id: z.string().nullish(),
		text: z.looseObject({ format: format.optional() }).nullish(),
		max_output_tokens: limit,
	}),
};

/** A message or an input item, in the terms that both operations have in common. */
interface Turn {
	text: string;
	isUser: boolean;
	/** The IDs of the tool calls that it makes, or the ID of the call whose result it is. */
	calls: string[];
	resultOf?: string;
}

/** Returns the first issue of a conversation. The result of each tool call must follow immediately. */
function issueOf(turns: Turn[], continues = false): string | undefined {
	let open: string[] = [];
	for (const { calls, resultOf } of turns) {
		if (resultOf !== undefined) {
			if (!open.includes(resultOf) && !continues) return `No tool call found for '${resultOf}'`;
			open = open.filter((id) => id !== resultOf);
		} else if (open.length > 0 && calls.length === 0) break;
		open.push(...calls);
	}
	return open.length > 0 ? `No tool output found for the calls ${open.join(', ')}` : undefined;
}

interface Tool {
	name: string;
	parameters: unknown;
}

/** Returns the tool that the model must call. */
function forcedTool({ tools, tool_choice: choice }: Record<string, unknown>): Tool | undefined {
	type Wrapped = Partial<Tool> & { function?: Tool };
	const offered = ((tools ?? []) as Wrapped[]).map((tool) => (tool.function ?? tool) as Tool);
	if (choice === 'required') return offered[0];
	const wanted = (choice as Wrapped | undefined)?.function ?? (choice as Wrapped | undefined);
	return offered.find(({ name }) => name && name === wanted?.name);
}

/** Reads the parts of a request that both operations have. */
function readShared(
	body: { model: string; stream?: boolean | null; tools?: unknown },
	turns: Turn[],
	output: z.infer<typeof format> | null | undefined,
) {
	const latest = turns.findLast(({ isUser, resultOf }) => isUser || resultOf !== undefined);
	const own = output?.json_schema ?? output;
	return {
		model: body.model,
		prompt: turns.map(({ text }) => text).join('\n'),
		latest: latest?.text ?? '',
		latestIsToolResult: latest?.resultOf !== undefined,
		forcedTool: forcedTool(body),
		schema: output?.type === 'json_object' ? {} : own?.schema,
		stream: body.stream === true,
	};
}

/** Reads the body of a `/v1/chat/completions` request, or returns its issue as a string. */
export function readCompletions(given: object): ChatInput | string {
	const { data: body, error } = bodies.chatCompletions.safeParse(given);
	if (!body) return z.prettifyError(error);
	const turns = body.messages.map(({ role, content: text, tool_calls, tool_call_id }) => ({
		text: text ?? '',
		isUser: role === 'user',
		calls: (tool_calls ?? []).map(({ id }) => id),
		resultOf: role === 'tool' ? (tool_call_id ?? '') : undefined,
	}));
	const { stream, stream_options: options } = body;
	const isEmpty = body.messages.some((one) => one.role !== 'assistant' && one.content == null);
	const issue = isEmpty ? 'A message has no content' : issueOf(turns);
	if (issue) return issue;
	if (options && !stream) return "'stream_options' is only allowed when 'stream' is enabled";
	return {
		...readShared(body, turns, body.response_format),
		maxTokens: body.max_completion_tokens ?? body.max_tokens ?? Infinity,
		includeUsage: options?.include_usage === true,
	};
}

/** Reads the body of a `/v1/responses` request, or returns its issue as a string. */
export function readResponses(given: object): ChatInput | string {
	const { data: body, error } = bodies.responses.safeParse(given);
	if (!body) return z.prettifyError(error);
	const turns = body.input.map(({ type, role, content: text, output, call_id: id = '' }) => ({
		text: text ?? output ?? '',
		isUser: role === 'user',
		calls: type === 'function_call' ? [id] : [],
		resultOf: type === 'function_call_output' ? id : undefined,
	}));
	// The calls of an earlier response are not among the items.
	const issue = issueOf(turns, body.previous_response_id != null);
	if (issue) return issue;
	const read = readShared(body, turns, body.text?.format);
	return {
		...read,
		prompt: `${body.instructions ?? ''}\n${read.prompt}`,
		maxTokens: body.max_output_tokens ?? Infinity,
		includeUsage: false,
	};
}
