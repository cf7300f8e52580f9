import { N8n } from '../../n8n/n8n';
import { packed, unpack } from '../../n8n/pack';
import { Setup } from '../../n8n/setup';
import { waitUntilIdle } from '../../n8n/executions';
import { type Answer, Load } from '../../n8n/load';
import { cpuSeconds, n8nPid } from '../../n8n/n8nProcess';
import type { ContenderName } from './contenders';
import { delivery } from './deliveries';
import { enter, type Entrant } from './entrants';
import { complaintAbout, type Lane } from './lanes';
import { placeFloor, placeUncached } from './packages';

/** Enough to keep n8n busy all the time, few enough that no delivery has to queue for long. */
const CONNECTIONS = 8;

/** How long an answer took; one that is not as it should be leaves a complaint. */
export interface Outcome {
	ms: number;
	complaint?: string;
}

export interface Burst {
	perSecond: number;
	/** CPU time of n8n for each delivery, what it does after the answer included. */
	cpuMs: number;
	complaints: string[];
}

/** How many deliveries a contender should have executed, and how many it has. */
export interface Account {
	title: string;
	given: number;
	executed: number;
}

/** An n8n in which all contenders are active, and the count of what each has been given to do. */
export class Arena {
	readonly pid = n8nPid();
	private readonly load: Load;
	private readonly given = new Map<ContenderName, number>();

	private constructor(
		readonly setup: Setup,
		private readonly entrants: Map<ContenderName, Entrant>,
	) {
		this.load = new Load(setup.n8n.url, CONNECTIONS);
	}

	/** @param env of n8n, over the default */
	static async open(env: NodeJS.ProcessEnv): Promise<Arena> {
		const userFolder = N8n.makeUserFolder();
		unpack(await packed(), userFolder);
		placeFloor(userFolder);
		placeUncached(userFolder);
		const setup = await Setup.start({ userFolder, env });
		try {
			return new Arena(setup, await enter(setup));
		} catch (error) {
			await setup.stop();
			throw error;
		}
	}

	workflowId = (name: ContenderName): string => this.entrant(name).workflowId;

	/** One delivery. */
	async deliver(lane: Lane): Promise<Outcome> {
		const { path } = this.entrant(lane.contender);
		const { appSecret } = this.setup.emulator;
		let answer: Answer;
		try {
			answer = await this.load.send(delivery(path, appSecret, lane.signature));
		} catch (error) {
			return { ms: NaN, complaint: String(error) };
		}
		const complaint = complaintAbout(answer, lane);
		if (lane.executes && complaint === undefined) {
			this.given.set(lane.contender, (this.given.get(lane.contender) ?? 0) + 1);
		}
		return { ms: answer.ms, complaint };
	}

	/** As many deliveries as n8n takes in the given time, and what they cost it in the end. */
	async burst(lane: Lane, ms: number): Promise<Burst> {
		const cpuBefore = cpuSeconds(this.pid);
		const { results, seconds } = await this.load.burst(ms, async () => await this.deliver(lane));
		await waitUntilIdle(this.setup.rest, this.pid);
		const complaints = results.flatMap(({ complaint }) => complaint ?? []);
		const right = results.length - complaints.length;
		const cpuMs = ((cpuSeconds(this.pid) - cpuBefore) * 1000) / right;
		return { perSecond: right / seconds, cpuMs, complaints };
	}

	/** Single deliveries at a slow pace, one lane after the other; outcomes in the order of lanes. */
	async pace(everyMs: number, lanes: Lane[]): Promise<Outcome[]> {
		const requests = lanes.map((lane) => async () => await this.deliver(lane));
		const outcomes = await this.load.pace(everyMs, requests);
		await waitUntilIdle(this.setup.rest, this.pid);
		return outcomes;
	}

	/** What n8n has done, against what it has answered for. */
	async account(): Promise<Map<ContenderName, Account>> {
		const account = new Map<ContenderName, Account>();
		for (const { name, title, workflowId } of this.entrants.values()) {
			const executed = await this.setup.rest.countExecutions(['success'], workflowId);
			account.set(name, { title, given: this.given.get(name) ?? 0, executed });
		}
		return account;
	}

	async close(): Promise<void> {
		await this.load.stop();
		await this.setup.stop();
	}

	private entrant(name: ContenderName): Entrant {
		const entrant = this.entrants.get(name);
		if (!entrant) throw new Error(`There is no contender '${name}'`);
		return entrant;
	}
}
