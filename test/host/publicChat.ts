import { randomUUID } from 'node:crypto';
import { chatTrigger } from './aiNodes';
import { until } from './postFlow';
import type { Execution, Workflow, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';

/** A streamed reply of a public chat. */
export interface StreamedReply {
	/** The parts of the answer, in order. */
	pieces: string[];
	/** The errors that were sent instead of a part. */
	errors: string[];
	/** The raw response. */
	raw: string;
	execution: Execution;
}

/** A message in a public chat. */
export interface ChatMessage {
	chatInput: string;
	file?: File;
}

/** The request body of n8n's chat page. */
function formOf({ chatInput, file }: ChatMessage): FormData | string {
	const fields = { action: 'sendMessage', sessionId: randomUUID(), chatInput };
	if (!file) return JSON.stringify(fields);
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	form.set('files', file);
	return form;
}

/** A message in a public chat of n8n, which streams the reply. */
export class PublicChat {
	private readonly abort = new AbortController();
	private readonly response: Promise<string>;

	private constructor(
		private readonly setup: Setup,
		private readonly workflowId: string,
		webhookId: string,
		message: ChatMessage,
	) {
		const body = formOf(message);
		this.response = fetch(`${setup.n8n.url}/webhook/${webhookId}/chat`, {
			method: 'POST',
			// For a form, fetch sets the content type.
			headers: typeof body === 'string' ? { 'content-type': 'application/json' } : {},
			body,
			signal: this.abort.signal,
		}).then(async (response) => await response.text());
		this.response.catch(() => {});
	}

	/** @param workflow returns the workflow for a trigger */
	static async start(
		setup: Setup,
		workflow: (trigger: WorkflowNode) => Workflow,
		message: ChatMessage,
	): Promise<PublicChat> {
		const webhookId = randomUUID();
		const saved = await setup.rest.createWorkflow(workflow(chatTrigger(webhookId)));
		await setup.rest.activate(saved);
		return new PublicChat(setup, saved.id, webhookId, message);
	}

	async executionId(): Promise<string> {
		const { rest } = this.setup;
		let ids: string[] = [];
		await until(async () => (ids = await rest.executionIds(this.workflowId)).length > 0);
		return ids[0]!;
	}

	/** Waits for the end of the reply. */
	async reply(): Promise<StreamedReply> {
		const raw = await this.response;
		const lines = raw.split('\n').filter(Boolean);
		const chunks = lines.map((line) => JSON.parse(line) as { type: string; content?: string });
		const contents = (type: string) =>
			chunks.filter((chunk) => chunk.type === type).map(({ content = '' }) => content);
		const execution = await this.setup.rest.finished(await this.executionId());
		return { pieces: contents('item'), errors: contents('error'), raw, execution };
	}

	/** Closes the connection. */
	disconnect(): void {
		this.abort.abort();
	}
}
