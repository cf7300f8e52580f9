import { step } from '../../n8n/progress';
import { watchOthers } from '../interference';
import { rotated } from '../../n8n/statistics';
import { BenchSetup } from './benchSetup';
import type { ContenderName } from './contenders';
import { accepting, type Scenario, refusing } from './scenarios';
import { warmUp } from './warmUp';

/** With many short rounds, the contenders are measured at almost the same time. */
const ROUNDS = 9;
const BURST_MS = 1_500;

/** With five deliveries per second, n8n is idle most of the time. */
const PACE_MS = 200;
const SWEEPS_PER_ROUND = 5;

/** The measurements of a scenario: one value per round, and a latency per delivery. */
export interface Figures {
	scenario: Scenario;
	perSecond: number[];
	cpuMs: number[];
	latencies: number[];
	errors: string[];
}

export interface Engine {
	title: string;
	env: NodeJS.ProcessEnv;
}

export interface Measurement {
	engine: Engine;
	accepted: Map<ContenderName, Figures>;
	refused: Map<ContenderName, Figures>;
	account: Awaited<ReturnType<BenchSetup['account']>>;
	/** The share of the CPU time that other programs used. */
	others: number;
}

const blank = (scenarios: Scenario[]): Map<ContenderName, Figures> =>
	new Map(
		scenarios.map((scenario) => [
			scenario.contender,
			{ scenario, perSecond: [], cpuMs: [], latencies: [], errors: [] },
		]),
	);

async function runRound(
	bench: BenchSetup,
	number: number,
	accepted: Map<ContenderName, Figures>,
	refused: Map<ContenderName, Figures>,
): Promise<void> {
	for (const figures of rotated([...accepted.values(), ...refused.values()], number)) {
		const { perSecond, cpuMs, errors } = await bench.burst(figures.scenario, BURST_MS);
		figures.perSecond.push(perSecond);
		figures.cpuMs.push(cpuMs);
		figures.errors.push(...errors);
	}
	const sweeps = Array.from({ length: SWEEPS_PER_ROUND }, (_, sweep) =>
		rotated(accepting, number + sweep),
	);
	const scenarios = sweeps.flat();
	for (const [index, { ms, error }] of (await bench.pace(PACE_MS, scenarios)).entries()) {
		const { latencies, errors } = accepted.get(scenarios[index]!.contender)!;
		if (error === undefined) latencies.push(ms);
		else errors.push(error);
	}
}

/** Measures all contenders in one n8n, in rounds with changing order. */
export async function measure(engine: Engine): Promise<Measurement> {
	const title = `Starting n8n with ${engine.title}`;
	const bench = await step(title, async () => await BenchSetup.open(engine.env));
	try {
		await step('Checking and warming up', async () => await warmUp(bench));
		const [accepted, refused] = [blank(accepting), blank(refusing)];
		const others = watchOthers(bench.pid);
		let round = 0;
		const runRounds = async () => {
			for (; round < ROUNDS; round++) await runRound(bench, round, accepted, refused);
		};
		await step('Measuring', runRounds, () => `round ${round + 1} of ${ROUNDS}`);
		return { engine, accepted, refused, others: others(), account: await bench.account() };
	} finally {
		await bench.close();
	}
}
