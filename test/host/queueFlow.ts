import { randomUUID } from 'node:crypto';
import { pause, postOfText, until, type Item, type PostSettings } from './postFlow';
import type { QueueSetup } from './queueSetup';
import type { Credential } from '../n8n/rest';
import { postJson } from '../n8n/postJson';
import { row, webhook } from '../n8n/workflows';

/** Sends a JSON body to the production URL of a workflow, at one of the processes that receive webhooks. */
export async function announce(base: string, path: string, body: unknown): Promise<number> {
	const response = await postJson(`${base}/webhook/${path}`, body);
	await response.text();
	return response.status;
}

/** Runs a task for each, a limited number at a time. */
export async function several<T>(list: T[], width: number, task: (one: T) => Promise<unknown>) {
	const left = [...list];
	const work = async () => {
		for (let one = left.shift(); one !== undefined; one = left.shift()) await task(one);
	};
	await Promise.all(Array.from({ length: width }, work));
}

const OVER = ['success', 'error', 'crashed'];

/** An active workflow that receives a list of items by webhook, responds at once, and posts them. */
export class QueueFlow {
	private constructor(
		private readonly queue: QueueSetup,
		readonly id: string,
		private readonly path: string,
	) {}

	static async active(
		queue: QueueSetup,
		credential: Credential,
		more: PostSettings = {},
	): Promise<QueueFlow> {
		const path = randomUUID();
		const parameters = { httpMethod: 'POST', path, responseMode: 'onReceived' };
		const split = {
			name: 'Split',
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			parameters: { fieldToSplitOut: 'body.list', options: {} },
		};
		const post = postOfText(credential, more);
		const workflow = row('queue', { ...webhook(path), parameters }, split, post);
		const { rest } = queue.setup;
		const saved = await rest.createWorkflow(workflow);
		await rest.activate(saved);
		return new QueueFlow(queue, saved.id, path);
	}

	/** Starts an execution, by default through the webhook processor. */
	async take(list: Item[], { url } = this.queue.webhook as { url: string }): Promise<void> {
		expect(await announce(url, this.path, { list })).toBe(200);
	}

	async count(...status: string[]): Promise<number> {
		return await this.queue.setup.rest.countExecutions(status, this.id);
	}

	/** Waits until a number of executions have ended. */
	async ended(wanted: number, timeoutMs = 120_000): Promise<void> {
		await until(async () => {
			await pause(40);
			return (await this.count(...OVER)) >= wanted;
		}, timeoutMs);
	}

	/** The ID of the newest execution. */
	async newest(): Promise<string> {
		return (await this.queue.setup.rest.executionIds(this.id))[0]!;
	}
}
