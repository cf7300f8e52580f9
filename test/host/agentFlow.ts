import { randomUUID } from 'node:crypto';
import type { ScriptedReply } from '../emulator';
import { agent, openAiModel, rooted } from './aiNodes';
import type { Item } from './postFlow';
import type { Credential, Execution, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { given, manual, NODE_TYPE, row } from '../n8n/workflows';

/** A turn of the model with calls of one tool. */
export const turn = (name: string, ...calls: Item[]): ScriptedReply => ({
	tool_calls: calls.map((args) => ({ name, arguments: args })),
});

/** A node as an agent's tool. */
const asTool = (node: WorkflowNode): WorkflowNode => ({ ...node, type: `${NODE_TYPE}Tool` });

/** A description that tells the model what to fill in. */
export const fromAI = (key: string, description: string, type = 'string') =>
	`={{ $fromAI('${key}', '${description}', '${type}') }}`;

const DONE = { content: 'That is all.' };

/** A credential for n8n's own model with the emulator, whose chat operations accept the App Secret as its key. */
export async function openAi({ emulator, rest }: Setup): Promise<Credential> {
	const data = { apiKey: emulator.appSecret, url: `${emulator.url}/v1` };
	return await rest.createCredential({ name: 'chat', type: 'openAiApi', data });
}

/** Runs an agent with these tools, whose model sends these replies in turn, and then a text. */
export async function runAgent(
	{ emulator, rest }: Setup,
	version: number,
	model: Credential,
	turns: ScriptedReply[],
	tools: WorkflowNode[],
): Promise<Execution> {
	emulator.scriptChat([...turns, DONE]);
	const nodes = [openAiModel(model), ...tools.map(asTool)];
	const workflow = rooted(manual(), agent(version), ...nodes);
	const { id } = await rest.createWorkflow(given(workflow, { chatInput: 'Post it' }));
	return await rest.run(id, 'Start');
}

/**
 * Publishes a workflow in which n8n's MCP Server Trigger offers a node as a tool, and calls the tool.
 *
 * @returns the results as the client's model receives them
 */
export async function callByMcp({ rest, n8n }: Setup, tool: WorkflowNode, ...calls: Item[]) {
	const path = randomUUID();
	const trigger: WorkflowNode = {
		name: 'MCP',
		type: '@n8n/n8n-nodes-langchain.mcpTrigger',
		typeVersion: 2,
		webhookId: path,
		parameters: { path },
	};
	const connections = { [tool.name]: { ai_tool: [[{ node: 'MCP', type: 'ai_tool', index: 0 }]] } };
	const workflow = { ...row('mcp', trigger, asTool(tool)), connections };
	await rest.activate(await rest.createWorkflow(workflow));
	const headers = new Headers({
		'Content-Type': 'application/json',
		Accept: 'application/json, text/event-stream',
	});
	const request = async (method: string, params: Item) =>
		await fetch(`${n8n.url}/mcp/${path}`, {
			method: 'POST',
			headers,
			body: JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params }),
		});
	const clientInfo = { name: 'test', version: '1' };
	const hello = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
	const { headers: session } = await request('initialize', hello);
	headers.set('mcp-session-id', session.get('mcp-session-id')!);
	const results: string[] = [];
	for (const args of calls) {
		const response = await request('tools/call', { name: tool.name, arguments: args });
		results.push(await response.text());
	}
	return results;
}
