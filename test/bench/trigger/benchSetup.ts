import { N8n } from '../../n8n/n8n';
import { packed, unpack } from '../../n8n/pack';
import { Setup } from '../../n8n/setup';
import { waitUntilIdle } from '../../n8n/executions';
import { type Answer, Load } from '../../n8n/load';
import { cpuSeconds, n8nPid } from '../../n8n/n8nProcess';
import type { ContenderName } from './contenders';
import { delivery } from './deliveries';
import { activateContenders, type ActiveContender } from './activeContenders';
import { errorIn, type Scenario } from './scenarios';
import { placeBaseline, placeUncached } from './packages';

/** Enough connections to keep n8n busy, without long queues. */
const CONNECTIONS = 8;

/** The response time of a delivery, and what is wrong with the response. */
export interface Outcome {
	ms: number;
	error?: string;
}

export interface Burst {
	perSecond: number;
	/** n8n's CPU time per delivery, including its work after the response. */
	cpuMs: number;
	errors: string[];
}

/** The number of executions that a contender should have started, and has started. */
export interface Account {
	title: string;
	given: number;
	executed: number;
}

/** An n8n with all contenders active. It counts the deliveries that should start an execution. */
export class BenchSetup {
	readonly pid = n8nPid();
	private readonly load: Load;
	private readonly given = new Map<ContenderName, number>();

	private constructor(
		readonly setup: Setup,
		private readonly contenders: Map<ContenderName, ActiveContender>,
	) {
		this.load = new Load(setup.n8n.url, CONNECTIONS);
	}

	/** @param env additional environment variables of n8n */
	static async open(env: NodeJS.ProcessEnv): Promise<BenchSetup> {
		const userFolder = N8n.makeUserFolder();
		unpack(await packed(), userFolder);
		placeBaseline(userFolder);
		placeUncached(userFolder);
		const setup = await Setup.start({ userFolder, env });
		try {
			return new BenchSetup(setup, await activateContenders(setup));
		} catch (error) {
			await setup.stop();
			throw error;
		}
	}

	workflowId = (name: ContenderName): string => this.contender(name).workflowId;

	async deliver(scenario: Scenario): Promise<Outcome> {
		const { path } = this.contender(scenario.contender);
		const { appSecret } = this.setup.emulator;
		let answer: Answer;
		try {
			answer = await this.load.send(delivery(path, appSecret, scenario.signature));
		} catch (error) {
			return { ms: NaN, error: String(error) };
		}
		const error = errorIn(answer, scenario);
		if (scenario.executes && error === undefined) {
			this.given.set(scenario.contender, (this.given.get(scenario.contender) ?? 0) + 1);
		}
		return { ms: answer.ms, error };
	}

	/** Sends as many deliveries as possible in the given time. */
	async burst(scenario: Scenario, ms: number): Promise<Burst> {
		const cpuBefore = cpuSeconds(this.pid);
		const { results, seconds } = await this.load.burst(
			ms,
			async () => await this.deliver(scenario),
		);
		await waitUntilIdle(this.setup.rest, this.pid);
		const errors = results.flatMap(({ error }) => error ?? []);
		const right = results.length - errors.length;
		const cpuMs = ((cpuSeconds(this.pid) - cpuBefore) * 1000) / right;
		return { perSecond: right / seconds, cpuMs, errors };
	}

	/** Sends one delivery of each scenario at an interval. */
	async pace(everyMs: number, scenarios: Scenario[]): Promise<Outcome[]> {
		const requests = scenarios.map((scenario) => async () => await this.deliver(scenario));
		const outcomes = await this.load.pace(everyMs, requests);
		await waitUntilIdle(this.setup.rest, this.pid);
		return outcomes;
	}

	/** Compares the executions in n8n with the accepted deliveries. */
	async account(): Promise<Map<ContenderName, Account>> {
		const account = new Map<ContenderName, Account>();
		for (const { name, title, workflowId } of this.contenders.values()) {
			const executed = await this.setup.rest.countExecutions(['success'], workflowId);
			account.set(name, { title, given: this.given.get(name) ?? 0, executed });
		}
		return account;
	}

	async close(): Promise<void> {
		await this.load.stop();
		await this.setup.stop();
	}

	private contender(name: ContenderName): ActiveContender {
		const contender = this.contenders.get(name);
		if (!contender) throw new Error(`There is no contender '${name}'`);
		return contender;
	}
}
