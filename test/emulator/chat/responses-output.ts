import type { Reply } from './reply';

export type Part =
	| { type: 'output_text'; text: string; annotations: []; logprobs: [] }
	| { type: 'refusal'; refusal: string };

interface MessageItem {
	id: string;
	type: 'message';
	status: string;
	role: 'assistant';
	content: Part[];
}

interface CallItem {
	id: string;
	type: 'function_call';
	status: string;
	call_id: string;
	name: string;
	arguments: string;
}

export type OutputItem = MessageItem | CallItem;

/** Returns the reason why a response is incomplete, or undefined if it is complete. */
export function incompleteReason({ finish }: Reply): string | undefined {
	if (finish === 'stop' || finish === 'tool_calls') return undefined;
	return finish === 'length' ? 'max_output_tokens' : finish;
}

/** Returns the output of a response: a message, if it is not empty, and the tool calls. */
export function outputOf(reply: Reply): OutputItem[] {
	const content = partsOf(reply);
	const message: MessageItem = {
		id: `msg_${reply.id}`,
		type: 'message',
		status: incompleteReason(reply) === undefined ? 'completed' : 'incomplete',
		role: 'assistant',
		content,
	};
	const calls = reply.toolCalls.map(({ id, name, arguments: args }, index): CallItem => ({
		id: `fc_${reply.id}${index}`,
		type: 'function_call',
		status: 'completed',
		call_id: id,
		name,
		arguments: args,
	}));
	return [...(content.length > 0 ? [message] : []), ...calls];
}

function partsOf({ text, refusal, toolCalls }: Reply): Part[] {
	const refused: Part[] = refusal === undefined ? [] : [{ type: 'refusal', refusal }];
	if (text === '' && (refused.length > 0 || toolCalls.length > 0)) return refused;
	return [{ type: 'output_text', text, annotations: [], logprobs: [] }, ...refused];
}
