import { randomUUID } from 'node:crypto';
import { chatTrigger } from './aiNodes';
import { until } from './postFlow';
import type { Execution, Workflow, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';

/** What a chat that is answered piece by piece has heard. */
export interface Heard {
	/** The answer's pieces in the order in which they came. */
	pieces: string[];
	/** What came in place of a piece. */
	errors: string[];
	/** All of it, as it came. */
	raw: string;
	execution: Execution;
}

/** Something that is said in a public chat, with a file or without. */
export interface Said {
	chatInput: string;
	file?: File;
}

/** As n8n's chat page sends it. */
function formOf({ chatInput, file }: Said): FormData | string {
	const fields = { action: 'sendMessage', sessionId: randomUUID(), chatInput };
	if (!file) return JSON.stringify(fields);
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	form.set('files', file);
	return form;
}

/** Says something in a public chat, which is answered piece by piece. */
export class Talk {
	private readonly end = new AbortController();
	private readonly answer: Promise<string>;

	private constructor(
		private readonly setup: Setup,
		private readonly workflowId: string,
		webhookId: string,
		said: Said,
	) {
		const body = formOf(said);
		this.answer = fetch(`${setup.n8n.url}/webhook/${webhookId}/chat`, {
			method: 'POST',
			// Forms say themselves what they are.
			headers: typeof body === 'string' ? { 'content-type': 'application/json' } : {},
			body,
			signal: this.end.signal,
		}).then(async (response) => await response.text());
		this.answer.catch(() => {});
	}

	/** @param workflow what follows the trigger that it is given */
	static async begin(
		setup: Setup,
		workflow: (trigger: WorkflowNode) => Workflow,
		said: Said,
	): Promise<Talk> {
		const webhookId = randomUUID();
		const saved = await setup.rest.createWorkflow(workflow(chatTrigger(webhookId)));
		await setup.rest.activate(saved);
		return new Talk(setup, saved.id, webhookId, said);
	}

	async executionId(): Promise<string> {
		const { rest } = this.setup;
		let ids: string[] = [];
		await until(async () => (ids = await rest.executionIds(this.workflowId)).length > 0);
		return ids[0]!;
	}

	/** All that is heard until n8n hangs up. */
	async heard(): Promise<Heard> {
		const raw = await this.answer;
		const lines = raw.split('\n').filter(Boolean);
		const chunks = lines.map((line) => JSON.parse(line) as { type: string; content?: string });
		const contents = (type: string) =>
			chunks.filter((chunk) => chunk.type === type).map(({ content = '' }) => content);
		const execution = await this.setup.rest.finished(await this.executionId());
		return { pieces: contents('item'), errors: contents('error'), raw, execution };
	}

	/** Hears no more. */
	hangUp(): void {
		this.end.abort();
	}
}
