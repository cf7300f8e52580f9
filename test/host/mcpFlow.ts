import { randomUUID } from 'node:crypto';
import { fromAI } from './agentFlow';
import { postOfText, type Item } from './postFlow';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { NODE_TYPE } from '../n8n/workflows';

/** A client of a workflow in which n8n's MCP Server Trigger offers the node as a tool. */
export class McpFlow {
	private constructor(
		private readonly url: string,
		private readonly session: string,
	) {}

	/** Publishes the workflow, and connects to it. */
	static async active(setup: Setup, credential: Credential, options: Item): Promise<McpFlow> {
		const path = randomUUID();
		const tool = postOfText(credential, {
			parameters: { text: fromAI('text', 'Caption') },
			options,
		});
		const trigger = {
			name: 'MCP Server Trigger',
			type: '@n8n/n8n-nodes-langchain.mcpTrigger',
			typeVersion: 2,
			webhookId: path,
			parameters: { path },
		};
		const workflow = await setup.rest.createWorkflow({
			name: 'mcp',
			nodes: [trigger, { ...tool, type: `${NODE_TYPE}Tool` }].map((node, index) => ({
				...{ id: randomUUID(), position: [index * 220, 0] as [number, number] },
				...node,
			})),
			connections: { Post: { ai_tool: [[{ node: trigger.name, type: 'ai_tool', index: 0 }]] } },
			settings: { executionOrder: 'v1' },
		});
		await setup.rest.activate(workflow);
		const url = `${setup.n8n.url}/mcp/${path}`;
		const clientInfo = { name: 'test', version: '1' };
		const hello = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo };
		const { headers } = await request(url, '', 'initialize', hello);
		return new McpFlow(url, headers.get('mcp-session-id')!);
	}

	/** Calls the tool, and returns its result as the client's model receives it. */
	async call(args: Item): Promise<string> {
		const response = await request(this.url, this.session, 'tools/call', {
			...{ name: 'Post', arguments: args },
		});
		return await response.text();
	}
}

async function request(url: string, session: string, method: string, params: Item) {
	return await fetch(url, {
		method: 'POST',
		headers: {
			...{ 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
			...(session && { 'mcp-session-id': session }),
		},
		body: JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params }),
	});
}
