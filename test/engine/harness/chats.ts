import type { IDataObject } from 'n8n-workflow';
import type { Platform } from './platform';

/** The two chat operations differ in these values, so that tests can run with both. */
export interface ChatOperationCase {
	operation: 'complete' | 'respond';
	/** The emulator uses this name. */
	emulatorName: 'chatCompletions' | 'responses';
	path: string;
	/** Returns the parameters that send a text or an expression. */
	parametersFor: (text: string) => IDataObject;
	/** Returns the part of the request body that contains a text. */
	bodyFor: (text: string) => IDataObject;
	/** Returns the text in a request body. */
	textIn: (body: unknown) => string;
}

type Completion = { messages: Array<{ content: string }> };

export const complete: ChatOperationCase = {
	operation: 'complete',
	emulatorName: 'chatCompletions',
	path: '/v1/chat/completions',
	parametersFor: (content) => ({ messages: { message: [{ role: 'user', content }] } }),
	bodyFor: (content) => ({ messages: [{ role: 'user', content }] }),
	textIn: (body) => (body as Completion).messages.at(-1)!.content,
};

export const respond: ChatOperationCase = {
	operation: 'respond',
	emulatorName: 'responses',
	path: '/v1/responses',
	parametersFor: (input) => ({ input }),
	bodyFor: (input) => ({ input }),
	textIn: (body) => (body as { input: string }).input,
};

export const chatOperations: ChatOperationCase[] = [complete, respond];

/** Returns the parameters of a node with a chat operation. */
export const chat = (
	{ operation, parametersFor }: ChatOperationCase,
	text = 'Hello',
	more: IDataObject = {},
): IDataObject => ({
	resource: 'chat',
	operation,
	model: 'chat-large',
	...parametersFor(text),
	...more,
});

/** Returns the parameters of a node that sends the text of each item. */
export const eachChat = (
	chatOperation: ChatOperationCase,
	options: IDataObject = {},
): IDataObject => chat(chatOperation, '={{ $json.text }}', { options });

/** Returns the requests of both chat operations that the emulator received. */
export const chatsAt = ({ emulator }: Platform) =>
	emulator.received.filter(
		({ operation }) => operation === 'chatCompletions' || operation === 'responses',
	);

/** Returns the texts of these requests in the order of arrival. */
export const chatTextsAt = (platform: Platform, { textIn }: ChatOperationCase): string[] =>
	chatsAt(platform).map(({ body }) => textIn(body));

export const TOKEN = 'token-that-is-stored-0123456789';

/** Expects that a text contains neither the App Secret nor the token, in any spelling. */
export function expectNoSecretIn({ emulator }: Platform, text: string): void {
	for (const hidden of [emulator.appSecret, TOKEN]) {
		expect(text).not.toContain(hidden);
		expect(text).not.toContain(Buffer.from(hidden).toString('base64').replace(/=+$/, ''));
		expect(text).not.toContain(encodeURIComponent(`Bearer ${hidden}`));
	}
}
