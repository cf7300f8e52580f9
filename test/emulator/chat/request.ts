import { z } from 'zod/v4';

import type { ChatInput } from './reply';

/** The text of a message, which is a string or a list of parts. */
const content = z.union([
	z.string(),
	z
		.array(z.looseObject({ text: z.string().optional() }))
		.transform((parts) => parts.map(({ text = '' }) => text).join('')),
]);

const limit = z.int().min(1).default(Infinity);

const format = z
	.looseObject({
		type: z.enum(['text', 'json_object', 'json_schema']),
		schema: z.looseObject({}).optional(),
		json_schema: z.looseObject({ schema: z.looseObject({}) }).optional(),
	})
	.optional();

const tool = z.looseObject({ name: z.string() });

const shared = {
	model: z.string(),
	temperature: z.number().optional(),
	stream: z.boolean().default(false),
	tools: z.array(z.union([tool, z.object({ function: tool })])).default([]),
	tool_choice: z.unknown(),
};

const message = z.looseObject({
	role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
	content: content.nullish(),
	tool_calls: z.array(z.looseObject({ id: z.string() })).default([]),
	tool_call_id: z.string().default(''),
});

const item = z.looseObject({
	type: z.string().optional(),
	role: z.string().optional(),
	content: content.optional(),
	output: content.optional(),
	call_id: z.string().default(''),
});

const completion = z.looseObject({
	...shared,
	messages: z.array(message).min(1),
	response_format: format,
	max_tokens: limit,
	stream_options: z.looseObject({ include_usage: z.boolean().optional() }).optional(),
});

const response = z.looseObject({
	...shared,
	input: z.union([
		z.array(item),
		z.string().transform((text) => [item.parse({ role: 'user', content: text })]),
	]),
	instructions: z.string().default(''),
	text: z.looseObject({ format }).optional(),
	max_output_tokens: limit,
});

/** A message or an input item, in the terms that both operations have in common. */
interface Turn {
	text: string;
	isUser: boolean;
	/** The IDs of the tool calls that it makes, or the ID of the call whose result it is. */
	calls: string[];
	resultOf?: string;
}

/** Returns the first issue of a conversation. The result of each tool call must follow immediately. */
function issueOf(turns: Turn[]): string | undefined {
	let open: string[] = [];
	for (const { calls, resultOf } of turns) {
		if (resultOf !== undefined) {
			if (!open.includes(resultOf)) return `No tool call found for '${resultOf}'`;
			open = open.filter((id) => id !== resultOf);
		} else if (open.length > 0 && calls.length === 0) break;
		open.push(...calls);
	}
	return open.length > 0 ? `No tool output found for the calls ${open.join(', ')}` : undefined;
}

/** Reads the parts of a request that both operations have. */
function readShared(
	{ model, tools, tool_choice, stream }: z.infer<z.ZodObject<typeof shared>>,
	turns: Turn[],
	output: z.infer<typeof format>,
) {
	const latest = turns.findLast(({ isUser, resultOf }) => isUser || resultOf !== undefined);
	const [first] = tools.map((one) =>
		'function' in one ? (one.function as { name: string }) : one,
	);
	const own = output?.json_schema ?? output;
	return {
		...{ model, stream },
		prompt: turns.map(({ text }) => text).join('\n'),
		latest: latest?.text ?? '',
		latestIsToolResult: latest?.resultOf !== undefined,
		forcedTool: tool_choice === 'required' ? first?.name : undefined,
		schema: output?.type === 'json_object' ? {} : own?.schema,
	};
}

/** Reads the body of a `/v1/chat/completions` request, or returns its issue as a string. */
export function readCompletions(given: object): ChatInput | string {
	const { data: body, error } = completion.safeParse(given);
	if (!body) return z.prettifyError(error);
	const turns = body.messages.map(({ role, content: text, tool_calls, tool_call_id }) => ({
		text: text ?? '',
		isUser: role === 'user',
		calls: tool_calls.map(({ id }) => id),
		resultOf: role === 'tool' ? tool_call_id : undefined,
	}));
	const { stream, stream_options: options, max_tokens: maxTokens } = body;
	const isEmpty = body.messages.some((one) => one.role !== 'assistant' && one.content == null);
	const issue = isEmpty ? 'A message has no content' : issueOf(turns);
	if (issue) return issue;
	if (options && !stream) return "'stream_options' is only allowed when 'stream' is enabled";
	const includeUsage = options?.include_usage === true;
	return { ...readShared(body, turns, body.response_format), maxTokens, includeUsage };
}

/** Reads the body of a `/v1/responses` request, or returns its issue as a string. */
export function readResponses(given: object): ChatInput | string {
	const { data: body, error } = response.safeParse(given);
	if (!body) return z.prettifyError(error);
	const turns = body.input.map(({ type, role, content: text, output, call_id }) => ({
		text: text ?? output ?? '',
		isUser: role === 'user',
		calls: type === 'function_call' ? [call_id] : [],
		resultOf: type === 'function_call_output' ? call_id : undefined,
	}));
	const issue = issueOf(turns);
	if (issue) return issue;
	const read = readShared(body, turns, body.text?.format);
	const prompt = `${body.instructions}\n${read.prompt}`;
	return { ...read, prompt, maxTokens: body.max_output_tokens, includeUsage: false };
}
