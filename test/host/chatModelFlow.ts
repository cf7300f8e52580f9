import type { FaultSpec, ReceivedRequest } from '../emulator';
import { agent, chain, ownModel, rooted } from './aiNodes';
import type { Item } from './postFlow';
import type { Credential, Execution, NodeRun, Workflow, WorkflowNode } from '../n8n/rest';
import type { Stage } from '../n8n/stage';
import { Talk, type Heard, type Said } from './talk';
import { manual } from '../n8n/workflows';

/** A root node of n8n that has our chat model as its sub-node, and what arrives at the platform. */

export interface ModelSettings {
	/** Entries of the model's collection `options`. */
	options?: Item;
	/** Other parameters of the model. */
	parameters?: Item;
	/** The root's tools. */
	tools?: WorkflowNode[];
	/** Files that come with what is asked by hand. */
	binary?: Item;
}

/** The roots of which n8n asks a model in ways of their own. */
export const roots = {
	'AI Agent 3.1': () => agent(3.1),
	'AI Agent 2.2': () => agent(2.2),
	'Basic LLM Chain': () => chain(1.9),
};

/** Those that call tools and answer piece by piece. */
export const agents = [agent(3.1), agent(2.2)];

/** What n8n keeps of one request of a sub-node. */
export interface ModelRun extends NodeRun {
	inputOverride?: { ai_languageModel?: Array<Array<{ json: Item }>> };
	data?: NodeRun['data'] & { ai_languageModel?: Array<Array<{ json: Item }>> };
}

export class ChatModelFlow {
	/** All that chats have heard, as it came. */
	readonly heard: string[] = [];

	constructor(
		private readonly stage: Stage,
		private readonly credential: Credential,
	) {}

	/** Asks the root by hand. */
	async run(root: WorkflowNode, chatInput: string, more: ModelSettings = {}): Promise<Execution> {
		return await this.stage.rest.finished(await this.start(root, chatInput, more));
	}

	/** The same, by the execution's id; it goes on meanwhile. */
	async start(root: WorkflowNode, chatInput: string, more: ModelSettings = {}): Promise<string> {
		const { binary } = more;
		const pinData = { Start: [{ json: { chatInput }, ...(binary && { binary }) }] };
		const workflow = { ...this.workflow(manual(), root, more), pinData };
		const { id } = await this.stage.rest.createWorkflow(workflow);
		return await this.stage.rest.start(id, 'Start');
	}

	/** Asks the root in a public chat, which it answers piece by piece. */
	async talk(root: WorkflowNode, said: Said | string, more: ModelSettings = {}): Promise<Heard> {
		const heard = await (await this.begin(root, said, more)).heard();
		this.heard.push(heard.raw);
		return heard;
	}

	/** The same; it goes on meanwhile. */
	async begin(root: WorkflowNode, said: Said | string, more: ModelSettings = {}): Promise<Talk> {
		const whole = typeof said === 'string' ? { chatInput: said } : said;
		return await Talk.begin(this.stage, (trigger) => this.workflow(trigger, root, more), whole);
	}

	/** Lets a fault strike the next requests. */
	strike(fault: FaultSpec): void {
		this.stage.emulator.fault({ operation: 'chatCompletions', ...fault });
	}

	received(): ReceivedRequest[] {
		return this.stage.emulator.received.filter(({ operation }) => operation === 'chatCompletions');
	}

	/** The bodies of the requests in the order of their arrival. */
	bodies(): Item[] {
		return this.received().map(({ body }) => body as Item);
	}

	/** What the model has been told of its calls, in the order of the calls. */
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

/** What a root node says in the end. */
export function answer({ runs }: Execution, root: WorkflowNode): unknown {
	const { output, text } = runs[root.name]?.at(-1)?.data?.main[0]?.[0]?.json ?? {};
	return output ?? text;
}

/** What n8n keeps of the model's requests: what went in, and what came out. */
export const modelRuns = ({ runs }: Execution): Array<{ input?: Item; output?: Item }> =>
	((runs.Model ?? []) as ModelRun[]).map(({ inputOverride, data }) => ({
		input: inputOverride?.ai_languageModel?.[0]?.[0]?.json,
		output: data?.ai_languageModel?.[0]?.[0]?.json,
	}));
