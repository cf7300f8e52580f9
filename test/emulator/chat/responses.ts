import { json, type Answer } from '../answer';
import { CREATED, type ChatInput, type Reply } from './reply';

/** Returns the reason why a response is incomplete, or undefined if it is complete. */
function incompleteReason({ finish }: Reply): string | undefined {
	if (finish === 'stop' || finish === 'tool_calls') return undefined;
	return finish === 'length' ? 'max_output_tokens' : finish;
}

/** Returns the response of `POST /v1/responses`, which is never streamed. */
export function responseAnswer({ model }: ChatInput, reply: Reply): Answer {
	const { id, promptTokens, completionTokens } = reply;
	const reason = incompleteReason(reply);
	const status = reason === undefined ? 'completed' : 'incomplete';
	const content = partsOf(reply);
	const message = { id: `msg_${id}`, type: 'message', status, role: 'assistant', content };
	const calls = reply.toolCalls.map(({ id: call_id, name, arguments: args }, index) => ({
		id: `fc_${id}${index}`,
		...{ type: 'function_call', status: 'completed', call_id, name, arguments: args },
	}));
	const whole = {
		...{ id: `resp_${id}`, object: 'response', created_at: CREATED, model, error: null, status },
		incomplete_details: reason === undefined ? null : { reason },
		output: [...(content.length > 0 ? [message] : []), ...calls],
		usage: {
			input_tokens: promptTokens,
			input_tokens_details: { cached_tokens: 0 },
			output_tokens: completionTokens,
			output_tokens_details: { reasoning_tokens: 0 },
			total_tokens: promptTokens + completionTokens,
		},
	};
	return json(200, whole, true);
}

/** Returns the parts of the message, which are none if the reply contains only tool calls. */
function partsOf({ text, refusal, toolCalls }: Reply): object[] {
	const refused = refusal === undefined ? [] : [{ type: 'refusal', refusal }];
	if (text === '' && (refused.length > 0 || toolCalls.length > 0)) return refused;
	return [{ type: 'output_text', text, annotations: [], logprobs: [] }, ...refused];
}
