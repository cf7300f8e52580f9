import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ITEMS_PACKAGE, placeItemsPackage, placePackage } from '../n8n/communityPackage';
import { waitUntilIdle } from '../n8n/executions';
import { N8n } from '../n8n/n8n';
import { n8nPid } from '../n8n/n8nProcess';
import { say } from '../n8n/progress';
import { Setup } from '../n8n/setup';
import { postOfText } from './postFlow';
import { TriggerFlow } from './triggerFlow';
import { row } from '../n8n/workflows';

const MARKER_PACKAGE = 'n8n-nodes-load-marker';

/** An n8n with a workflow that receives events, and one that posts items. */
export class LoadSetup {
	private constructor(
		readonly setup: Setup,
		/** Writes a line to a file for each event that starts it. */
		readonly receiver: TriggerFlow,
		private readonly marks: string,
		private readonly posterPath: string,
	) {}

	static async start(): Promise<LoadSetup> {
		const userFolder = N8n.makeUserFolder();
		placePackage(userFolder, MARKER_PACKAGE, join(__dirname, 'loadMarker'));
		placeItemsPackage(userFolder);
		const marks = join(userFolder, 'marks');
		const env = {
			N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
			// The metrics contain the size of the heap.
			N8N_METRICS: 'true',
			LOAD_MARKS: marks,
		};
		const setup = await Setup.start({ userFolder, env });
		const credential = await setup.credential('platform');
		const node = { typeVersion: 2, parameters: {}, webhookId: randomUUID() };
		const mark = { ...node, name: 'Mark', type: `${MARKER_PACKAGE}.loadMarker`, typeVersion: 1 };
		const items = { ...node, name: 'Items', type: `${ITEMS_PACKAGE}.benchItemsTrigger` };
		const post = postOfText(credential, { options: { maxConcurrentRequests: 10 } });
		await setup.rest.activate(await setup.rest.createWorkflow(row('post', items, post)));
		const receiver = await TriggerFlow.active(setup, credential, {}, mark);
		return new LoadSetup(setup, receiver, marks, `${node.webhookId}/webhook`);
	}

	/** The events of all executions of the receiving workflow. */
	executed(): string[] {
		return readFileSync(this.marks, 'utf8').match(/evt_\d+/g)!;
	}

	/** Posts `items` and waits for the end, or makes n8n collect garbage. */
	async run(body: { items: object[] } | { collect: true }): Promise<void> {
		expect(await this.setup.production(this.posterPath, body)).toMatchObject({ status: 200 });
	}

	/** The size of the JavaScript objects and their buffers after garbage collection, in MB. */
	async heapMb(name: string): Promise<number> {
		await waitUntilIdle(this.setup.rest, n8nPid());
		// The second collection frees objects that the first one has finalized.
		for (let round = 0; round < 2; round++) await this.run({ collect: true });
		const metrics = await (await fetch(`${this.setup.n8n.url}/metrics`)).text();
		const mb = (metric: string) =>
			Number(new RegExp(`^n8n_nodejs_${metric}_bytes (\\S+)$`, 'm').exec(metrics)?.[1]) / 2 ** 20;
		const heap = mb('heap_size_used') + mb('external_memory');
		say(`  heap ${name}: ${heap.toFixed(1)} MB`);
		return heap;
	}
}
