import { setTimeout as sleep } from 'node:timers/promises';
import type { Rest } from '../n8n/rest';
import { cpuSeconds } from '../n8n/n8nProcess';
import { until } from '../n8n/until';

const INTERVAL_MS = 100;

/** n8n is idle when it uses at most this share of a core. */
const IDLE_SHARE = 0.2;

/**
 * Waits until n8n is idle. It responds before the execution has ended, and prepares the next expression
 * engine in advance, which would count in the next measurement.
 */
export async function waitUntilIdle(rest: Rest, pid: number): Promise<void> {
	const isIdle = async () => {
		const before = cpuSeconds(pid);
		await sleep(INTERVAL_MS);
		const busy = (cpuSeconds(pid) - before) / (INTERVAL_MS / 1000);
		return busy <= IDLE_SHARE && (await rest.countExecutions(['new', 'running'])) === 0;
	};
	await until(isIdle, 60_000, 'an idle n8n');
}
