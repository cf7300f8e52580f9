import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Emulator, FaultSpec } from '../emulator';
import { postJson } from '../n8n/postJson';
import type { Credential, Execution, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { until } from '../n8n/until';
import { post, row, webhook } from '../n8n/workflows';

export { pause, until };

export type Item = Record<string, unknown>;

export interface PostSettings {
	/** Values of the node's collection `options`. */
	options?: Item;
	/** Other parameters of the node. */
	parameters?: Item;
	/** Settings of the node, such as *Retry on Fail* and *On Error*. */
	settings?: Item;
}

const PICTURE = 'https://example.com/a.jpg';

export const textField = '={{ $json.text }}';

export const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };

/** A node `Post` that posts each item's `text`. */
export const postOfText = (credential: Credential, more: PostSettings = {}) =>
	post(
		credential,
		{ text: textField, mediaUrls: [PICTURE], ...more.parameters, options: more.options ?? {} },
		more.settings,
	);

/** Posts one item at a time, with its `text` as its deduplication key. */
export const byText = (more: Item = {}): PostSettings => ({
	options: { maxConcurrentRequests: 1, oncePerKey: textField, ...more },
});

/** Items with these texts. */
export const items = (...texts: string[]): Item[] => texts.map((text) => ({ text }));

/** `['1', '2', …]` */
export const numbers = (count: number): string[] =>
	Array.from({ length: count }, (_, index) => String(index + 1));

type Sent = { text: string };

/** The requests and posts of a platform, by their texts. */
export class PostTexts {
	constructor(private readonly emulator: Emulator) {}

	/** Adds a fault for the request with this text. */
	fault(text: string, fault: FaultSpec): void {
		const bodyHas = `"text":${JSON.stringify(text)}`;
		this.emulator.fault({ operation: 'createPost', bodyHas, ...fault });
	}

	/** The texts of all requests, including refused ones, in order of arrival. */
	sent(): string[] {
		return this.emulator.received
			.filter(({ operation }) => operation === 'createPost')
			.map(({ body }) => (body as Sent).text);
	}

	/** The texts of the posts that the platform has created. */
	posted(): string[] {
		return this.emulator.posts.map(({ request }) => (request as Sent).text);
	}

	/** The texts of the posts in an output, or the outcomes of items without a post. */
	in(execution: Execution, output = 0): string[] {
		return outputOf(execution, 'Post', output).map(({ action_sn, details, skipped }) => {
			const made = this.emulator.posts.find((one) => one.action_sn === action_sn);
			if (made) return (made.request as Sent).text;
			return skipped === true ? 'skipped' : String((details as Item | undefined)?.outcome);
		});
	}
}

/** The items of an output of a node's last run. */
export const outputOf = ({ runs }: Execution, node: string, output = 0): Item[] =>
	(runs[node]?.at(-1)?.data?.main[output] ?? []).map(({ json }) => json);

/** An active workflow that receives a list of items by webhook, responds at once, and posts them. */
export class PostFlow {
	private constructor(
		private readonly setup: Setup,
		readonly id: string,
		private readonly path: string,
		private readonly nodes: WorkflowNode[],
	) {}

	static async active(
		setup: Setup,
		credential: Credential,
		more: PostSettings = {},
		settings: Item = {},
	): Promise<PostFlow> {
		const path = randomUUID();
		const parameters = { httpMethod: 'POST', path, responseMode: 'onReceived' };
		const split: WorkflowNode = {
			name: 'Split',
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			parameters: { fieldToSplitOut: 'body.list', options: {} },
		};
		const post = postOfText(credential, more);
		const workflow = row('posts', { ...webhook(path), parameters }, split, post);
		const saved = await setup.rest.createWorkflow({ ...workflow, settings });
		await setup.rest.activate(saved);
		return new PostFlow(setup, saved.id, path, workflow.nodes);
	}

	/** Starts an execution. @param url the process that receives the items */
	async send(list: Item[], { url }: { url: string } = this.setup.n8n): Promise<void> {
		const response = await postJson(`${url}/webhook/${this.path}`, { list });
		expect([response.status, await response.text()]).toEqual([200, expect.anything()]);
	}

	/** Starts an execution, and returns its ID. */
	async start(list: Item[], process?: { url: string }): Promise<string> {
		const known = await this.setup.rest.executionIds(this.id);
		await this.send(list, process);
		return await this.setup.rest.begun(this.id, known);
	}

	async run(list: Item[]): Promise<Execution> {
		return await this.setup.rest.finished(await this.start(list));
	}

	async count(...status: string[]): Promise<number> {
		return await this.setup.rest.countExecutions(status, this.id);
	}

	/** Waits until a number of executions have ended. */
	async ended(wanted: number): Promise<void> {
		const areOver = async () => (await this.count('success', 'error', 'crashed')) >= wanted;
		await until(areOver, 120_000, `the end of ${wanted} executions`);
	}

	/** Changes the parameters of the node Post in the saved workflow. */
	async set(change: (parameters: Item) => Item): Promise<void> {
		const nodes = this.nodes.map((node) =>
			node.name === 'Post' ? { ...node, parameters: change(node.parameters) } : node,
		);
		await this.setup.rest.updateWorkflow(this.id, { nodes });
	}
}
