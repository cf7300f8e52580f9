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

/** An n8n as those run it who have much to do, and the two workflows that are loaded. */

const MARKER_PACKAGE = 'n8n-nodes-load-marker';

/** Whoever has thousands of executions an hour keeps no data of those that went well. */
const settings = { executionOrder: 'v1', saveDataSuccessExecution: 'none' };

const env = {
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
	// Where it says how large its heap is.
	N8N_METRICS: 'true',
};

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

	/** A published workflow that each genuine delivery starts, and that leaves a mark. */
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

	/** A published workflow that posts what it is sent; settles once it has ended. */
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

	/** What has n8n collect its garbage. */
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

	/** What has been marked: the events of all executions, one for each. */
	executed(): string[] {
		const lines = readFileSync(this.marks, 'utf8').split('\n').filter(Boolean);
		return lines.map((line) => line.split(' ')[1]!);
	}

	/** A workflow that ends with this node, and what starts it. */
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
