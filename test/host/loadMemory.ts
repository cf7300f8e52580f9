import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntilIdle } from '../n8n/executions';
import { memoryMb, n8nPid } from '../n8n/n8nProcess';
import { say } from '../n8n/progress';
import type { Setup } from '../n8n/setup';

/** The memory of an idle n8n after garbage collection, in MB. */
export interface MemoryUse {
	/** JavaScript objects and their buffers. */
	heap: number;
	/** The resident memory in /proc/<pid>/status. */
	resident: number;
}

/** n8n stores and deletes executions a moment after it has responded. */
const PAUSE_MS = 3_000;

const shown = (mb: number): string => mb.toFixed(1);

export class Memory {
	private readonly pid = n8nPid();

	/** @param collect makes n8n collect garbage */
	constructor(
		private readonly setup: Setup,
		private readonly collect: () => Promise<unknown>,
	) {}

	/** Waits until n8n is idle, measures its memory, and prints it. */
	async measure(name: string): Promise<MemoryUse> {
		await waitUntilIdle(this.setup.rest, this.pid);
		await sleep(PAUSE_MS);
		// The second collection frees objects that the first one has finalized.
		for (let round = 0; round < 2; round++) await this.collect();
		const use = { heap: await this.heapMb(), resident: memoryMb(this.pid).now };
		say(`  ${name}: heap ${shown(use.heap)} MB, resident ${shown(use.resident)} MB`);
		return use;
	}

	/** The heap according to n8n's metrics. */
	private async heapMb(): Promise<number> {
		const metrics = await (await fetch(`${this.setup.n8n.url}/metrics`)).text();
		const mb = (name: string) =>
			Number(new RegExp(`^n8n_nodejs_${name}_bytes (\\S+)$`, 'm').exec(metrics)?.[1]) / 2 ** 20;
		return mb('heap_size_used') + mb('external_memory');
	}
}

/** The allowed growth, in MB. */
export interface Allowance {
	heap: number;
	resident: number;
}

/**
 * The variation between measurements. Resident memory varies much more, because the allocators of Node and
 * SQLite do not return free memory at once.
 */
const NOISE: Allowance = { heap: 12, resident: 96 };

/**
 * The trigger remembers the digests of up to 50,000 deliveries, which take less than half a KB each. A
 * leak of requests or executions would take ten KB or more.
 */
const PER_DELIVERY_MB = 1 / 1024;

export const allowanceFor = (deliveries: number): Allowance => ({
	heap: NOISE.heap + deliveries * PER_DELIVERY_MB,
	resident: NOISE.resident + deliveries * PER_DELIVERY_MB,
});

/**
 * Prints the growth since the warm-up, and checks it.
 *
 * @param warm all measurements until then, because resident memory may have been lower for a moment
 */
export function expectFlat(warm: MemoryUse[], to: MemoryUse, allowed: Allowance): MemoryUse {
	const from = {
		heap: warm.at(-1)!.heap,
		resident: Math.max(...warm.map(({ resident }) => resident)),
	};
	const grown = { heap: to.heap - from.heap, resident: to.resident - from.resident };
	say(
		`  growth: heap ${shown(grown.heap)} MB (${shown(allowed.heap)} allowed), ` +
			`resident ${shown(grown.resident)} MB (${shown(allowed.resident)} allowed)`,
	);
	expect(grown.heap).toBeLessThan(allowed.heap);
	expect(grown.resident).toBeLessThan(allowed.resident);
	return grown;
}
