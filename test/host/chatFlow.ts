import type { FaultSpec } from '../emulator';
import { textField, type Item, type PostSettings } from './postFlow';
import type { Credential, Execution, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { given, manual, NODE_TYPE, reference, row } from '../n8n/workflows';

/** What differs between the two chat operations. */
export interface ChatOperation {
	operation: 'complete' | 'respond';
	/** The emulator's name of the operation. */
	arrives: 'chatCompletions' | 'responses';
	/** Parameters that send a text or an expression. */
	asking: (text: string) => Item;
	/** Parameters that send JSON, given as text or as an expression. */
	askingJson: (json: string) => Item;
	/** The fields of the request for a text. */
	asked: (text: string) => Item;
}

export const complete: ChatOperation = {
	operation: 'complete',
	arrives: 'chatCompletions',
	asking: (content) => ({ messages: { message: [{ role: 'user', content }] } }),
	askingJson: (messagesJson) => ({ specifyMessages: 'json', messagesJson }),
	asked: (content) => ({ messages: [{ role: 'user', content }] }),
};

export const respond: ChatOperation = {
	operation: 'respond',
	arrives: 'responses',
	asking: (input) => ({ input }),
	askingJson: (input) => ({ input }),
	asked: (input) => ({ input }),
};

/** A node with a chat operation, named `Chat`, that sends each item's `text`. */
export const chat = (
	credential: Credential,
	{ operation, asking }: ChatOperation,
	{ parameters, options = {}, settings }: PostSettings = {},
): WorkflowNode => ({
	...{ name: 'Chat', type: NODE_TYPE, typeVersion: 1, credentials: reference(credential) },
	parameters: {
		...{ resource: 'chat', operation, model: 'm1', options },
		...asking(textField),
		...parameters,
	},
	...settings,
});

/** A workflow that sends each item's `text` with a chat operation, and the requests that the platform gets. */
export class ChatFlow {
	constructor(
		private readonly setup: Setup,
		private readonly credential: Credential,
		private readonly way: ChatOperation,
	) {}

	/** Starts the workflow. @returns the ID of the execution, which may still run */
	async start(texts: string[], more?: PostSettings): Promise<string> {
		const workflow = row('chat', manual(), chat(this.credential, this.way, more));
		const list = texts.map((text) => ({ text }));
		const { id } = await this.setup.rest.createWorkflow(given(workflow, ...list));
		return await this.setup.rest.start(id, 'Start');
	}

	async run(texts: string[], more?: PostSettings): Promise<Execution> {
		return await this.setup.rest.finished(await this.start(texts, more));
	}

	/** Adds a fault for the requests with a text, or for all requests. */
	fault(fault: FaultSpec, text?: string): void {
		const bodyHas = text && JSON.stringify(text);
		this.setup.emulator.fault({ operation: this.way.arrives, bodyHas, ...fault });
	}
}
