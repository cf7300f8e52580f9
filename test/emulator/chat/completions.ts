import { json, type Answer, type EventStream } from '../answer';
import { eventStream, frame } from './event-stream';
import { pieces, splitArguments } from './pieces';
import { CREATED, type ChatInput, type Reply, type ToolCall } from './reply';

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

/** Whether the reply contains a refusal or tool calls but no text. */
const isTextless = ({ text, refusal, toolCalls }: Reply) =>
	text === '' && (refusal !== undefined || toolCalls.length > 0);

/** Returns the response of `POST /v1/chat/completions` as JSON or as a stream that ends with `[DONE]`. */
export function completionAnswer(input: ChatInput, reply: Reply): Answer {
	const id = `chatcmpl-${reply.id}`;
	const head = { id, created: CREATED, model: input.model };
	if (input.stream) return eventStream(streamOf(head, reply, input.includeUsage));
	const calls = reply.toolCalls.map(callOf);
	const message = {
		role: 'assistant',
		content: isTextless(reply) ? null : reply.text,
		refusal: reply.refusal ?? null,
		...(calls.length > 0 ? { tool_calls: calls } : {}),
	};
	const choice = { index: 0, message, logprobs: null, finish_reason: reply.finish };
	const answer = { ...head, object: 'chat.completion', choices: [choice], usage: usageOf(reply) };
	return json(200, answer, true);
}

function streamOf(head: object, reply: Reply, includeUsage: boolean): EventStream {
	const chunk = (delta: object, finish: string | null = null) =>
		frame({
			...head,
			object: 'chat.completion.chunk',
			choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
			...(includeUsage ? { usage: null } : {}),
		});
	// The first chunk contains ID and name, and the others contain the arguments in pieces.
	const callChunks = (call: ToolCall, index: number) => [
		chunk({ tool_calls: [{ index, ...callOf({ ...call, arguments: '' }) }] }),
		...splitArguments(call.arguments).map((part) =>
			chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
		),
	];
	const usage = { ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(reply) };
	const { refusal } = reply;
	const first = {
		role: 'assistant',
		content: isTextless(reply) ? null : '',
		refusal: refusal === undefined ? null : '',
	};
	return {
		content: [
			chunk(first),
			...pieces(reply.text).map((content) => chunk({ content })),
			...pieces(refusal ?? '').map((piece) => chunk({ refusal: piece })),
			...reply.toolCalls.flatMap(callChunks),
		],
		closing: [chunk({}, reply.finish), ...(includeUsage ? [frame(usage)] : []), 'data: [DONE]\n\n'],
	};
}
