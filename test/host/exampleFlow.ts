import { randomUUID } from 'node:crypto';
import { DataTable } from '../n8n/dataTable';
import { example } from '../n8n/examples';
import { thisHost } from '../n8n/hosts';
import { type Item, pause } from './postFlow';
import { postJson } from '../n8n/postJson';
import type { Credential, Execution, Rest, Workflow } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { reference, TRIGGER_TYPE, webhookPath } from '../n8n/workflows';

/** Changed parameters by the name of their node. */
export type FilledIn = Record<string, Item>;

interface Filling {
	parameters?: FilledIn;
	/** The credential for the platform. By default, one for the emulator of the setup. */
	platform?: Credential;
	/** A credential for the nodes of another service. */
	service?: Credential;
	/** Nodes to deactivate. By default, those that are deactivated in the file. */
	off?: string[];
}

/** The platform publishes posts when its clock is moved forward by this time, and not during a test. */
export const PUBLISHED_AFTER_SECONDS = 600;

const TABLE = 'n8n-nodes-base.dataTable';

/** How the types of other services' nodes start, by the type of their credential. */
const serviceNodes: Record<string, string> = {
	smtp: 'n8n-nodes-base.emailSend',
	nextCloudApi: 'n8n-nodes-base.nextCloud',
	openAiApi: 'n8n-nodes-base.httpRequest',
	telegramApi: 'n8n-nodes-base.telegram',
};

/** Creates the tables of an example without its nodes, and chooses them in its nodes. */
async function createTables(rest: Rest, { nodes }: Workflow): Promise<void> {
	const tables = nodes.filter(({ type }) => type === TABLE);
	for (const { parameters } of tables.filter((node) => node.parameters.resource === 'table')) {
		const { column } = parameters.columns as { column: Array<{ name: string; type: string }> };
		const { id } = await DataTable.of(rest, String(parameters.tableName), column);
		for (const node of tables) {
			const locator = node.parameters.dataTableId as { value: string } | undefined;
			if (locator?.value !== parameters.tableName) continue;
			node.parameters.dataTableId = { __rl: true, mode: 'list', value: id };
		}
	}
}

/** A workflow from examples/, set up in n8n. */
export class ExampleFlow {
	private constructor(
		private readonly setup: Setup,
		readonly id: string,
		private readonly versionId: string,
		private readonly workflow: Workflow,
	) {}

	static async of(setup: Setup, name: string, filling: Filling = {}): Promise<ExampleFlow> {
		const { platform = await setup.credential(name), service } = filling;
		const workflow = example(name, platform);
		for (const node of workflow.nodes) {
			Object.assign(node.parameters, filling.parameters?.[node.name]);
			if (filling.off) node.disabled = filling.off.includes(node.name);
			if (service && node.type.startsWith(serviceNodes[service.type]!))
				node.credentials = reference(service);
			if (node.type === TRIGGER_TYPE) node.webhookId = randomUUID();
		}
		const hasTables = workflow.nodes.some(({ type }) => type === TABLE);
		if (hasTables && !thisHost.behaviour.createsTables) await createTables(setup.rest, workflow);
		const { id, versionId } = await setup.rest.createWorkflow(workflow);
		const flow = new ExampleFlow(setup, id, versionId, workflow);
		if (hasTables && thisHost.behaviour.createsTables) {
			expect(await flow.run('Set Up Once')).toMatchObject({ status: 'success', error: undefined });
		}
		return flow;
	}

	async activate(): Promise<this> {
		await this.setup.rest.activate({ id: this.id, versionId: this.versionId });
		return this;
	}

	/** Activates and deactivates the workflow, so that its schedule does not start it during a test. */
	async checkActivation(): Promise<this> {
		await this.activate();
		await this.setup.rest.call('POST', `/rest/workflows/${this.id}/deactivate`, {});
		return this;
	}

	/** The production URL of a trigger. */
	url(name: string): string {
		const trigger = this.workflow.nodes.find((node) => node.name === name)!;
		return `${this.setup.n8n.url}/webhook/${webhookPath(trigger)}`;
	}

	/** Sends a request to a trigger. Returns the status of the response. */
	async send(name: string, body: object): Promise<number> {
		return (await postJson(this.url(name), body)).status;
	}

	/** Runs the workflow manually from a trigger. */
	async run(trigger: string): Promise<Execution> {
		return await this.setup.rest.run(this.id, trigger);
	}

	/** Waits until this number of executions with the node have ended. Returns them, newest first. */
	async ended(node: string, count: number, timeoutMs = 60_000): Promise<Execution[]> {
		const deadline = Date.now() + timeoutMs;
		const known = new Map<string, Execution>();
		for (;;) {
			const ids = await this.setup.rest.executionIds(this.id);
			for (const id of ids.filter((one) => !known.has(one))) {
				const execution = await this.setup.rest.execution(id);
				const isOver = ['success', 'error', 'crashed', 'canceled'].includes(execution.status);
				if (isOver && execution.raw !== '') known.set(id, execution);
			}
			const found = ids.flatMap((id) => known.get(id) ?? []).filter(({ runs }) => node in runs);
			if (found.length >= count) return found;
			if (Date.now() > deadline) {
				const states = [...known.values()].map(({ status, runs }) => [
					status,
					...Object.keys(runs),
				]);
				throw new Error(`${found.length} executions ran ${node}: ${JSON.stringify(states)}`);
			}
			await pause(200);
		}
	}

	/** The number of its waiting executions. */
	async waiting(): Promise<number> {
		return await this.setup.rest.countExecutions(['waiting'], this.id);
	}
}

/** The output of a node's last run. */
export const outputOf = ({ runs }: Execution, node: string): Item[] =>
	(runs[node]?.at(-1)?.data?.main ?? []).flatMap((items) => (items ?? []).map(({ json }) => json));
