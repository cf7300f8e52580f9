import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { step } from '../../n8n/progress';
import type { Setup } from '../../n8n/setup';
import { watchOthers } from '../interference';
import { names } from './contenders';
import { createCertificate, type Certificate, type DistantResults, runDistant } from './distance';
import type { StoredSize } from './execution';
import { startBenchHost } from './host';
import { type MemoryResults, runLarge } from './memory';
import { runRounds, type Results, warmUp } from './rounds';
import { runSlowly, SLOW_CONTENDERS, SLOW_LATENCY_MS, type SlowResults } from './slowPlatform';
import { scale } from './scale';
import { BenchSetup } from './benchSetup';

export const LATENCY_MS = 50;

export interface Measurement {
	results: Results;
	slow: SlowResults;
	large: MemoryResults;
	/** The large run of this node. */
	stored: StoredSize;
	distant: DistantResults[];
	/** The share of the CPU time that other programs used. */
	others: number;
}

async function measureIn(setup: Setup, tls: Certificate): Promise<Measurement> {
	const bench = await BenchSetup.open(setup, LATENCY_MS, names);
	const slowBench = await BenchSetup.open(setup, SLOW_LATENCY_MS, SLOW_CONTENDERS);
	const pids = [bench.n8nPid, ...bench.platform.pids, ...slowBench.platform.pids];
	await step('Checking and warming up', async () => await warmUp(bench));
	const others = watchOthers(...pids);
	const results = await runRounds(bench);
	const slow = await runSlowly(slowBench);
	const large = await runLarge(bench);
	const stored = await bench.storedSize('ours10', scale.memory.items);
	const share = others();
	const distant = await runDistant(setup, LATENCY_MS, tls);
	const measurement = { results, slow, large, stored, distant, others: share };
	await bench.close();
	await slowBench.close();
	return measurement;
}

/** Measures all contenders in one n8n. */
export async function measure(): Promise<Measurement> {
	const tls = createCertificate();
	const env = { NODE_EXTRA_CA_CERTS: tls.certificate };
	const setup = await step('Starting n8n', async () => await startBenchHost(env));
	try {
		return await measureIn(setup, tls);
	} finally {
		await setup.stop();
		rmSync(dirname(tls.key), { recursive: true });
	}
}
