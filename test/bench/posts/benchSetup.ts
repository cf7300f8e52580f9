import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DEFAULTS } from '../../emulator/options';
import { waitUntilIdle } from '../executions';
import { cpuSeconds, memoryMb, n8nPid, resetPeak } from '../../n8n/n8nProcess';
import { step } from '../../n8n/progress';
import type { Credential } from '../../n8n/rest';
import type { Setup } from '../../n8n/setup';
import { rotated } from '../statistics';
import { postWithoutN8n } from './baseline';
import { type Contender, type ContenderName, contenders, workflowOf } from './contenders';
import { bodyOf, type Item, makeItems } from './items';
import { type Distance, Platform } from './platform';

/** The time for which the platform waits before each response. */
export const LATENCY_MS = 50;

/** The cost of a run for its sender. */
export interface Cost {
	seconds: number;
	cpuMs: number;
	/** The peak memory of the sender, minus its memory before the run. */
	memoryMb: number;
	errors: string[];
}

export interface Outcome extends Cost {
	/** The maximum number of open connections. */
	peak: number;
}

/** The outcomes of each contender's runs, in order of the rounds. */
export type Results = Map<ContenderName, Outcome[]>;

interface Execution {
	status: string;
	startedAt: string;
	stoppedAt: string;
}

/** A platform, and the workflows that post to it. */
export class BenchSetup {
	private readonly pid = n8nPid();
	private readonly workflows = new Map<ContenderName, { id: string; webhookId: string }>();

	private constructor(
		private readonly setup: Setup,
		private readonly platform: Platform,
		private readonly credential: Credential,
		private readonly names: readonly ContenderName[],
	) {}

	static async open(
		setup: Setup,
		names: readonly ContenderName[],
		distance?: Distance,
	): Promise<BenchSetup> {
		const title = `platform-${distance?.roundTripMs ?? 'near'}`;
		const logFile = join(setup.n8n.userFolder, `${title}.log`);
		const platform = await Platform.start(LATENCY_MS, logFile, distance);
		const { appId, appSecret } = DEFAULTS;
		const { url: baseUrl } = platform;
		const credential = await setup.credential(title, { baseUrl, appId, appSecret });
		const bench = new BenchSetup(setup, platform, credential, names);
		for (const name of names) {
			const contender: Contender = contenders[name];
			if (!contender.nodes) continue;
			const webhookId = randomUUID();
			const workflow = workflowOf(contender, webhookId, baseUrl, credential);
			const created = await setup.rest.createWorkflow(workflow);
			await setup.rest.activate(created);
			bench.workflows.set(name, { webhookId, id: created.id });
		}
		return bench;
	}

	/** Lets contenders post the same number of items, in rounds with changing order. */
	async rounds(items: number, count: number, names = this.names): Promise<Results> {
		const results: Results = new Map(names.map((name) => [name, []]));
		let progress = '';
		const run = async () => {
			for (let round = 0; round < count; round++) {
				for (const name of rotated(names, round)) {
					progress = `round ${round + 1} of ${count}, ${name}`;
					results.get(name)?.push(await this.run(name, makeItems(items)));
				}
			}
		};
		await step(`Posting ${items} items each`, run, () => progress);
		return results;
	}

	async close(): Promise<void> {
		await this.platform.stop();
	}

	/** Lets a contender with a valid access token post the items. */
	private async run(name: ContenderName, items: Item[]): Promise<Outcome> {
		const { platform, credential, setup, pid } = this;
		const { connections, isIdle }: Contender = contenders[name];
		await platform.clear();
		const { status, message } = await setup.rest.testCredential(credential);
		if (status !== 'OK') throw new Error(`No access token for '${name}': ${message}`);
		await waitUntilIdle(setup.rest, pid);
		const cost =
			connections === undefined
				? await this.execute(name, items)
				: await postWithoutN8n(platform, connections, items);
		const { bodies, peak } = await platform.arrived();
		const wanted = isIdle ? [] : items.map(bodyOf);
		const isRight = bodies.sort().join('\n') === wanted.sort().join('\n');
		const wrong = `${new Set(bodies).size} different posts of ${bodies.length}, not ${wanted.length}`;
		return {
			...cost,
			peak: isIdle ? 0 : peak,
			errors: [...cost.errors, ...(isRight ? [] : [wrong])],
		};
	}

	/** Runs a production execution, and waits until n8n is idle. */
	private async execute(name: ContenderName, items: Item[]): Promise<Cost> {
		const { pid, setup } = this;
		const { id, webhookId } = this.workflows.get(name)!;
		const start = async (body: object) => await setup.production(`${webhookId}/webhook`, body);
		// The memory must not depend on the run before.
		await start({ collect: true });
		await waitUntilIdle(setup.rest, pid);
		resetPeak(pid);
		const [cpuBefore, memoryBefore] = [cpuSeconds(pid), memoryMb(pid).now];
		const answer = await start({ items });
		await waitUntilIdle(setup.rest, pid);
		const cpuMs = (cpuSeconds(pid) - cpuBefore) * 1000;
		const memory = memoryMb(pid).peak - memoryBefore;
		const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
		const path = `/rest/executions?limit=1&filter=${filter}`;
		const { results } = await setup.rest.call<{ results: Execution[] }>('GET', path);
		const { status, startedAt, stoppedAt } = results[0]!;
		const isDone = answer.status === 200 && status === 'success';
		return {
			// The duration of the execution according to n8n.
			seconds: (Date.parse(stoppedAt) - Date.parse(startedAt)) / 1000,
			...{ cpuMs, memoryMb: memory },
			errors: isDone ? [] : [`response ${answer.status}, execution '${status}'`],
		};
	}
}
