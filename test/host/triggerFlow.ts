import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Credential, Execution, Rest, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { reference, row, TRIGGER_TYPE } from '../n8n/workflows';

export const statusTrigger = (
	credential: Credential,
	parameters: Record<string, unknown> = {},
): WorkflowNode & { webhookId: string } => ({
	name: 'Status',
	type: TRIGGER_TYPE,
	typeVersion: 2,
	webhookId: randomUUID(),
	credentials: reference(credential),
	parameters,
});

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
	durationMs: number;
}

/** A response that takes longer fails the test, in milliseconds. */
export const RESPONSE_TIMEOUT_MS = 30_000;

export async function send(
	url: string,
	headers: Record<string, string>,
	body?: string | Buffer | FormData,
	method = 'POST',
): Promise<Reply> {
	const started = Date.now();
	const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
	const response = await fetch(url, { method, headers, body, signal });
	const text = await response.text();
	return { status: response.status, body: text, durationMs: Date.now() - started };
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
		const trigger = statusTrigger(credential, parameters);
		const { id, versionId } = await rest.createWorkflow(row('status', trigger, next));
		const path = `${trigger.webhookId}/webhook`;
		const [url, test] = [`${n8n.url}/webhook/${path}`, `${n8n.url}/webhook-test/${path}`];
		return new TriggerFlow(rest, id, versionId, url, test);
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
		for (let attempts = 0; attempts < 100; attempts++) {
			const [id] = await this.rest.executionIds(this.id);
			if (id !== undefined) return await this.rest.finished(id);
			await pause(100);
		}
		throw new Error(`No execution of workflow ${this.id} within 10 seconds`);
	}

	/** The items that started the newest execution. */
	async items(): Promise<Array<Record<string, unknown>>> {
		const { runs } = await this.newest();
		return (runs.Status?.[0]?.data?.main[0] ?? []).map(({ json }) => json);
	}

	/** Waits until this many executions have succeeded. */
	async succeeded(wanted: number, timeoutMs = 60_000): Promise<number> {
		const deadline = Date.now() + timeoutMs;
		let count = 0;
		while (count < wanted && Date.now() < deadline) {
			count = await this.count('success');
			await pause(100);
		}
		return count;
	}
}
