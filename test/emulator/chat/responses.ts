import { json, type Answer } from '../answer';
import { eventStream, frame } from './event-stream';
import { CREATED, type ChatInput, type Reply } from './reply';
import { itemEvents, type StreamEvent } from './responses-events';
import { incompleteReason, outputOf } from './responses-output';

/** Returns the response of `POST /v1/responses` as JSON or as a stream of `response.*` events. */
export function responseAnswer(input: ChatInput, reply: Reply): Answer {
	const output = outputOf(reply);
	const reason = incompleteReason(reply);
	const status = reason === undefined ? 'completed' : 'incomplete';
	const begun = {
		id: `resp_${reply.id}`,
		object: 'response',
		created_at: CREATED,
		model: input.model,
		error: null,
		incomplete_details: null,
		status: 'in_progress',
		output: [],
		usage: null,
	};
	const whole = {
		...begun,
		status,
		incomplete_details: reason === undefined ? null : { reason },
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
		...output.flatMap(itemEvents),
		{ type: `response.${status}`, response: whole },
	];
	const frames = events.map((event, n) => frame({ ...event, sequence_number: n }, event.type));
	return eventStream({ content: frames.slice(0, -1), closing: frames.slice(-1) });
}
