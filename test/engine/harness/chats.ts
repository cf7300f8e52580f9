import type { IDataObject } from 'n8n-workflow';
import type { Platform } from './platform';

/** What tells the two chat operations apart, for tests that hold for both. */
export interface ChatWay {
	operation: 'complete' | 'respond';
	/** What the emulator calls it. */
	arrives: 'chatCompletions' | 'responses';
	path: string;
	/** Parameters that ask a text; an expression is one too. */
	asking: (text: string) => IDataObject;
	/** What of that goes over the wire. */
	asked: (text: string) => IDataObject;
	/** What a request asks. */
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

/** Parameters of a node that asks a chat operation. */
export const chat = (
	{ operation, asking }: ChatWay,
	text = 'Hello',
	more: IDataObject = {},
): IDataObject => ({ resource: 'chat', operation, model: 'chat-large', ...asking(text), ...more });

/** The same for each item's text. */
export const eachChat = (way: ChatWay, options: IDataObject = {}): IDataObject =>
	chat(way, '={{ $json.text }}', { options });

/** Chat requests that the emulator received, of both operations. */
export const chatsAt = ({ emulator }: Platform) =>
	emulator.received.filter(
		({ operation }) => operation === 'chatCompletions' || operation === 'responses',
	);

/** What they asked, in the order in which they came. */
export const askedAt = (platform: Platform, { askedIn }: ChatWay): string[] =>
	chatsAt(platform).map(({ body }) => askedIn(body));
