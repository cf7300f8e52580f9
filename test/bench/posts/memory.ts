import { step } from '../../n8n/progress';
import { rotated } from '../../n8n/statistics';
import type { WorkflowName } from './contenders';
import { makeItems } from './items';
import type { Outcome } from './outcome';
import { scale } from './scale';
import type { BenchSetup } from './benchSetup';

export interface LargeRun {
	name: WorkflowName;
	title: string;
	items: number;
	outcomes: Outcome[];
}

export type MemoryResults = Record<'empty' | 'host' | 'ours', LargeRun>;

/** Measures n8n's memory in runs with many items. n8n collects garbage before each run. */
export async function runLarge(bench: BenchSetup): Promise<MemoryResults> {
	const { items, rounds } = scale.memory;
	const newRun = (name: WorkflowName, count: number, title: string): LargeRun => ({
		...{ name, title, items: count },
		outcomes: [],
	});
	const results: MemoryResults = {
		empty: newRun('host', 1, 'Empty run: one item and a node that does nothing'),
		host: newRun('host', items, 'A node that does nothing'),
		ours: newRun('ours10', items, 'This node, Max Concurrent Requests 10'),
	};
	const run = async () => {
		for (let round = 0; round < rounds; round++) {
			for (const { name, items: count, outcomes } of rotated(Object.values(results), round)) {
				await bench.collectGarbage();
				outcomes.push(await bench.run(name, makeItems(count)));
			}
		}
	};
	await step(`Posting ${items} items in one run`, run);
	return results;
}
