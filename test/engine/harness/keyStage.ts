import type { IDataObject } from 'n8n-workflow';
import type { NodeResult, NodeRun } from './engine';
import { textOf } from './manyPosts';
import { usePlatform } from './platform';
import { SeenStore } from './seenStore';

/** Items with a key and a text each. */
export const keyed = (...keys: unknown[]): IDataObject[] =>
	keys.map((key, index) => ({ key, text: textOf(index) }) as IDataObject);

/** A platform, a workflow, and n8n's list of keys, new for each test. */
export class KeyStage {
	seen!: SeenStore;
	readonly platform = usePlatform();
	workflowId!: string;
	private static workflows = 0;

	static aroundTests(): KeyStage {
		const stage = new KeyStage();
		beforeAll(async () => {
			stage.seen = await SeenStore.install();
		});
		beforeEach(() => {
			stage.workflowId = `workflow-${KeyStage.workflows++}`;
			stage.seen.reset(stage.workflowId);
		});
		return stage;
	}

	/** Posts the items, each once per key. */
	async run(
		items: IDataObject[],
		options: IDataObject = {},
		more: Partial<NodeRun> = {},
	): Promise<NodeResult> {
		const { platform, workflowId } = this;
		const parameters = {
			text: '={{ $json.text }}',
			options: { oncePerKey: '={{ $json.key }}', timeout: 1, ...options },
		};
		return await platform.run(parameters, { items, workflowId, ...more });
	}

	async forget(parameters: IDataObject, items: IDataObject[] = [{}]): Promise<NodeResult> {
		const { platform, workflowId } = this;
		return await platform.run({ operation: 'forget', ...parameters }, { items, workflowId });
	}

	get posts() {
		return this.platform.emulator.posts;
	}

	get created() {
		return this.platform.received('createPost');
	}

	/** The list that n8n stores for a node or for the workflow. */
	listOf(context: string): string[] | undefined {
		return this.seen.lists.get(`${this.workflowId} ${context}`);
	}
}
