import { json, type Answer } from '../answer';
import { eventStream, frame } from './event-stream';
import { pieces } from './pieces';
import type { ChatInput, Reply } from './reply';

interface Item {
	id: string;
	type: string;
	[field: string]: unknown;
}

/** One `response.*` event, its other fields beside its type. */
interface StreamEvent {
	type: string;
	[field: string]: unknown;
}

function outputOf(reply: Reply): Item[] {
	const status = reply.finish === 'length' ? 'incomplete' : 'completed';
	const part = { type: 'output_text', text: reply.text, annotations: [], logprobs: [] };
	const message = {
		id: `msg_${reply.id}`,
		type: 'message',
		status,
		role: 'assistant',
		content: [part],
	};
	const calls = reply.toolCalls.map(({ id, name, arguments: args }, index) => ({
		id: `fc_${reply.id}${index}`,
		type: 'function_call',
		status: 'completed',
		call_id: id,
		name,
		arguments: args,
	}));
	return [...(reply.text !== '' || calls.length === 0 ? [message] : []), ...calls];
}

/** The answer of `POST /v1/responses`, whole or as a stream of `response.*` events. */
export function responseAnswer(input: ChatInput, reply: Reply): Answer {
	const output = outputOf(reply);
	const cut = reply.finish === 'length';
	const begun = {
		id: `resp_${reply.id}`,
		object: 'response',
		created_at: Math.floor(Date.now() / 1000),
		model: input.model,
		error: null,
		incomplete_details: null,
		status: 'in_progress',
		output: [] as Item[],
	};
	const whole = {
		...begun,
		status: cut ? 'incomplete' : 'completed',
		incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
		output,
		usage: {
			input_tokens: reply.promptTokens,
			input_tokens_details: { cached_tokens: 0 },
			output_tokens: reply.completionTokens,
			output_tokens_details: { reasoning_tokens: 0 },
			total_tokens: reply.promptTokens + reply.completionTokens,
		},
	};
	if (!input.stream) return json(200, whole, true);
	const events: StreamEvent[] = [
		{ type: 'response.created', response: begun },
		{ type: 'response.in_progress', response: begun },
		...output.flatMap((item, index) => itemEvents(item, index, reply)),
		{ type: cut ? 'response.incomplete' : 'response.completed', response: whole },
	];
	return eventStream(events.map((event, n) => frame({ ...event, sequence_number: n }, event.type)));
}

function itemEvents(item: Item, index: number, reply: Reply): StreamEvent[] {
	const at = { item_id: item.id, output_index: index };
	const added = (bare: object) => ({
		type: 'response.output_item.added',
		output_index: index,
		item: { ...item, status: 'in_progress', ...bare },
	});
	const done = { type: 'response.output_item.done', output_index: index, item };
	if (item.type === 'function_call') {
		const whole = { ...at, arguments: item.arguments };
		const delta = { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments };
		const end = { type: 'response.function_call_arguments.done', ...whole };
		return [added({ arguments: '' }), delta, end, done];
	}
	const here = { ...at, content_index: 0 };
	const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
	const { text } = reply;
	return [
		added({ content: [] }),
		{ type: 'response.content_part.added', ...here, part },
		...pieces(text).map((delta) => ({
			type: 'response.output_text.delta',
			...here,
			delta,
			logprobs: [],
		})),
		{ type: 'response.output_text.done', ...here, text, logprobs: [] },
		{ type: 'response.content_part.done', ...here, part: { ...part, text } },
		done,
	];
}
