import type { FaultSpec, ReceivedRequest } from '../emulator';
import { agent, chain, ownModel, rooted } from './aiNodes';
import type { Item } from './postFlow';
import type { Credential, Execution, NodeRun, Workflow, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { PublicChat, type ChatMessage, type StreamedReply } from './publicChat';
import { manual } from '../n8n/workflows';

export interface ModelSettings {
	/** Values of the model's collection `options`. */
	options?: Item;
	/** Other parameters of the model. */
	parameters?: Item;
	/** The root's tools. */
	tools?: WorkflowNode[];
	/** Files of the input item of a manual execution. */
	binary?: Item;
}

/** Root nodes, which use a model in different ways. */
export const roots = {
	'AI Agent 3.1': () => agent(3.1),
	'AI Agent 2.2': () => agent(2.2),
	'Basic LLM Chain': () => chain(1.9),
};

/** Root nodes that call tools and stream. */
export const agents = [agent(3.1), agent(2.2)];

/** One request of a sub-node, as n8n stores it. */
export interface ModelRun extends NodeRun {
	inputOverride?: { ai_languageModel?: Array<Array<{ json: Item }>> };
	data?: NodeRun['data'] & { ai_languageModel?: Array<Array<{ json: Item }>> };
}

/** A root node of n8n with the chat model of this package, and the requests that the platform gets. */
export class ChatModelFlow {
	/** The raw responses of all public chats. */
	readonly responses: string[] = [];

	constructor(
		private readonly setup: Setup,
		private readonly credential: Credential,
	) {}

	/** Runs the root node manually. */
	async run(root: WorkflowNode, chatInput: string, more: ModelSettings = {}): Promise<Execution> {
		return await this.setup.rest.finished(await this.start(root, chatInput, more));
	}

	/** Starts the root node manually. @returns the ID of the execution, which may still run */
	async start(root: WorkflowNode, chatInput: string, more: ModelSettings = {}): Promise<string> {
		const { binary } = more;
		const pinData = { Start: [{ json: { chatInput }, ...(binary && { binary }) }] };
		const workflow = { ...this.workflow(manual(), root, more), pinData };
		const { id } = await this.setup.rest.createWorkflow(workflow);
		return await this.setup.rest.start(id, 'Start');
	}

	/** Sends a message to the root node in a public chat, which streams the reply. */
	async chat(
		root: WorkflowNode,
		message: ChatMessage | string,
		more: ModelSettings = {},
	): Promise<StreamedReply> {
		const reply = await (await this.startChat(root, message, more)).reply();
		this.responses.push(reply.raw);
		return reply;
	}

	/** Sends a message in a public chat, and does not wait for the reply. */
	async startChat(
		root: WorkflowNode,
		text: ChatMessage | string,
		more: ModelSettings = {},
	): Promise<PublicChat> {
		const message = typeof text === 'string' ? { chatInput: text } : text;
		return await PublicChat.start(
			this.setup,
			(trigger) => this.workflow(trigger, root, more),
			message,
		);
	}

	/** Adds a fault for the next requests. */
	fault(fault: FaultSpec): void {
		this.setup.emulator.fault({ operation: 'chatCompletions', ...fault });
	}

	received(): ReceivedRequest[] {
		return this.setup.emulator.received.filter(({ operation }) => operation === 'chatCompletions');
	}

	/** The bodies of the requests in order of arrival. */
	bodies(): Item[] {
		return this.received().map(({ body }) => body as Item);
	}

	/** The results of the model's tool calls, in the order of the calls. */
	results(): string[] {
		const { messages = [] } = (this.bodies().at(-1) ?? {}) as {
			messages?: Array<{ role: string; content: string }>;
		};
		return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
	}

	private workflow(trigger: WorkflowNode, root: WorkflowNode, more: ModelSettings): Workflow {
		const model = ownModel(this.credential, more.options, more.parameters);
		return rooted(trigger, root, model, more.tools);
	}
}

/** The reply in the output of a root node. */
export function answer({ runs }: Execution, root: WorkflowNode): unknown {
	const { output, text } = runs[root.name]?.at(-1)?.data?.main[0]?.[0]?.json ?? {};
	return output ?? text;
}

/** Input and output of the model, as n8n stores them. */
export const modelRuns = ({ runs }: Execution): Array<{ input?: Item; output?: Item }> =>
	((runs.Model ?? []) as ModelRun[]).map(({ inputOverride, data }) => ({
		input: inputOverride?.ai_languageModel?.[0]?.[0]?.json,
		output: data?.ai_languageModel?.[0]?.[0]?.json,
	}));
