import { randomUUID } from 'node:crypto';
import type { Credential, Execution, Rest, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { reference, row, TRIGGER_TYPE } from '../n8n/workflows';
import { until } from './postFlow';

const nothing: WorkflowNode = {
	name: 'Next',
	type: 'n8n-nodes-base.noOp',
	typeVersion: 1,
	parameters: {},
};

/** The response to a delivery. */
export interface Reply {
	status: number;
	body: string;
}

export async function send(
	url: string,
	headers: Record<string, string>,
	body: string | Buffer | FormData,
): Promise<Reply> {
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
		readonly testUrl: string,
	) {}

	/** Creates the workflow without activating it. */
	static async create(
		{ rest, n8n }: Setup,
		credential: Credential,
		parameters: Record<string, unknown> = {},
		next: WorkflowNode = nothing,
	): Promise<TriggerFlow> {
		const webhookId = randomUUID();
		const credentials = reference(credential);
		const node = { name: 'Status', type: TRIGGER_TYPE, typeVersion: 2, webhookId };
		const nodes = [{ ...node, credentials, parameters }, next];
		const { id, versionId } = await rest.createWorkflow(row('status', ...nodes));
		const [url, test] = ['webhook', 'webhook-test'].map(
			(kind) => `${n8n.url}/${kind}/${webhookId}/webhook`,
		);
		return new TriggerFlow(rest, id, versionId, url!, test!);
	}

	static async active(...about: Parameters<typeof TriggerFlow.create>): Promise<TriggerFlow> {
		const flow = await TriggerFlow.create(...about);
		await flow.activate();
		return flow;
	}

	async activate(): Promise<void> {
		await this.rest.activate(this);
	}

	/** Lets the editor listen for one test event. */
	async listen(): Promise<void> {
		await this.rest.start(this.id, 'Status');
	}

	/** The number of executions with one of these statuses, or with any. */
	async count(...status: string[]): Promise<number> {
		return await this.rest.countExecutions(status, this.id);
	}

	/** The newest execution, after it has ended. */
	async newest(): Promise<Execution> {
		let ids: string[] = [];
		await until(async () => (ids = await this.rest.executionIds(this.id)).length > 0);
		return await this.rest.finished(ids[0]!);
	}

	/** The items that started the newest execution. */
	async items(): Promise<Array<Record<string, unknown>>> {
		const { runs } = await this.newest();
		return (runs.Status?.[0]?.data?.main[0] ?? []).map(({ json }) => json);
	}

	/** Waits until this many executions have succeeded. Returns the number of all executions. */
	async succeeded(wanted: number): Promise<number> {
		await until(async () => (await this.count('success')) >= wanted, 60_000);
		return await this.count();
	}
}
