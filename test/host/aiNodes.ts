import type { Item } from './postFlow';
import type { Credential, Workflow, WorkflowNode } from '../n8n/rest';
import { NODE_TYPE, reference, row } from '../n8n/workflows';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';

/** A root node with each item's `chatInput` as its prompt. */
const root =
	(name: string, type: string) =>
	(typeVersion: number, more: Item = {}): WorkflowNode => ({
		...{ name, type: `${LANGCHAIN}.${type}`, typeVersion },
		parameters: { promptType: 'define', text: '={{ $json.chatInput }}', ...more },
	});

/** An AI Agent. */
export const agent = root('Agent', 'agent');

/** A Basic LLM Chain. */
export const chain = root('Chain', 'chainLlm');

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
export const ownModel = (credential: Credential): WorkflowNode => ({
	name: 'Model',
	type: `${NODE_TYPE}ChatModel`,
	typeVersion: 1,
	credentials: reference(credential),
	parameters: { model: 'm1' },
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
	...others: WorkflowNode[]
): Workflow {
	const kind = ({ name }: WorkflowNode) => (name === 'Model' ? 'ai_languageModel' : 'ai_tool');
	const to = (type: string) => ({ [type]: [[{ node: root.name, type, index: 0 }]] });
	const connected = others.map((node) => [node.name, to(kind(node))] as const);
	return {
		...row('ai', trigger, root, ...others),
		connections: { [trigger.name]: to('main'), ...Object.fromEntries(connected) },
		settings: { executionOrder: 'v1', timezone: 'America/New_York' },
	};
}
