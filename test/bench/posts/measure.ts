import { step } from '../../n8n/progress';
import type { Setup } from '../../n8n/setup';
import { watchOthers } from '../interference';
import { names } from './contenders';
import { openHost } from './host';
import { type MemoryResults, playLarge } from './memory';
import { playRounds, type Results, warmUp } from './rounds';
import { playSlowly, SLOW_CONTENDERS, SLOW_LATENCY_MS, type SlowResults } from './slow-platform';
import { Venue } from './venue';

export const LATENCY_MS = 50;

export interface Measurement {
	results: Results;
	slow: SlowResults;
	large: MemoryResults;
	/** Share of the cores that other programs used meanwhile. */
	others: number;
}

async function play(setup: Setup): Promise<Measurement> {
	const venue = await Venue.open(setup, LATENCY_MS, names);
	const slowVenue = await Venue.open(setup, SLOW_LATENCY_MS, SLOW_CONTENDERS);
	const pids = [venue.n8nPid, venue.platform.pid, slowVenue.platform.pid];
	await step('Trying out, and warming up', async () => await warmUp(venue));
	const others = watchOthers(...pids);
	const results = await playRounds(venue);
	const slow = await playSlowly(slowVenue);
	const large = await playLarge(venue);
	const measurement = { results, slow, large, others: others() };
	await venue.close();
	await slowVenue.close();
	return measurement;
}

/** Measures all contenders in one n8n. */
export async function measure(): Promise<Measurement> {
	const setup = await step('Starting n8n', openHost);
	try {
		return await play(setup);
	} finally {
		await setup.stop();
	}
}
