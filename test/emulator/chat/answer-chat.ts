import type { Answer } from '../answer';
import type { Settings } from '../options';
import type { ReceivedRequest } from '../request-record';
import { carriesSecret } from './carries-secret';
import { chatRefused } from './chat-refused';
import { completionAnswer } from './completions';
import { replyTo } from './reply';
import { readCompletions, readResponses } from './request';
import { responseAnswer } from './responses';
import type { ChatScript } from './script';

/**
 * Handles the two chat operations (platform interface, Chat operations). Their requests are authorized by
 * the application secret (contract: how the secret travels in chat operations).
 */
export function answerChat(
	operation: 'chatCompletions' | 'responses',
	{ headers, rawBody }: Pick<ReceivedRequest, 'headers' | 'rawBody'>,
	body: Record<string, unknown> | undefined,
	{ settings, script }: { settings: Settings; script: ChatScript },
): Answer {
	if (!carriesSecret(headers, settings)) return chatRefused(401);
	if (!body) {
		return chatRefused(400, { message: 'We could not parse the JSON body of your request.' });
	}
	const input = operation === 'responses' ? readResponses(body) : readCompletions(body);
	if (typeof input === 'string') return chatRefused(400, { message: input });
	const reply = replyTo(input, script.next(rawBody));
	return operation === 'responses' ? responseAnswer(input, reply) : completionAnswer(input, reply);
}
