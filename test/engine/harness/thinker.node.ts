import type { IDataObject, INodeType } from 'n8n-workflow';

/** A call of a tool, as LangChain has it. */
export interface ToolCall {
	id?: string;
	name: string;
	args: IDataObject;
}

/** The fields of LangChain's messages and message chunks that tests read. */
export interface Said {
	text: string;
	content: unknown;
	tool_calls?: ToolCall[];
	usage_metadata?: Record<string, unknown>;
	response_metadata: Record<string, unknown>;
	concat(more: Said): Said;
}

/** The LangChain chat model that n8n's AI nodes receive. */
export interface Model {
	invoke(messages: unknown, options?: object): Promise<Said>;
	stream(messages: unknown, options?: object): Promise<AsyncIterable<Said>>;
	bindTools(tools: unknown[]): Model;
	toJSON(): unknown;
}

/** A task with the model. */
export type Thought = (model: Model) => Promise<unknown>;

/** The tasks, by the name in the node's parameter. */
export const thoughts = new Map<string, Thought>();

/** Runs the task of a test with the connected chat model. */
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
