import type { IDataObject, INodeType } from 'n8n-workflow';
import { describeNode } from './passThrough.node';

/** LangChain represents a tool call in this form. */
export interface ToolCall {
	id?: string;
	name: string;
	args: IDataObject;
}

/** Tests read these fields of LangChain's messages and message chunks. */
export interface ModelMessage {
	text: string;
	content: unknown;
	tool_calls?: ToolCall[];
	usage_metadata?: Record<string, unknown>;
	response_metadata: Record<string, unknown>;
	concat(more: ModelMessage): ModelMessage;
}

/** n8n's AI nodes receive this model of LangChain. */
export interface Model {
	invoke(messages: unknown, options?: object): Promise<ModelMessage>;
	stream(messages: unknown, options?: object): Promise<AsyncIterable<ModelMessage>>;
	bindTools(tools: unknown[]): Model;
	toJSON(): unknown;
}

export type Task = (model: Model) => Promise<unknown>;

/** The node's parameter contains the name of a task. */
export const tasks = new Map<string, Task>();

/** This node runs the task of a test with the connected chat model. */
export const modelUser: INodeType = {
	description: describeNode('Model User', {
		inputs: ['main', { type: 'ai_languageModel', maxConnections: 1, required: true }],
		properties: [{ displayName: 'Task', name: 'task', type: 'string', default: '' }],
	}),
	async execute() {
		const model = (await this.getInputConnectionData('ai_languageModel', 0)) as Model;
		await tasks.get(this.getNodeParameter('task', 0) as string)!(model);
		return [this.getInputData()];
	},
};
