import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { NodeResult, NodeRun } from './engine';
import { textOf } from './manyPosts';
import { usePlatform } from './platform';
import { DeduplicationStore } from './deduplicationStore';

/** Returns an item with the key and a text for each key. */
export const keyed = (...keys: unknown[]): IDataObject[] =>
	keys.map((key, index) => ({ key, text: textOf(index) }) as IDataObject);

/** A new platform, workflow and list of keys for each test. */
export class KeySetup {
	deduplication!: DeduplicationStore;
	readonly platform = usePlatform();
	workflowId!: string;

	static forEachTest(): KeySetup {
		const setup = new KeySetup();
		beforeAll(async () => {
			setup.deduplication = await DeduplicationStore.install();
		});
		beforeEach(() => {
			// Nodes of earlier test files may still change their lists.
			setup.workflowId = randomUUID();
			setup.deduplication.reset(setup.workflowId);
		});
		return setup;
	}

	/** Runs Create Post with a Deduplication Key for each item. */
	async run(
		items: IDataObject[],
		options: IDataObject = {},
		more: Partial<NodeRun> = {},
		fields: IDataObject = {},
	): Promise<NodeResult> {
		const { platform, workflowId } = this;
		const parameters = {
			text: '={{ $json.text }}',
			...fields,
			options: { oncePerKey: '={{ $json.key }}', timeout: 30, ...options },
		};
		return await platform.run(parameters, { items, workflowId, ...more });
	}

	/** Runs Clear Deduplication Keys. */
	async clear(key: string, items: IDataObject[] = [{}], account = 'acc_1'): Promise<NodeResult> {
		const parameters = {
			operation: 'clear',
			socialAccountId: { __rl: true, mode: account === '*' ? 'list' : 'id', value: account },
			key,
		};
		const { platform, workflowId } = this;
		return await platform.run(parameters, { items, workflowId });
	}

	get posts() {
		return this.platform.emulator.posts;
	}

	get created() {
		return this.platform.received('createPost');
	}

	/** Returns the list that n8n stores for the workflow. */
	get list(): string[] | undefined {
		return this.deduplication.lists.get(`${this.workflowId} `);
	}
}
