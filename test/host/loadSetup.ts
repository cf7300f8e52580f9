import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ITEMS_PACKAGE, placeItemsPackage, placePackage } from '../n8n/communityPackage';
import { N8n } from '../n8n/n8n';
import { postOfText, type Item } from './postFlow';
import type { Credential, Execution, WorkflowNode } from '../n8n/rest';
import { Setup } from '../n8n/setup';
import { statusTrigger } from './triggerFlow';
import { row } from '../n8n/workflows';

const MARKER_PACKAGE = 'n8n-nodes-load-marker';

/** With thousands of executions per hour, n8n is usually set to delete successful ones. */
const settings = { executionOrder: 'v1', saveDataSuccessExecution: 'none' };

const env = {
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
	// The metrics contain the size of the heap.
	N8N_METRICS: 'true',
};

/** An n8n with the settings for a heavy load, and its workflows. */
export class LoadSetup {
	private constructor(
		readonly setup: Setup,
		private readonly credential: Credential,
		private readonly marks: string,
	) {}

	static async start(): Promise<LoadSetup> {
		const userFolder = N8n.makeUserFolder();
		placePackage(userFolder, MARKER_PACKAGE, join(__dirname, 'loadMarker'));
		placeItemsPackage(userFolder);
		const marks = join(userFolder, 'marks');
		const setup = await Setup.start({ userFolder, env: { ...env, LOAD_MARKS: marks } });
		const credential = await setup.credential('platform', { signatureRecipe: 'timestampBody' });
		return new LoadSetup(setup, credential, marks);
	}

	/** Publishes a workflow that writes a line to a file for each delivery that starts it. */
	async receiver(): Promise<{ id: string; path: string }> {
		const trigger = statusTrigger(this.credential);
		const marker: WorkflowNode = {
			name: 'Mark',
			type: `${MARKER_PACKAGE}.loadMarker`,
			typeVersion: 1,
			parameters: {},
		};
		const id = await this.publish('receive', trigger, marker);
		return { id, path: `/webhook/${trigger.webhookId}/webhook` };
	}

	/** Publishes a workflow that posts items. The returned function waits for its end. */
	async poster(): Promise<(list: Item[]) => Promise<Execution>> {
		const { start, post } = await this.starter(
			postOfText(this.credential, { options: { maxConcurrentRequests: 10 } }),
		);
		return async (list) => {
			await post({ items: list });
			const [id] = await this.setup.rest.executionIds(start);
			return await this.setup.rest.finished(id!);
		};
	}

	/** Returns a function that makes n8n collect garbage. */
	async collector(): Promise<() => Promise<unknown>> {
		const nothing = {
			name: 'Nothing',
			type: 'n8n-nodes-base.noOp',
			typeVersion: 1,
			parameters: {},
		};
		const { post } = await this.starter(nothing);
		return async () => await post({ collect: true });
	}

	/** The events of all executions of the receiving workflow. */
	executed(): string[] {
		const lines = readFileSync(this.marks, 'utf8').split('\n').filter(Boolean);
		return lines.map((line) => line.split(' ')[1]!);
	}

	/** Creates a workflow that ends with this node, and a function that starts it. */
	private async starter(last: WorkflowNode) {
		const webhookId = randomUUID();
		const items: WorkflowNode = {
			name: 'Items',
			type: `${ITEMS_PACKAGE}.benchItemsTrigger`,
			typeVersion: 2,
			webhookId,
			parameters: {},
		};
		const saved = await this.setup.rest.createWorkflow(row('start', items, last));
		await this.setup.rest.activate(saved);
		const post = async (body: object) => {
			const { status } = await this.setup.production(`${webhookId}/webhook`, body);
			expect(status).toBe(200);
		};
		return { start: saved.id, post };
	}

	private async publish(name: string, ...nodes: WorkflowNode[]): Promise<string> {
		const saved = await this.setup.rest.createWorkflow({ ...row(name, ...nodes), settings });
		await this.setup.rest.activate(saved);
		return saved.id;
	}
}
