import { step } from '../../n8n/progress';
import { watchOthers } from '../interference';
import { rotated } from '../../n8n/statistics';
import { Arena } from './arena';
import type { ContenderName } from './contenders';
import { accepting, type Lane, refusing } from './lanes';
import { rehearse } from './rehearsal';

/** Many short rounds: what is compared is measured close together in time. */
const ROUNDS = 9;
const BURST_MS = 1_500;

/** Five single deliveries a second leave n8n idle most of the time, with either engine. */
const PACE_MS = 200;
const SWEEPS_PER_ROUND = 5;

/** What was measured in one lane: one value per round, and of latencies one per delivery. */
export interface Figures {
	lane: Lane;
	perSecond: number[];
	cpuMs: number[];
	latencies: number[];
	complaints: string[];
}

export interface Engine {
	title: string;
	env: NodeJS.ProcessEnv;
}

export interface Measurement {
	engine: Engine;
	accepted: Map<ContenderName, Figures>;
	refused: Map<ContenderName, Figures>;
	account: Awaited<ReturnType<Arena['account']>>;
	/** Share of the cores that other programs used meanwhile. */
	others: number;
}

const blank = (lanes: Lane[]): Map<ContenderName, Figures> =>
	new Map(
		lanes.map((lane) => [
			lane.contender,
			{ lane, perSecond: [], cpuMs: [], latencies: [], complaints: [] },
		]),
	);

async function playRound(
	arena: Arena,
	number: number,
	accepted: Map<ContenderName, Figures>,
	refused: Map<ContenderName, Figures>,
): Promise<void> {
	for (const figures of rotated([...accepted.values(), ...refused.values()], number)) {
		const { perSecond, cpuMs, complaints } = await arena.burst(figures.lane, BURST_MS);
		figures.perSecond.push(perSecond);
		figures.cpuMs.push(cpuMs);
		figures.complaints.push(...complaints);
	}
	const sweeps = Array.from({ length: SWEEPS_PER_ROUND }, (_, sweep) =>
		rotated(accepting, number + sweep),
	);
	const lanes = sweeps.flat();
	for (const [index, { ms, complaint }] of (await arena.pace(PACE_MS, lanes)).entries()) {
		const { latencies, complaints } = accepted.get(lanes[index]!.contender)!;
		if (complaint === undefined) latencies.push(ms);
		else complaints.push(complaint);
	}
}

/** Measures all contenders in one n8n, in rounds, each in another place of every round. */
export async function measure(engine: Engine): Promise<Measurement> {
	const title = `Starting n8n with ${engine.title}`;
	const arena = await step(title, async () => await Arena.open(engine.env));
	try {
		await step('Trying out, and warming up', async () => await rehearse(arena));
		const [accepted, refused] = [blank(accepting), blank(refusing)];
		const others = watchOthers(arena.pid);
		let round = 0;
		const play = async () => {
			for (; round < ROUNDS; round++) await playRound(arena, round, accepted, refused);
		};
		await step('Measuring', play, () => `round ${round + 1} of ${ROUNDS}`);
		return { engine, accepted, refused, others: others(), account: await arena.account() };
	} finally {
		await arena.close();
	}
}
