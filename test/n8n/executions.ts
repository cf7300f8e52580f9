import { setTimeout as sleep } from 'node:timers/promises';
import type { Rest } from './rest';
import { cpuSeconds } from './n8nProcess';

const LOOK_EVERY_MS = 100;
const PATIENCE_MS = 60_000;

/** Up to this share of one core, n8n counts as having nothing to do. */
const IDLE_SHARE = 0.2;

/**
 * Waits until n8n is at rest: it answers before the execution has ended, and fetches the next
 * expression engine ahead of time, so that the next measurement would pay for this one.
 */
export async function settled(rest: Rest, pid: number): Promise<void> {
	const deadline = Date.now() + PATIENCE_MS;
	while (Date.now() < deadline) {
		const before = cpuSeconds(pid);
		await sleep(LOOK_EVERY_MS);
		const busy = (cpuSeconds(pid) - before) / (LOOK_EVERY_MS / 1000);
		if (busy <= IDLE_SHARE && (await rest.countExecutions(['new', 'running'])) === 0) return;
	}
	throw new Error(`n8n was still busy ${PATIENCE_MS / 1000} seconds after the last delivery`);
}
