import type { IDataObject } from 'n8n-workflow';
import type { Platform } from './platform';

/** The differences between the two chat operations, for tests of both. */
export interface ChatWay {
	operation: 'complete' | 'respond';
	/** The emulator's name of the operation. */
	arrives: 'chatCompletions' | 'responses';
	path: string;
	/** Parameters that send a text or an expression. */
	asking: (text: string) => IDataObject;
	/** The part of the request body that contains it. */
	asked: (text: string) => IDataObject;
	/** The text that a request sends. */
	askedIn: (body: unknown) => string;
}

type Completion = { messages: Array<{ content: string }> };

export const complete: ChatWay = {
	operation: 'complete',
	arrives: 'chatCompletions',
	path: '/v1/chat/completions',
	asking: (content) => ({ messages: { message: [{ role: 'user', content }] } }),
	asked: (content) => ({ messages: [{ role: 'user', content }] }),
	askedIn: (body) => (body as Completion).messages.at(-1)!.content,
};

export const respond: ChatWay = {
	operation: 'respond',
	arrives: 'responses',
	path: '/v1/responses',
	asking: (input) => ({ input }),
	asked: (input) => ({ input }),
	askedIn: (body) => (body as { input: string }).input,
};

export const ways: ChatWay[] = [complete, respond];

/** Parameters of a node with a chat operation. */
export const chat = (
	{ operation, asking }: ChatWay,
	text = 'Hello',
	more: IDataObject = {},
): IDataObject => ({ resource: 'chat', operation, model: 'chat-large', ...asking(text), ...more });

/** The same with the text of each item. */
export const eachChat = (way: ChatWay, options: IDataObject = {}): IDataObject =>
	chat(way, '={{ $json.text }}', { options });

/** Chat requests that the emulator received, of both operations. */
export const chatsAt = ({ emulator }: Platform) =>
	emulator.received.filter(
		({ operation }) => operation === 'chatCompletions' || operation === 'responses',
	);

/** Their texts, in the order of arrival. */
export const askedAt = (platform: Platform, { askedIn }: ChatWay): string[] =>
	chatsAt(platform).map(({ body }) => askedIn(body));
