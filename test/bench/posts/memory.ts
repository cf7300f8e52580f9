import { step } from '../../n8n/progress';
import { rotated } from '../../n8n/statistics';
import type { WorkflowName } from './contenders';
import { makeItems } from './items';
import type { Outcome } from './outcome';
import { scale } from './scale';
import type { Venue } from './venue';

/** What many items in one run take of n8n's memory. */

export interface LargeRun {
	name: WorkflowName;
	title: string;
	items: number;
	outcomes: Outcome[];
}

export type MemoryResults = Record<'empty' | 'host' | 'ours', LargeRun>;

/** Each after n8n has collected its garbage, so that no run finds room that an earlier one has made. */
export async function playLarge(venue: Venue): Promise<MemoryResults> {
	const { items, rounds } = scale.memory;
	const run = (name: WorkflowName, count: number, title: string): LargeRun => ({
		...{ name, title, items: count },
		outcomes: [],
	});
	const results: MemoryResults = {
		empty: run('host', 1, 'An empty run: one item through a node that does nothing'),
		host: run('host', items, 'Through a node that does nothing'),
		ours: run('ours10', items, 'Through this node, Max Concurrent Requests 10'),
	};
	const play = async () => {
		for (let round = 0; round < rounds; round++) {
			for (const { name, items: count, outcomes } of rotated(Object.values(results), round)) {
				await venue.collectGarbage();
				outcomes.push(await venue.run(name, makeItems(count)));
			}
		}
	};
	await step(`Posting ${items} items in one run`, play);
	return results;
}
