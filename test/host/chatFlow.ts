import type { FaultSpec, ReceivedRequest } from '../emulator';
import type { Item } from './postFlow';
import type { Credential, Execution, Workflow, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { given, manual, NODE_TYPE, reference, row } from '../n8n/workflows';

export interface ChatSettings {
	/** Values of the node's collection `options`. */
	options?: Item;
	/** Other parameters of the node. */
	parameters?: Item;
	/** Settings of the node: *Retry on Fail*, *On Error*. */
	settings?: Item;
}

/** What differs between the two chat operations. */
export interface ChatOperation {
	operation: 'complete' | 'respond';
	/** The emulator's name of the operation. */
	arrives: 'chatCompletions' | 'responses';
	/** Parameters that send each item's `text`. */
	asking: Item;
	/** The fields of the request for a text. */
	asked(text: string): Item;
	/** Parameters that send JSON, given as text or as an expression. */
	askingJson(json: string): Item;
	/** The list in the body of such a request. */
	askedJson(body: Item): unknown;
	/** The field of the request for Max Tokens. */
	maxTokens: string;
	/** The fields of a request for JSON. */
	format(format: Item, named?: Item): Item;
	/** The usage in a response. */
	usage: Item;
}

const textField = '={{ $json.text }}';

const usageOf = (prompt: string, completion: string): Item => ({
	[prompt]: expect.any(Number),
	[completion]: expect.any(Number),
	total_tokens: expect.any(Number),
});

export const complete: ChatOperation = {
	operation: 'complete',
	arrives: 'chatCompletions',
	asking: { messages: { message: [{ role: 'user', content: textField }] } },
	asked: (text) => ({ messages: [{ role: 'user', content: text }] }),
	askingJson: (messagesJson) => ({ specifyMessages: 'json', messagesJson }),
	askedJson: ({ messages }) => messages,
	maxTokens: 'max_tokens',
	format: (format, json_schema) => ({
		response_format: json_schema ? { ...format, json_schema } : format,
	}),
	usage: usageOf('prompt_tokens', 'completion_tokens'),
};

export const respond: ChatOperation = {
	operation: 'respond',
	arrives: 'responses',
	asking: { input: textField },
	asked: (text) => ({ input: text }),
	askingJson: (inputJson) => ({ specifyInput: 'json', inputJson }),
	askedJson: ({ input }) => input,
	maxTokens: 'max_output_tokens',
	format: (format, named) => ({ text: { format: { ...format, ...named } } }),
	usage: usageOf('input_tokens', 'output_tokens'),
};

/** A node with a chat operation, named `Chat`. */
export const chat = (
	credential: Credential,
	{ operation, asking }: ChatOperation,
	{ parameters = {}, options = {}, settings = {} }: ChatSettings = {},
): WorkflowNode => ({
	name: 'Chat',
	type: NODE_TYPE,
	typeVersion: 1,
	credentials: reference(credential),
	parameters: { resource: 'chat', operation, model: 'm1', ...asking, ...parameters, options },
	...settings,
});

/** A workflow that sends each item's `text` with a chat operation, and the requests that the platform gets. */
export class ChatFlow {
	constructor(
		private readonly setup: Setup,
		private readonly credential: Credential,
		readonly way: ChatOperation,
	) {}

	workflow(texts: string[], more: ChatSettings = {}): Workflow {
		const list = texts.map((text) => ({ text }));
		return given(row('chat', manual(), chat(this.credential, this.way, more)), ...list);
	}

	async run(texts: string[], more: ChatSettings = {}): Promise<Execution> {
		const { id } = await this.setup.rest.createWorkflow(this.workflow(texts, more));
		return await this.setup.rest.run(id, 'Start');
	}

	/** Adds a fault for the requests with a text, or for all requests. */
	fault(fault: FaultSpec, text?: string): void {
		const bodyHas = text === undefined ? undefined : JSON.stringify(text);
		this.setup.emulator.fault({ operation: this.way.arrives, bodyHas, ...fault });
	}

	received(): ReceivedRequest[] {
		return this.setup.emulator.received.filter(({ operation }) => operation === this.way.arrives);
	}

	/** The bodies of the requests in order of arrival. */
	bodies(): Item[] {
		return this.received().map(({ body }) => body as Item);
	}

	/** The items of an output of the node's last run. */
	items(execution: Execution, output = 0): Item[] {
		return (execution.runs.Chat?.at(-1)?.data?.main[output] ?? []).map(({ json }) => json);
	}
}
