import { json, type Answer } from '../answer';
import { CREATED, type ChatInput, type Reply } from './reply';
import { incompleteReason, outputOf } from './responses-output';

/** Returns the response of `POST /v1/responses`, which is never streamed. */
export function responseAnswer(input: ChatInput, reply: Reply): Answer {
	const reason = incompleteReason(reply);
	const whole = {
		id: `resp_${reply.id}`,
		object: 'response',
		created_at: CREATED,
		model: input.model,
		error: null,
		status: reason === undefined ? 'completed' : 'incomplete',
		incomplete_details: reason === undefined ? null : { reason },
		output: outputOf(reply),
		usage: {
			input_tokens: reply.promptTokens,
			input_tokens_details: { cached_tokens: 0 },
			output_tokens: reply.completionTokens,
			output_tokens_details: { reasoning_tokens: 0 },
			total_tokens: reply.promptTokens + reply.completionTokens,
		},
	};
	return json(200, whole, true);
}
