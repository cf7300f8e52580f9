import { parse } from 'flatted';
import { until } from './until';

export interface WorkflowNode {
	id?: string;
	name: string;
	type: string;
	typeVersion: number;
	position?: [number, number];
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string; name: string }>;
	webhookId?: string;
	[setting: string]: unknown;
}

interface PinnedItem {
	json: Record<string, unknown>;
	binary?: Record<string, unknown>;
}

export interface Workflow {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
	/** Items that a node outputs in manual runs, without being run. */
	pinData?: Record<string, PinnedItem[]>;
}

export interface NodeRun {
	error?: { message: string; description?: string };
	executionTime?: number;
	data?: { main: Array<Array<{ json: Record<string, unknown>; pairedItem?: unknown }> | null> };
}

export interface Execution {
	id: string;
	status: string;
	/** All data that n8n stores of the execution, as text. */
	raw: string;
	error?: { message: string; description?: string };
	runs: Record<string, NodeRun[]>;
}

export type Credential = { id: string; name: string; type: string; data: Record<string, unknown> };

/** n8n stores the status first, and the data a moment later. Until then, n8n 1 returns data without runs. */
function isComplete({ status, raw, runs, error }: Execution): boolean {
	const hasRun = error !== undefined || Object.keys(runs).length > 0;
	return raw !== '' && (hasRun || !['success', 'error'].includes(status));
}

/** The REST interface that n8n's editor uses, for one signed-in user. */
export class Rest {
	readonly cookies = new Map<string, string>();

	constructor(readonly url: string) {}

	async call<T>(method: string, path: string, body?: unknown): Promise<T> {
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: {
				// n8n may close an idle connection at the moment when it would be used again.
				connection: 'close',
				cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
			},
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		for (const cookie of response.headers.getSetCookie()) {
			const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
			this.cookies.set(name, value);
		}
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
		const answer = JSON.parse(text) as { data?: T };
		return answer.data ?? (answer as T);
	}

	async setUpOwner(email: string, password: string): Promise<void> {
		const name = { firstName: 'Host', lastName: 'Owner' };
		await this.call('POST', '/rest/owner/setup', { email, password, ...name });
	}

	async signIn(email: string, password: string): Promise<void> {
		await this.call('POST', '/rest/login', { emailOrLdapLoginId: email, password });
	}

	async createCredential(credential: Omit<Credential, 'id'>): Promise<Credential> {
		const { id } = await this.call<{ id: string }>('POST', '/rest/credentials', credential);
		return { ...credential, id };
	}

	async updateCredential({ id, ...credential }: Credential): Promise<void> {
		await this.call('PATCH', `/rest/credentials/${id}`, credential);
	}

	async testCredential(credential: Credential): Promise<{ status: string; message: string }> {
		return await this.call('POST', '/rest/credentials/test', { credentials: credential });
	}

	async createWorkflow(workflow: Workflow): Promise<{ id: string; versionId: string }> {
		return await this.call('POST', '/rest/workflows', { settings: {}, active: false, ...workflow });
	}

	/** Activates a workflow, and waits until its production webhooks are available. */
	async activate({ id, versionId }: { id: string; versionId: string }): Promise<void> {
		await this.call('POST', `/rest/workflows/${id}/activate`, { versionId });
		const path = `/rest/workflows/${id}/publication-status`;
		const isPublished = async () =>
			await this.call<object>('GET', path).then(
				(state) => JSON.stringify(state).includes('"published"'),
				(error: Error) => {
					// n8n 1 has no such request, and responds after the activation.
					if (error.message.startsWith(`GET ${path}: 404`)) return true;
					throw error;
				},
			);
		await until(isPublished, 30_000, `the publication of workflow ${id}`);
	}

	/** Changes a workflow, and publishes the change. */
	async updateWorkflow(id: string, workflow: Partial<Workflow>): Promise<void> {
		const path = `/rest/workflows/${id}`;
		await this.activate(await this.call('PATCH', path, workflow));
	}

	/** Runs a workflow manually from a trigger, and waits for the end. */
	async run(workflowId: string, trigger: string): Promise<Execution> {
		return await this.finished(await this.start(workflowId, trigger));
	}

	/** Starts a manual run from a trigger. Returns the ID of the execution. */
	async start(workflowId: string, trigger: string): Promise<string> {
		const path = `/rest/workflows/${workflowId}`;
		const { executionId } = await this.call<{ executionId: string }>('POST', `${path}/run`, {
			triggerToStartFrom: { name: trigger },
			// n8n 1 runs the workflow in the request. Later versions run the saved one.
			workflowData: await this.call('GET', path),
		});
		return executionId;
	}

	/** Retries an execution from the list with its original or the saved workflow, and waits for the end. */
	async retry(id: string, workflow: 'original' | 'saved' = 'original'): Promise<Execution> {
		const path = `/rest/executions/${id}/retry`;
		const loadWorkflow = workflow === 'saved';
		const { id: again } = await this.call<{ id: string }>('POST', path, { loadWorkflow });
		return await this.finished(again);
	}

	/** Stops an execution from the list. */
	async stop(id: string): Promise<void> {
		await this.call('POST', `/rest/executions/${id}/stop`);
	}

	async finished(id: string): Promise<Execution> {
		const end = async () => {
			const execution = await this.execution(id);
			const isOver = !['new', 'running', 'waiting'].includes(execution.status);
			return isOver && isComplete(execution) && execution;
		};
		return await until(end, 120_000, `the end of execution ${id}`);
	}

	/** Waits for an execution of a workflow that is not known yet. Returns its ID. */
	async begun(workflowId: string, known: string[] = []): Promise<string> {
		const isNew = (id: string) => !known.includes(id);
		const find = async () => (await this.executionIds(workflowId)).find(isNew);
		return await until(find, 60_000, `an execution of workflow ${workflowId}`);
	}

	async execution(id: string): Promise<Execution> {
		const { status, data: raw = '' } = await this.call<{ status: string; data?: string }>(
			'GET',
			`/rest/executions/${id}`,
		);
		const data = (raw === '' ? undefined : parse(raw)) as
			| { resultData?: { runData?: Record<string, NodeRun[]>; error?: Execution['error'] } }
			| undefined;
		const { runData = {}, error } = data?.resultData ?? {};
		return { id, status, raw, error, runs: runData };
	}

	/** The IDs of the executions of a workflow, or of all workflows, newest first. */
	async executionIds(workflowId?: string): Promise<string[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const path = `/rest/executions?limit=100&filter=${filter}`;
		const { results } = await this.call<{ results: Array<{ id: string }> }>('GET', path);
		// n8n reads running and ended executions separately, so an execution may be listed twice. It sorts
		// them by their start time, which a worker corrects later.
		const ids = [...new Set(results.map(({ id }) => id))];
		return ids.sort((one, other) => Number(other) - Number(one));
	}

	/** The number of executions with one of these statuses, or with any if there are none. */
	async countExecutions(status: string[], workflowId?: string): Promise<number> {
		const wanted = status.length > 0 ? { workflowId, status } : { workflowId };
		const filter = encodeURIComponent(JSON.stringify(wanted));
		const path = `/rest/executions?limit=1&filter=${filter}`;
		return (await this.call<{ count: number }>('GET', path)).count;
	}
}
