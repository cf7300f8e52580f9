import { join } from 'node:path';
import { placePackage } from '../communityPackage';
import { waitUntilIdle } from '../executions';
import { Load } from '../load';
import { N8n } from '../../n8n/n8n';
import { cpuSeconds, n8nPid } from '../../n8n/n8nProcess';
import { Setup } from '../../n8n/setup';
import { row } from '../../n8n/workflows';
import { BASELINE, type Contender, type ContenderName, contendersWith } from './contenders';
import { delivery } from './deliveries';

/** Enough connections to keep n8n busy, without long queues. */
const CONNECTIONS = 8;

export interface Burst {
	perSecond: number;
	/** n8n's CPU time per delivery, including its work after the response. */
	cpuMs: number;
}

type ActiveContender = Contender & { workflowId: string; accepted: number };

/** An n8n with all contenders active. */
export class BenchSetup {
	/** What was wrong with responses. */
	readonly errors: string[] = [];
	private readonly pid = n8nPid();
	private readonly load: Load;

	private constructor(
		private readonly setup: Setup,
		readonly contenders: Map<ContenderName, ActiveContender>,
	) {
		this.load = new Load(setup.n8n.url, CONNECTIONS);
	}

	/** @param env additional environment variables of n8n */
	static async open(env: NodeJS.ProcessEnv): Promise<BenchSetup> {
		const userFolder = N8n.makeUserFolder();
		placePackage(userFolder, BASELINE, join(__dirname, 'baseline'));
		const setup = await Setup.start({ userFolder, env });
		try {
			const { rest, emulator } = setup;
			const data = { hmacSecret: emulator.appSecret };
			const secret = await rest.createCredential({ name: 'secret', type: 'crypto', data });
			const contenders = contendersWith(await setup.credential('platform'), secret);
			const active = new Map<ContenderName, ActiveContender>();
			for (const [name, contender] of Object.entries<Contender>(contenders)) {
				const created = await rest.createWorkflow(row(name, ...contender.nodes));
				await rest.activate(created);
				active.set(name as ContenderName, { ...contender, workflowId: created.id, accepted: 0 });
			}
			return new BenchSetup(setup, active);
		} catch (error) {
			await setup.stop();
			throw error;
		}
	}

	/** Sends as many deliveries to a contender as possible in the given time, and waits until n8n is idle. */
	async burst(name: ContenderName, ms: number): Promise<Burst> {
		const contender = this.contenders.get(name)!;
		const cpuBefore = cpuSeconds(this.pid);
		const { results, seconds } = await this.load.burst(
			ms,
			async () => await this.deliver(contender),
		);
		await waitUntilIdle(this.setup.rest, this.pid);
		const cpuMs = ((cpuSeconds(this.pid) - cpuBefore) * 1000) / results.length;
		return { perSecond: results.length / seconds, cpuMs };
	}

	/** Reports wrong responses, and contenders whose executions are not as many as their accepted deliveries. */
	async wrong(): Promise<string[]> {
		const found = [...this.errors];
		for (const { title, accepted, workflowId } of this.contenders.values()) {
			const executed = await this.setup.rest.countExecutions(['success'], workflowId);
			if (executed !== accepted) {
				found.push(`${title}: ${executed} executions of ${accepted} deliveries`);
			}
		}
		return found;
	}

	async close(): Promise<void> {
		await this.load.stop();
		await this.setup.stop();
	}

	private async deliver(contender: ActiveContender): Promise<void> {
		const { path, isForged, title } = contender;
		const [wanted, says] = contender.response;
		const { appSecret } = this.setup.emulator;
		const { status, text } = await this.load.send(
			delivery(path, isForged ? `${appSecret}-not` : appSecret),
		);
		if (status !== wanted || !text.includes(says)) {
			this.errors.push(`${title}: ${status} ${text.slice(0, 200)}`);
		} else if (!isForged) contender.accepted += 1;
	}
}
