import { setTimeout as pause } from 'node:timers/promises';
import type { FaultSpec } from '../emulator';
import type { Credential, Execution, Workflow } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { given, manual, post, row } from '../n8n/workflows';

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

/** Items with these texts. */
export const items = (...texts: string[]): Item[] => texts.map((text) => ({ text }));

/** `['1', '2', …]` */
export const numbers = (count: number): string[] =>
	Array.from({ length: count }, (_, index) => String(index + 1));

export { pause };

/** Waits until a condition is true. */
export async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs = 20_000) {
	const deadline = Date.now() + timeoutMs;
	while (!(await isTrue())) {
		if (Date.now() > deadline) throw new Error(`The condition was not true within ${timeoutMs} ms`);
		await pause(10);
	}
}

type Sent = { text: string };

/** A workflow that posts each item's `text`, and the requests that the platform gets. */
export class PostFlow {
	constructor(
		private readonly setup: Setup,
		private readonly credential: Credential,
	) {}

	/** A workflow with these items as the input of Post. */
	workflow(list: Item[], more: PostSettings = {}): Workflow {
		return given(row('posts', manual(), postOfText(this.credential, more)), ...list);
	}

	/** A workflow that posts the items in a loop, two at a time. */
	loop(list: Item[], more: PostSettings = {}): Workflow {
		const loop = {
			name: 'Loop',
			type: 'n8n-nodes-base.splitInBatches',
			typeVersion: 3,
			parameters: { batchSize: 2, options: {} },
		};
		const to = (node: string) => [{ node, type: 'main', index: 0 }];
		const connections = {
			Start: { main: [to('Loop')] },
			Loop: { main: [[], to('Post')] },
			Post: { main: [to('Loop')] },
		};
		const workflow = row('loop', manual(), loop, postOfText(this.credential, more));
		return given({ ...workflow, connections, settings: { executionOrder: 'v1' } }, ...list);
	}

	async create(list: Item[], more: PostSettings = {}, settings: Item = {}): Promise<string> {
		const workflow = { ...this.workflow(list, more), settings };
		return (await this.setup.rest.createWorkflow(workflow)).id;
	}

	async run(list: Item[], more: PostSettings = {}): Promise<Execution> {
		return await this.setup.rest.run(await this.create(list, more), 'Start');
	}

	/** Adds a fault for the request with this text. */
	fault(text: string, fault: FaultSpec): void {
		const bodyHas = `"text":${JSON.stringify(text)}`;
		this.setup.emulator.fault({ operation: 'createPost', bodyHas, ...fault });
	}

	/** The texts of all requests, including refused ones, in order of arrival. */
	sent(): string[] {
		return this.setup.bodies().map((body) => (JSON.parse(body) as Sent).text);
	}

	/** The texts of the posts that the platform has created. */
	posted(): string[] {
		return this.setup.emulator.posts.map(({ request }) => (request as Sent).text);
	}

	/** The items of an output of the node's last run. */
	items(execution: Execution, output = 0, node = 'Post'): Item[] {
		return (execution.runs[node]?.at(-1)?.data?.main[output] ?? []).map(({ json }) => json);
	}

	/** The texts of the posts in an output, or the outcomes of items without a post. */
	texts(execution: Execution, output = 0, node = 'Post'): string[] {
		return this.items(execution, output, node).map(({ action_sn, details, skipped }) => {
			const made = this.setup.emulator.posts.find((one) => one.action_sn === action_sn);
			if (made) return (made.request as Sent).text;
			return skipped === true ? 'skipped' : String((details as Item | undefined)?.outcome);
		});
	}
}
