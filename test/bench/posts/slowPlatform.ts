import { step } from '../../n8n/progress';
import type { ContenderName } from './contenders';
import { makeItems } from './items';
import type { Outcome } from './outcome';
import { scale } from './scale';
import type { BenchSetup } from './benchSetup';

export const SLOW_LATENCY_MS = 1_000;

export const SLOW_CONTENDERS = ['ours5', 'ours10', 'plain'] as const satisfies ContenderName[];

export type SlowResults = Array<{ name: ContenderName; items: number; outcome: Outcome }>;

/** Counts connections on a slow platform. One run each is enough, because the number hardly varies. */
export async function runSlowly(bench: BenchSetup): Promise<SlowResults> {
	const results: SlowResults = [];
	const run = async () => {
		for (const name of SLOW_CONTENDERS) {
			const items = name === 'plain' ? scale.slow.unlimited : scale.slow.limited;
			results.push({ name, items, outcome: await bench.run(name, makeItems(items)) });
		}
	};
	await step(`Posting to a platform that takes ${SLOW_LATENCY_MS} ms`, run);
	return results;
}
