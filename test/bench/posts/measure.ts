import { step } from '../../n8n/progress';
import type { Setup } from '../../n8n/setup';
import { watchOthers } from '../interference';
import { names } from './contenders';
import { startBenchHost } from './host';
import { type MemoryResults, runLarge } from './memory';
import { runRounds, type Results, warmUp } from './rounds';
import { runSlowly, SLOW_CONTENDERS, SLOW_LATENCY_MS, type SlowResults } from './slowPlatform';
import { BenchSetup } from './benchSetup';

export const LATENCY_MS = 50;

export interface Measurement {
	results: Results;
	slow: SlowResults;
	large: MemoryResults;
	/** The share of the CPU time that other programs used. */
	others: number;
}

async function measureIn(setup: Setup): Promise<Measurement> {
	const bench = await BenchSetup.open(setup, LATENCY_MS, names);
	const slowBench = await BenchSetup.open(setup, SLOW_LATENCY_MS, SLOW_CONTENDERS);
	const pids = [bench.n8nPid, bench.platform.pid, slowBench.platform.pid];
	await step('Checking and warming up', async () => await warmUp(bench));
	const others = watchOthers(...pids);
	const results = await runRounds(bench);
	const slow = await runSlowly(slowBench);
	const large = await runLarge(bench);
	const measurement = { results, slow, large, others: others() };
	await bench.close();
	await slowBench.close();
	return measurement;
}

/** Measures all contenders in one n8n. */
export async function measure(): Promise<Measurement> {
	const setup = await step('Starting n8n', startBenchHost);
	try {
		return await measureIn(setup);
	} finally {
		await setup.stop();
	}
}
