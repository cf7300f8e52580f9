import type { IExecuteFunctions } from 'n8n-workflow';
import { whyIncomplete, type ChatJson, type ChatReply } from '../../protocol/chat';
import { apiError } from '../../transport/errors';
import { toJson } from '../../parameters/values';
import type { PreparedChat } from './chatFields';

const NOT_JSON = {
	message: 'The answer is not the JSON that was asked for',
	advice: 'Say in the messages what JSON is wanted, or give a schema.',
};

const ALL_THE_SAME =
	"What came stands in the details. With the option 'Allow Incomplete Answers' it goes on as an item.";

const FENCE = '```';

/** Some models wrap JSON in a code fence, as they would show it to people. */
function withoutFence(text: string): string {
	const trimmed = text.trim();
	if (!trimmed.startsWith(FENCE) || !trimmed.endsWith(FENCE)) return text;
	return trimmed.slice(FENCE.length, -FENCE.length).replace(/^json\b/, '');
}

/**
 * One item of what came.
 *
 * @throws NodeApiError when it is not a whole answer, unless that is allowed
 */
export function outputOf(
	this: IExecuteFunctions,
	itemIndex: number,
	{ options, isJson }: PreparedChat,
	{ reply, whole }: { reply: ChatReply; whole: ChatJson },
): object {
	const { text, finishReason, refusal, toolCalls, usage, model, id } = reply;
	const parsed: unknown = isJson ? toJson(withoutFence(text)) : undefined;
	const hasJson = typeof parsed === 'object' && parsed !== null;
	const isAsked = !isJson || hasJson || toolCalls.length > 0;
	const flaw = whyIncomplete(reply) ?? (isAsked ? undefined : NOT_JSON);
	const output = {
		text,
		...(hasJson && { json: parsed }),
		finish_reason: finishReason,
		...(toolCalls.length > 0 && { tool_calls: toolCalls }),
		...(refusal && { refusal }),
		...(flaw && options.allowIncomplete && { note: flaw.message }),
		...{ usage, model, id },
		...(options.fullResponse && { response: whole }),
	};
	if (!flaw || options.allowIncomplete) return output;
	throw apiError(this.getNode(), itemIndex, {
		message: flaw.message,
		description: `${flaw.advice} ${ALL_THE_SAME}`,
		facts: { outcome: 'incomplete', ...output },
	});
}
