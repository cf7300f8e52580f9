import { randomUUID } from 'node:crypto';
import type { Credential, Execution, Rest, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { reference, row, TRIGGER_TYPE } from '../n8n/workflows';
import { outputOf, until, type Item } from './postFlow';

const nothing: WorkflowNode = {
	name: 'Next',
	type: 'n8n-nodes-base.noOp',
	typeVersion: 1,
	parameters: {},
};

export async function send(
	url: string,
	headers: Record<string, string>,
	body: string | Buffer | FormData,
): Promise<{ status: number; body: string }> {
	const signal = AbortSignal.timeout(30_000);
	const response = await fetch(url, { method: 'POST', headers, body, signal });
	return { status: response.status, body: await response.text() };
}

/** A workflow in n8n that starts with the trigger. */
export class TriggerFlow {
	private constructor(
		private readonly rest: Rest,
		readonly id: string,
		readonly versionId: string,
		readonly url: string,
	) {}

	/** Creates the workflow without activating it. */
	static async create(
		{ rest, n8n }: Setup,
		credential: Credential,
		parameters: Item = {},
		next: WorkflowNode = nothing,
	): Promise<TriggerFlow> {
		const webhookId = randomUUID();
		const credentials = reference(credential);
		const node = { name: 'Status', type: TRIGGER_TYPE, typeVersion: 2, webhookId };
		const nodes = [{ ...node, credentials, parameters }, next];
		const { id, versionId } = await rest.createWorkflow(row('status', ...nodes));
		return new TriggerFlow(rest, id, versionId, `${n8n.url}/webhook/${webhookId}/webhook`);
	}

	static async active(...about: Parameters<typeof TriggerFlow.create>): Promise<TriggerFlow> {
		const flow = await TriggerFlow.create(...about);
		await flow.rest.activate(flow);
		return flow;
	}

	/** The number of executions with one of these statuses, or with any. */
	async count(...status: string[]): Promise<number> {
		return await this.rest.countExecutions(status, this.id);
	}

	/** The newest execution, after it has ended. */
	async newest(): Promise<Execution> {
		return await this.rest.finished(await this.rest.begun(this.id));
	}

	/** The items that started the newest execution. */
	async items(): Promise<Item[]> {
		return outputOf(await this.newest(), 'Status');
	}

	/** Waits until this many executions have succeeded. Returns the number of all executions. */
	async succeeded(wanted: number): Promise<number> {
		const all = async () => (await this.count('success')) >= wanted;
		await until(all, 60_000, `${wanted} executions`);
		return await this.count();
	}
}
