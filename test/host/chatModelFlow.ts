import { randomUUID } from 'node:crypto';
import type { FaultSpec } from '../emulator';
import { chatTrigger, ownModel, rooted } from './aiNodes';
import type { Item } from './postFlow';
import type { Credential, Execution, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { manual } from '../n8n/workflows';

export interface ModelSettings {
	/** The root's tools, or its output parser. */
	tools?: WorkflowNode[];
	/** Files of the input item of a manual execution. */
	binary?: Item;
}

/** A root node of n8n with the chat model of this package, and the requests that the platform gets. */
export class ChatModelFlow {
	constructor(
		private readonly setup: Setup,
		private readonly credential: Credential,
	) {}

	/** Runs the root node manually. */
	async run(root: WorkflowNode, chatInput: string, more?: ModelSettings): Promise<Execution> {
		return await this.setup.rest.finished(await this.start(root, chatInput, more));
	}

	/** Starts the root node manually. @returns the ID of the execution, which may still run */
	async start(
		root: WorkflowNode,
		chatInput: string,
		{ tools = [], binary }: ModelSettings = {},
	): Promise<string> {
		const pinData = { Start: [{ json: { chatInput }, ...(binary && { binary }) }] };
		const workflow = { ...rooted(manual(), root, ownModel(this.credential), ...tools), pinData };
		const { id } = await this.setup.rest.createWorkflow(workflow);
		return await this.setup.rest.start(id, 'Start');
	}

	/**
	 * Sends a message to the root node in a public chat, which streams the reply.
	 *
	 * @returns the raw response, with the parts of the reply and the errors that it contains
	 */
	async chat(root: WorkflowNode, text: string, more?: ModelSettings) {
		const { response, id } = await this.startChat(root, text, more);
		const raw = await response;
		this.setup.shown.push(raw);
		const lines = raw.split('\n').filter(Boolean);
		const chunks = lines.map((line) => JSON.parse(line) as { type: string; content?: string });
		const contents = (type: string) =>
			chunks.filter((chunk) => chunk.type === type).map(({ content = '' }) => content);
		const execution = await this.setup.rest.finished(id);
		return { pieces: contents('item'), errors: contents('error'), raw, execution };
	}

	/** Sends a message in a public chat. @returns the ID of the execution, which may still run */
	async startChat(root: WorkflowNode, chatInput: string, { tools = [] }: ModelSettings = {}) {
		const { rest, n8n } = this.setup;
		const webhookId = randomUUID();
		const model = ownModel(this.credential);
		const saved = await rest.createWorkflow(rooted(chatTrigger(webhookId), root, model, ...tools));
		await rest.activate(saved);
		const response = fetch(`${n8n.url}/webhook/${webhookId}/chat`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ action: 'sendMessage', sessionId: randomUUID(), chatInput }),
		}).then(async (reply) => await reply.text());
		// Nothing reads the response of an execution that is stopped.
		response.catch(() => {});
		return { response, id: await rest.begun(saved.id) };
	}

	/** Adds a fault for the next requests. */
	fault(fault: FaultSpec): void {
		this.setup.emulator.fault({ operation: 'chatCompletions', ...fault });
	}
}

/** The reply in the output of a root node. */
export const answer = ({ runs }: Execution, root: WorkflowNode): unknown =>
	runs[root.name]?.at(-1)?.data?.main[0]?.[0]?.json.output;
