import { step } from '../../n8n/progress';
import type { ContenderName } from './contenders';
import { makeItems } from './items';
import type { Outcome } from './outcome';
import { scale } from './scale';
import type { Venue } from './venue';

/** On a slow platform, a sender without a bound shows how many connections it takes. */

export const SLOW_LATENCY_MS = 1_000;

export const SLOW_CONTENDERS = ['ours5', 'ours10', 'plain'] as const satisfies ContenderName[];

export type SlowResults = Array<{ name: ContenderName; items: number; outcome: Outcome }>;

/** Each once: how many connections there are does not vary as times do. */
export async function playSlowly(venue: Venue): Promise<SlowResults> {
	const results: SlowResults = [];
	const play = async () => {
		for (const name of SLOW_CONTENDERS) {
			const items = name === 'plain' ? scale.slow.unbounded : scale.slow.bounded;
			results.push({ name, items, outcome: await venue.run(name, makeItems(items)) });
		}
	};
	await step(`Posting to a platform that takes ${SLOW_LATENCY_MS} ms`, play);
	return results;
}
