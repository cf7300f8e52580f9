import { randomUUID } from 'node:crypto';
import { until, type Item } from './postFlow';
import type { Execution, Workflow, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { row, webhook } from '../n8n/workflows';

/** A saved workflow whose node Post can be changed between executions. */
export class SavedFlow {
	private constructor(
		private readonly setup: Setup,
		private readonly id: string,
		private readonly nodes: WorkflowNode[],
	) {}

	static async of(setup: Setup, workflow: Workflow): Promise<SavedFlow> {
		const { id } = await setup.rest.createWorkflow(workflow);
		return new SavedFlow(setup, id, workflow.nodes);
	}

	/** Creates a workflow, and runs it through a webhook that receives a list of items. */
	static async produce(
		setup: Setup,
		post: WorkflowNode,
		list: Item[],
	): Promise<{ flow: SavedFlow; execution: Execution }> {
		const path = randomUUID();
		const parameters = { httpMethod: 'POST', path, responseMode: 'onReceived' };
		const split: WorkflowNode = {
			name: 'Split',
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			parameters: { fieldToSplitOut: 'body.list', options: {} },
		};
		const workflow = row('production', { ...webhook(path), parameters }, split, post);
		const saved = await setup.rest.createWorkflow(workflow);
		await setup.rest.activate(saved);
		await setup.production(path, { list });
		let ids: string[] = [];
		await until(async () => (ids = await setup.rest.executionIds(saved.id)).length > 0);
		const execution = await setup.rest.finished(ids[0]!);
		return { flow: new SavedFlow(setup, saved.id, workflow.nodes), execution };
	}

	async run(): Promise<Execution> {
		return await this.setup.rest.run(this.id, 'Start');
	}

	/** Starts an execution. Returns its ID. */
	async start(): Promise<string> {
		return await this.setup.rest.start(this.id, 'Start');
	}

	/** The initial parameters of the node Post. */
	get parameters(): Record<string, unknown> {
		return this.nodes.find(({ name }) => name === 'Post')!.parameters;
	}

	/** Changes the parameters of the node Post. */
	async set(parameters: Record<string, unknown>): Promise<void> {
		const nodes = this.nodes.map((node) => (node.name === 'Post' ? { ...node, parameters } : node));
		await this.setup.rest.updateWorkflow(this.id, { nodes });
	}
}
