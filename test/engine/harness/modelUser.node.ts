import type { IDataObject, INodeType } from 'n8n-workflow';

/** A tool call as LangChain represents it. */
export interface ToolCall {
	id?: string;
	name: string;
	args: IDataObject;
}

/** The fields of LangChain's messages and message chunks that tests read. */
export interface ModelMessage {
	text: string;
	content: unknown;
	tool_calls?: ToolCall[];
	usage_metadata?: Record<string, unknown>;
	response_metadata: Record<string, unknown>;
	concat(more: ModelMessage): ModelMessage;
}

/** The LangChain chat model that n8n's AI nodes receive. */
export interface Model {
	invoke(messages: unknown, options?: object): Promise<ModelMessage>;
	stream(messages: unknown, options?: object): Promise<AsyncIterable<ModelMessage>>;
	bindTools(tools: unknown[]): Model;
	toJSON(): unknown;
}

/** Code of a test that uses the model. */
export type Task = (model: Model) => Promise<unknown>;

/** The tasks by the name that the node's parameter contains. */
export const tasks = new Map<string, Task>();

/** A node that runs the task of a test with the connected chat model. */
export const modelUser: INodeType = {
	description: {
		displayName: 'Model User',
		name: 'modelUser',
		group: ['transform'],
		version: 1,
		description: 'Runs a task with its model',
		defaults: { name: 'Model User' },
		inputs: ['main', { type: 'ai_languageModel', maxConnections: 1, required: true }],
		outputs: ['main'],
		properties: [{ displayName: 'Task', name: 'task', type: 'string', default: '' }],
	},
	async execute() {
		const model = (await this.getInputConnectionData('ai_languageModel', 0)) as Model;
		await tasks.get(this.getNodeParameter('task', 0) as string)!(model);
		return [this.getInputData()];
	},
};
