import { chatRefused, type Answer } from '../answer';
import { bearer } from '../token-check';
import { completionAnswer } from './completions';
import { readCompletions } from './completions-request';
import { replyTo } from './reply';
import { responseAnswer } from './responses';
import { readResponses } from './responses-request';
import type { ChatScript } from './script';

/**
 * The two chat operations (platform interface, Chat operations), authorised by the application
 * secret as a bearer (contract: how the secret travels in chat operations).
 */
export function answerChat(
	operation: 'chatCompletions' | 'responses',
	headers: Record<string, string>,
	body: Record<string, unknown>,
	{ appSecret, script }: { appSecret: string; script: ChatScript },
): Answer {
	if (bearer(headers) !== appSecret) {
		return chatRefused(401, 'Incorrect API key provided.', 'invalid_api_key');
	}
	const input = operation === 'responses' ? readResponses(body) : readCompletions(body);
	if (typeof input === 'string') return chatRefused(400, input, null);
	const reply = replyTo(input, script.next());
	if (operation === 'responses') return responseAnswer(input, reply);
	const { include_usage: usage } = (body.stream_options ?? {}) as { include_usage?: boolean };
	return completionAnswer(input, reply, usage === true);
}
