import type { FaultSpec } from '../emulator';
import { textField, type Item } from './postFlow';
import type { Credential, Execution } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { given, manual, post, row } from '../n8n/workflows';

/** The parameters with which the two chat operations send each item's `text`. */
export const complete: Item = {
	operation: 'complete',
	messages: { message: [{ role: 'user', content: textField }] },
};
export const respond: Item = { operation: 'respond', input: textField };

/** A workflow that sends each item's `text` with a chat operation, and the requests that the platform gets. */
export class ChatFlow {
	constructor(
		private readonly setup: Setup,
		private readonly credential: Credential,
		private readonly parameters: Item,
	) {}

	/** Starts the workflow. @returns the ID of the execution, which may still run */
	async start(texts: string[], settings: Item = {}): Promise<string> {
		const parameters = { resource: 'chat', model: 'm1', ...this.parameters };
		const chat = post(this.credential, parameters, settings);
		const list = texts.map((text) => ({ text }));
		const workflow = given(row('chat', manual(), chat), ...list);
		const { id } = await this.setup.rest.createWorkflow(workflow);
		return await this.setup.rest.start(id, 'Start');
	}

	async run(texts: string[], settings?: Item): Promise<Execution> {
		return await this.setup.rest.finished(await this.start(texts, settings));
	}

	/** Adds a fault for the requests with a text. */
	fault(fault: FaultSpec, text: string): void {
		this.setup.emulator.fault({ bodyHas: JSON.stringify(text), ...fault });
	}
}
