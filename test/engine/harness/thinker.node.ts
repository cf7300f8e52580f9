import type { IDataObject, INodeType } from 'n8n-workflow';

/** A call of a tool, as LangChain has it. */
export interface ToolCall {
	id?: string;
	name: string;
	args: IDataObject;
}

/** LangChain's message, as far as tests look at it; a piece of one, too. */
export interface Said {
	text: string;
	content: unknown;
	tool_calls?: ToolCall[];
	usage_metadata?: Record<string, unknown>;
	response_metadata: Record<string, unknown>;
	concat(more: Said): Said;
}

/** What n8n's AI nodes get from a chat model's node: a chat model of LangChain. */
export interface Model {
	invoke(messages: unknown, options?: object): Promise<Said>;
	stream(messages: unknown, options?: object): Promise<AsyncIterable<Said>>;
	bindTools(tools: unknown[]): Model;
	toJSON(): unknown;
}

/** What is done with the model. */
export type Thought = (model: Model) => Promise<unknown>;

/** By a name that the node's parameter holds. */
export const thoughts = new Map<string, Thought>();

/** Does with the chat model under it what a test says. */
export const thinker: INodeType = {
	description: {
		displayName: 'Thinker',
		name: 'thinker',
		group: ['transform'],
		version: 1,
		description: 'Thinks with its model',
		defaults: { name: 'Thinker' },
		inputs: ['main', { type: 'ai_languageModel', maxConnections: 1, required: true }],
		outputs: ['main'],
		properties: [{ displayName: 'Thought', name: 'thought', type: 'string', default: '' }],
	},
	async execute() {
		const model = (await this.getInputConnectionData('ai_languageModel', 0)) as Model;
		await thoughts.get(this.getNodeParameter('thought', 0) as string)!(model);
		return [this.getInputData()];
	},
};
