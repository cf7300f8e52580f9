import { randomUUID } from 'node:crypto';
import type { Item } from './postFlow';
import type { Credential, Workflow, WorkflowNode } from '../n8n/rest';
import { NODE_TYPE, reference } from '../n8n/workflows';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';

export const MODEL_TYPE = `${NODE_TYPE}ChatModel`;

/** An AI Agent with each item's `chatInput` as its prompt. */
export const agent = (typeVersion: number, options: Item = {}): WorkflowNode => ({
	name: 'Agent',
	type: `${LANGCHAIN}.agent`,
	typeVersion,
	parameters: { promptType: 'define', text: '={{ $json.chatInput }}', options },
});

/** A Basic LLM Chain with the same prompt. */
export const chain = (typeVersion: number): WorkflowNode => ({
	name: 'Chain',
	type: `${LANGCHAIN}.chainLlm`,
	typeVersion,
	parameters: { promptType: 'define', text: '={{ $json.chatInput }}' },
});

/** A public chat at `/webhook/<id>/chat`, which streams replies. */
export const chatTrigger = (webhookId: string): WorkflowNode => ({
	name: 'Chat Trigger',
	type: `${LANGCHAIN}.chatTrigger`,
	typeVersion: 1.3,
	webhookId,
	parameters: { public: true, mode: 'webhook', options: { responseMode: 'streaming' } },
});

/** A tool without side effects. */
export const calculator = (): WorkflowNode => ({
	name: 'Calculator',
	type: `${LANGCHAIN}.toolCalculator`,
	typeVersion: 1,
	parameters: {},
});

/** The chat model of this package. */
export const ownModel = (
	credential: Credential,
	options: Item = {},
	parameters: Item = {},
): WorkflowNode => ({
	name: 'Model',
	type: MODEL_TYPE,
	typeVersion: 1,
	credentials: reference(credential),
	parameters: { model: 'm1', ...parameters, options },
});

/** n8n's own model for public APIs with the same paths. */
export const openAiModel = (credential: Credential): WorkflowNode => ({
	name: 'Model',
	type: `${LANGCHAIN}.lmChatOpenAi`,
	typeVersion: 1.2,
	credentials: reference(credential),
	parameters: { model: { __rl: true, mode: 'id', value: 'm1' }, options: { maxRetries: 0 } },
});

/** A workflow of a trigger, a root node, and its sub-nodes: a model and tools. */
export function rooted(
	trigger: WorkflowNode,
	root: WorkflowNode,
	model: WorkflowNode,
	tools: WorkflowNode[] = [],
): Workflow {
	const to = (type: string) => ({ [type]: [[{ node: root.name, type, index: 0 }]] });
	return {
		name: 'ai',
		nodes: [trigger, root, model, ...tools].map((node, index) => ({
			id: randomUUID(),
			position: [index * 220, 0] as [number, number],
			...node,
		})),
		connections: {
			[trigger.name]: to('main'),
			[model.name]: to('ai_languageModel'),
			...Object.fromEntries(tools.map(({ name }) => [name, to('ai_tool')])),
		},
		settings: { executionOrder: 'v1' },
	};
}
