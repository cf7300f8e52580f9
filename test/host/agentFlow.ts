import { randomUUID } from 'node:crypto';
import { postOfText, type Item, type PostSettings } from './postFlow';
import type { Credential, Execution, WorkflowNode } from './rest';
import type { Stage } from './stage';
import { given, manual, NODE_TYPE, reference } from './workflows';

/** An AI Agent of n8n that has the node Post as its tool, and a model that follows a script. */

/** A call of the tool by the model. */
export const call = (text: string) => ({ name: 'Post', arguments: { text } });

const DONE = { content: 'That is all.' };

type Message = { role: string; content: string };

export class AgentFlow {
	constructor(
		private readonly stage: Stage,
		private readonly platform: Credential,
		private readonly chat: Credential,
	) {}

	/** Chat operations of the emulator take the app secret as their key. */
	static async set(stage: Stage, platform: Credential): Promise<AgentFlow> {
		const { url, appSecret } = stage.emulator;
		const data = { apiKey: appSecret, url: `${url}/v1` };
		const credential = { name: 'chat', type: 'openAiApi', data };
		return new AgentFlow(stage, platform, await stage.rest.createCredential(credential));
	}

	/** Lets the model call the tool, turn by turn, and then say something. */
	async run(version: number, turns: string[][], more: PostSettings = {}): Promise<Execution> {
		const replies = turns.map((texts) => ({ tool_calls: texts.map(call) }));
		this.stage.emulator.scriptChat([...replies, DONE]);
		const { id } = await this.stage.rest.createWorkflow(this.workflow(version, more));
		return await this.stage.rest.run(id, 'Start');
	}

	/** What the model has been told of each call, in the order of the calls. */
	results(): string[] {
		const requests = this.stage.emulator.received.filter(
			({ operation }) => operation === 'chatCompletions',
		);
		const { messages = [] } = (requests.at(-1)?.body ?? {}) as { messages?: Message[] };
		return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
	}

	/** The same where they are the item that the node put out. */
	itemsTold(): Item[] {
		return this.results().map((text) => {
			const told = JSON.parse(text) as Item | Item[];
			return Array.isArray(told) ? told[0]! : told;
		});
	}

	private workflow(version: number, more: PostSettings) {
		const text = "={{ $fromAI('text', 'Caption of the post', 'string') }}";
		const parameters = { text, ...more.parameters };
		const agent: WorkflowNode = {
			name: 'Agent',
			type: '@n8n/n8n-nodes-langchain.agent',
			typeVersion: version,
			parameters: { promptType: 'define', text: '={{ $json.wish }}', options: {} },
		};
		const model: WorkflowNode = {
			name: 'Model',
			type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
			typeVersion: 1.2,
			credentials: reference(this.chat),
			parameters: { model: { __rl: true, mode: 'id', value: 'm1' }, options: { maxRetries: 0 } },
		};
		const tool = {
			...postOfText(this.platform, { ...more, parameters }),
			type: `${NODE_TYPE}Tool`,
		};
		const nodes = [manual(), agent, model, tool].map((node, index) => ({
			id: randomUUID(),
			position: [index * 220, 0] as [number, number],
			...node,
		}));
		const to = (type: string) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
		const connections = {
			Start: to('main'),
			Model: to('ai_languageModel'),
			Post: to('ai_tool'),
		};
		const settings = { executionOrder: 'v1' };
		return given({ name: 'agent', nodes, connections, settings }, { wish: 'Post it' });
	}
}
