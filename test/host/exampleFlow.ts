import { randomUUID } from 'node:crypto';
import { DataTable } from '../n8n/dataTable';
import { example } from '../n8n/examples';
import { thisHost } from '../n8n/hosts';
import { type Item, pause } from './postFlow';
import { postJson } from '../n8n/postJson';
import type { Credential, Execution, Rest, Workflow } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { reference, TRIGGER_TYPE, webhookPath } from '../n8n/workflows';

/** What a user fills in after importing an example: parameters by the name of their node. */
export type FilledIn = Record<string, Item>;

interface Filling {
	parameters?: FilledIn;
	/** For the nodes that send mail. */
	mail?: Credential;
	/** Nodes that are switched off; the ones of the file when left out. */
	off?: string[];
}

/** No post is settled by itself while a test is still busy: only once the clock is moved by so much. */
export const SETTLED_AFTER_SECONDS = 100;

const TABLE = 'n8n-nodes-base.dataTable';
const MAIL = 'n8n-nodes-base.emailSend';

/** Makes the tables of an example by hand, and chooses them in its nodes. */
async function tablesByHand(rest: Rest, { nodes }: Workflow): Promise<void> {
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

/** An example of examples/ as a user sets it up, in a real n8n. */
export class ExampleFlow {
	private constructor(
		private readonly setup: Setup,
		readonly id: string,
		private readonly versionId: string,
		private readonly workflow: Workflow,
	) {}

	static async of(setup: Setup, name: string, filling: Filling = {}): Promise<ExampleFlow> {
		const workflow = example(name, await setup.credential(name));
		for (const node of workflow.nodes) {
			Object.assign(node.parameters, filling.parameters?.[node.name]);
			if (filling.off) node.disabled = filling.off.includes(node.name);
			if (node.type === MAIL) node.credentials = reference(filling.mail!);
			if (node.type === TRIGGER_TYPE) node.webhookId = randomUUID();
		}
		const hasTables = workflow.nodes.some(({ type }) => type === TABLE);
		if (hasTables && !thisHost.behaviour.createsTables) await tablesByHand(setup.rest, workflow);
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

	/** Activates it, and takes that back, so that its schedule does not start it while it is tested. */
	async canBeActivated(): Promise<this> {
		await this.activate();
		await this.setup.rest.call('POST', `/rest/workflows/${this.id}/deactivate`, {});
		return this;
	}

	/** The production URL of one of its triggers. */
	url(name: string): string {
		const trigger = this.workflow.nodes.find((node) => node.name === name)!;
		return `${this.setup.n8n.url}/webhook/${webhookPath(trigger)}`;
	}

	/** What somebody who sends this to it hears. */
	async send(name: string, body: object): Promise<number> {
		return (await postJson(this.url(name), body)).status;
	}

	/** A run from one of its triggers, started by hand. */
	async run(trigger: string): Promise<Execution> {
		return await this.setup.rest.run(this.id, trigger);
	}

	/** Waits until so many executions have run this node and ended; newest first. */
	async ended(node: string, count: number, patienceMs = 60_000): Promise<Execution[]> {
		const deadline = Date.now() + patienceMs;
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

	/** How many of its executions wait. */
	async waiting(): Promise<number> {
		return await this.setup.rest.countExecutions(['waiting'], this.id);
	}
}

/** What a node put out at its last run. */
export const out = ({ runs }: Execution, node: string): Item[] =>
	(runs[node]?.at(-1)?.data?.main ?? []).flatMap((items) => (items ?? []).map(({ json }) => json));
