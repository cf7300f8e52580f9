import type { IDataObject } from 'n8n-workflow';
import type { Platform } from './platform';

/** The two chat operations differ in these values, so that tests can run with both. */
export interface ChatOperationCase {
	operation: 'complete' | 'respond';
	path: string;
	/** Returns the parameters that send a text or an expression. */
	parametersFor: (text: string) => IDataObject;
}

export const complete: ChatOperationCase = {
	operation: 'complete',
	path: '/v1/chat/completions',
	parametersFor: (content) => ({ messages: { message: [{ role: 'user', content }] } }),
};

export const respond: ChatOperationCase = {
	operation: 'respond',
	path: '/v1/responses',
	parametersFor: (input) => ({ input }),
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

export const TOKEN = 'token-that-is-stored-0123456789';

/** Expects that a text contains neither the App Secret nor the token, in any spelling. */
export function expectNoSecretIn({ emulator }: Platform, text: string): void {
	for (const hidden of [emulator.appSecret, TOKEN]) {
		expect(text).not.toContain(hidden);
		expect(text).not.toContain(Buffer.from(hidden).toString('base64').replace(/=+$/, ''));
		expect(text).not.toContain(encodeURIComponent(`Bearer ${hidden}`));
	}
}
