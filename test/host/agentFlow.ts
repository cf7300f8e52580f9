import type { ScriptedReply } from '../emulator';
import { agent, openAiModel, rooted } from './aiNodes';
import { postOfText, type Item, type PostSettings } from './postFlow';
import type { Credential, Execution, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { given, manual, NODE_TYPE } from '../n8n/workflows';

/** A tool call of the model. */
export const call = (name: string, args: Item) => ({ name, arguments: args });

/** A node as an agent's tool. */
const asTool = (node: WorkflowNode): WorkflowNode => ({ ...node, type: `${NODE_TYPE}Tool` });

/** A description that tells the model what to fill in. */
export const fromAI = (key: string, description: string, type = 'string') =>
	`={{ $fromAI('${key}', '${description}', '${type}') }}`;

const DONE = { content: 'That is all.' };

/** An AI Agent of n8n with nodes of this package as tools, and a scripted model. */
export class AgentFlow {
	constructor(
		private readonly setup: Setup,
		/** The agents' model. */
		private readonly model: WorkflowNode,
		/** Settings of the workflows. */
		private readonly settings: Item = {},
	) {}

	/** Uses n8n's own model with the emulator, whose chat operations accept the App Secret as its key. */
	static async withOpenAi(setup: Setup, settings: Item = {}): Promise<AgentFlow> {
		const { url, appSecret } = setup.emulator;
		const data = { apiKey: appSecret, url: `${url}/v1` };
		const credential = { name: 'chat', type: 'openAiApi', data };
		const model = openAiModel(await setup.rest.createCredential(credential));
		return new AgentFlow(setup, model, settings);
	}

	/** Runs an agent whose model sends these replies in turn, and then a text. */
	async run(version: number, turns: ScriptedReply[], tools: WorkflowNode[]): Promise<Execution> {
		this.setup.emulator.scriptChat([...turns, DONE]);
		const workflow = rooted(manual(), agent(version), this.model, tools.map(asTool));
		const settings = { ...workflow.settings, ...this.settings };
		const { id } = await this.setup.rest.createWorkflow(
			given({ ...workflow, settings }, { chatInput: 'Post it' }),
		);
		return await this.setup.rest.run(id, 'Start');
	}
}

/** An agent that posts texts. */
export class PostingAgent {
	constructor(
		private readonly flow: AgentFlow,
		private readonly platform: Credential,
	) {}

	/** Runs an agent whose model posts these texts, turn by turn. */
	async run(version: number, turns: string[][], more: PostSettings = {}): Promise<Execution> {
		const parameters = { text: fromAI('text', 'Caption of the post'), ...more.parameters };
		const replies = turns.map((texts) => ({
			tool_calls: texts.map((text) => call('Post', { text })),
		}));
		return await this.flow.run(version, replies, [
			postOfText(this.platform, { ...more, parameters }),
		]);
	}
}
