import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DEFAULTS } from '../../emulator/options';
import type { Credential } from '../../n8n/rest';
import type { Setup } from '../../n8n/setup';
import { waitUntilIdle } from '../../n8n/executions';
import { cpuSeconds, resetPeak, memoryMb, n8nPid } from '../../n8n/n8nProcess';
import { type ContenderName, contenders, isFloor, isWithoutToken, widths } from './contenders';
import { latestExecution, secondsOf } from './execution';
import { postWithoutN8n } from './floor';
import type { Item } from './items';
import { type Effort, type Outcome, outcomeOf } from './outcome';
import { Platform } from './platform';
import { workflowOf } from './workflows';

interface Entrant {
	workflowId: string;
	webhookId: string;
}

/** A platform that answers after a certain time, and the workflows that post to it. */
export class Venue {
	readonly n8nPid = n8nPid();
	private readonly entrants = new Map<ContenderName, Entrant>();

	private constructor(
		private readonly setup: Setup,
		readonly platform: Platform,
		private readonly credential: Credential,
	) {}

	static async open(setup: Setup, latencyMs: number, names: ContenderName[]): Promise<Venue> {
		const logFile = join(setup.n8n.userFolder, `platform-${latencyMs}.log`);
		const platform = await Platform.start(latencyMs, logFile);
		const { appId, appSecret } = DEFAULTS;
		const data = { baseUrl: platform.url, appId, appSecret };
		const venue = new Venue(setup, platform, await setup.credential(`${latencyMs} ms`, data));
		for (const name of names) await venue.enter(name);
		return venue;
	}

	/**
	 * Has a contender post the items once. Some find their access token expired. The others find one
	 * that is good: the HTTP Request node would not repeat a refused post, and the floor fetches its own.
	 */
	async run(name: ContenderName, items: Item[]): Promise<Outcome> {
		const { platform, credential, setup } = this;
		await platform.clear();
		const { status, message } = await setup.rest.testCredential(credential);
		if (status !== 'OK') throw new Error(`No access token for '${name}': ${message}`);
		if (isWithoutToken(name)) await platform.expireTokens();
		await waitUntilIdle(setup.rest, this.n8nPid);
		const mark = await platform.mark();
		const effort = isFloor(name)
			? await postWithoutN8n(platform.url, widths[name], items)
			: await this.execute(this.entrant(name), items);
		const arrivals = await platform.since(mark);
		const posted = contenders[name].isIdle ? [] : items;
		return outcomeOf(effort, arrivals, platform.latencyMs, items, posted);
	}

	/** Has n8n collect its garbage. */
	async collectGarbage(): Promise<void> {
		const [entrant] = this.entrants.values();
		if (entrant) await this.start(entrant, { collect: true });
		await waitUntilIdle(this.setup.rest, this.n8nPid);
	}

	async close(): Promise<void> {
		await this.platform.stop();
	}

	private async enter(name: ContenderName): Promise<void> {
		if (isFloor(name)) return;
		const { rest } = this.setup;
		const webhookId = randomUUID();
		const workflow = workflowOf(name, webhookId, this.platform.url, this.credential);
		const created = await rest.createWorkflow(workflow);
		await rest.activate(created);
		this.entrants.set(name, { webhookId, workflowId: created.id });
	}

	/** A production execution from its start until n8n is at rest again. */
	private async execute(entrant: Entrant, items: Item[]): Promise<Effort> {
		const { n8nPid: pid, setup } = this;
		resetPeak(pid);
		const [cpuBefore, memoryBefore] = [cpuSeconds(pid), memoryMb(pid).now];
		const answer = await this.start(entrant, { items });
		await waitUntilIdle(setup.rest, pid);
		const cpuMs = (cpuSeconds(pid) - cpuBefore) * 1000;
		const memory = memoryMb(pid).peak - memoryBefore;
		const execution = await latestExecution(setup.rest, entrant.workflowId);
		const isDone = answer.status === 200 && execution.status === 'success';
		const complaint = `answered ${answer.status}, ended with '${execution.status}'`;
		const complaints = isDone ? [] : [complaint];
		return { seconds: secondsOf(execution), cpuMs, memoryMb: memory, complaints };
	}

	/** Settles once the workflow has ended. */
	private async start({ webhookId }: Entrant, body: object) {
		return await this.setup.production(`${webhookId}/webhook`, body);
	}

	private entrant(name: ContenderName): Entrant {
		const entrant = this.entrants.get(name);
		if (!entrant) throw new Error(`There is no workflow for '${name}'`);
		return entrant;
	}
}
