import { json, type Answer } from '../answer';
import { eventStream, frame } from './event-stream';
import { pieces } from './pieces';
import type { ChatInput, Reply, ToolCall } from './reply';

const callOf = ({ id, name, arguments: args }: ToolCall) => ({
	id,
	type: 'function',
	function: { name, arguments: args },
});

const usageOf = ({ promptTokens, completionTokens }: Reply) => ({
	prompt_tokens: promptTokens,
	completion_tokens: completionTokens,
	total_tokens: promptTokens + completionTokens,
});

/** The answer of `POST /v1/chat/completions`, whole or as a stream that ends with `[DONE]`. */
export function completionAnswer(input: ChatInput, reply: Reply, includeUsage: boolean): Answer {
	const id = `chatcmpl-${reply.id}`;
	const head = { id, created: Math.floor(Date.now() / 1000), model: input.model };
	if (input.stream) return eventStream(frames(head, reply, includeUsage));
	const calls = reply.toolCalls.map(callOf);
	const message = {
		role: 'assistant',
		content: calls.length > 0 && reply.text === '' ? null : reply.text,
		refusal: null,
		...(calls.length > 0 ? { tool_calls: calls } : {}),
	};
	const choice = { index: 0, message, logprobs: null, finish_reason: reply.finish };
	const answer = { ...head, object: 'chat.completion', choices: [choice], usage: usageOf(reply) };
	return json(200, answer, true);
}

function frames(head: object, reply: Reply, includeUsage: boolean): string[] {
	const chunk = (delta: object, finish: string | null = null) =>
		frame({
			...head,
			object: 'chat.completion.chunk',
			choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
			...(includeUsage ? { usage: null } : {}),
		});
	const usage = { ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(reply) };
	return [
		chunk({ role: 'assistant', content: '' }),
		...pieces(reply.text).map((content) => chunk({ content })),
		...reply.toolCalls.map((call, index) => chunk({ tool_calls: [{ index, ...callOf(call) }] })),
		chunk({}, reply.finish),
		...(includeUsage ? [frame(usage)] : []),
		'data: [DONE]\n\n',
	];
}
