import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DEFAULTS } from '../../emulator/options';
import type { Credential } from '../../n8n/rest';
import type { Setup } from '../../n8n/setup';
import { waitUntilIdle } from '../../n8n/executions';
import { cpuSeconds, resetPeak, memoryMb, n8nPid } from '../../n8n/n8nProcess';
import {
	type ContenderName,
	contenders,
	isBaseline,
	isWithoutToken,
	connectionLimits,
} from './contenders';
import { latestExecution, secondsOf, type StoredSize, storedSizeOf } from './execution';
import { postWithoutN8n } from './baseline';
import type { Item } from './items';
import { type Cost, type Outcome, outcomeOf } from './outcome';
import { type Distance, Platform } from './platform';
import { workflowOf } from './workflows';

interface ActiveWorkflow {
	workflowId: string;
	webhookId: string;
}

/** A platform with a fixed response time, and the workflows that post to it. */
export class BenchSetup {
	readonly n8nPid = n8nPid();
	private readonly workflows = new Map<ContenderName, ActiveWorkflow>();

	private constructor(
		private readonly setup: Setup,
		readonly platform: Platform,
		private readonly credential: Credential,
	) {}

	static async open(
		setup: Setup,
		latencyMs: number,
		names: readonly ContenderName[],
		distance?: Distance,
	): Promise<BenchSetup> {
		const at = [latencyMs, distance?.roundTripMs].filter((ms) => ms !== undefined).join('-');
		const logFile = join(setup.n8n.userFolder, `platform-${at}.log`);
		const platform = await Platform.start(latencyMs, logFile, distance);
		const { appId, appSecret } = DEFAULTS;
		const data = { baseUrl: platform.url, appId, appSecret };
		const bench = new BenchSetup(setup, platform, await setup.credential(`${at} ms`, data));
		for (const name of names) await bench.createWorkflow(name);
		return bench;
	}

	/**
	 * Lets a contender post the items. This package's node starts with an expired access token, except for
	 * contenders with a valid one. The HTTP Request node needs a valid token, and the baseline fetches one.
	 */
	async run(name: ContenderName, items: Item[]): Promise<Outcome> {
		const { platform, credential, setup } = this;
		await platform.clear();
		const { status, message } = await setup.rest.testCredential(credential);
		if (status !== 'OK') throw new Error(`No access token for '${name}': ${message}`);
		if (isWithoutToken(name)) await platform.expireTokens();
		await waitUntilIdle(setup.rest, this.n8nPid);
		const checkpoint = await platform.checkpoint();
		const cost = isBaseline(name)
			? await postWithoutN8n(platform, connectionLimits[name], items)
			: await this.execute(this.workflow(name), items);
		const arrivals = await platform.since(checkpoint);
		const posted = contenders[name].isIdle ? [] : items;
		return outcomeOf(cost, arrivals, platform.latencyMs, items, posted);
	}

	/** The size of the latest execution of a contender. */
	async storedSize(name: ContenderName, items: number): Promise<StoredSize> {
		const { rest } = this.setup;
		const { id } = await latestExecution(rest, this.workflow(name).workflowId);
		return storedSizeOf((await rest.execution(id)).raw, items);
	}

	/** Makes n8n collect garbage. */
	async collectGarbage(): Promise<void> {
		const [workflow] = this.workflows.values();
		if (workflow) await this.start(workflow, { collect: true });
		await waitUntilIdle(this.setup.rest, this.n8nPid);
	}

	async close(): Promise<void> {
		await this.platform.stop();
	}

	private async createWorkflow(name: ContenderName): Promise<void> {
		if (isBaseline(name)) return;
		const { rest } = this.setup;
		const webhookId = randomUUID();
		const workflow = workflowOf(name, webhookId, this.platform.url, this.credential);
		const created = await rest.createWorkflow(workflow);
		await rest.activate(created);
		this.workflows.set(name, { webhookId, workflowId: created.id });
	}

	/** Runs a production execution, and waits until n8n is idle. */
	private async execute(workflow: ActiveWorkflow, items: Item[]): Promise<Cost> {
		const { n8nPid: pid, setup } = this;
		resetPeak(pid);
		const [cpuBefore, memoryBefore] = [cpuSeconds(pid), memoryMb(pid).now];
		const answer = await this.start(workflow, { items });
		await waitUntilIdle(setup.rest, pid);
		const cpuMs = (cpuSeconds(pid) - cpuBefore) * 1000;
		const memory = memoryMb(pid).peak - memoryBefore;
		const execution = await latestExecution(setup.rest, workflow.workflowId);
		const isDone = answer.status === 200 && execution.status === 'success';
		const error = `response ${answer.status}, execution '${execution.status}'`;
		const errors = isDone ? [] : [error];
		return { seconds: secondsOf(execution), cpuMs, memoryMb: memory, errors };
	}

	/** Starts a workflow, and waits for its end. */
	private async start({ webhookId }: ActiveWorkflow, body: object) {
		return await this.setup.production(`${webhookId}/webhook`, body);
	}

	private workflow(name: ContenderName): ActiveWorkflow {
		const workflow = this.workflows.get(name);
		if (!workflow) throw new Error(`There is no workflow for '${name}'`);
		return workflow;
	}
}
