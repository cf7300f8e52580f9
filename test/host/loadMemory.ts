import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntilIdle } from '../n8n/executions';
import { memoryMb, n8nPid } from '../n8n/n8nProcess';
import { say } from '../n8n/progress';
import type { Setup } from '../n8n/setup';

/** What n8n holds when it has nothing to do and has collected its garbage, in MB. */
export interface Holding {
	/** What its own code and data take: its heap of JavaScript objects, and the buffers that they hold. */
	heap: number;
	/** What the operating system has given it, as in /proc/<pid>/status. */
	resident: number;
}

/** n8n writes and deletes what it has recorded a moment after it has answered. */
const PAUSE_MS = 3_000;

const shown = (mb: number): string => mb.toFixed(1);

export class Memory {
	private readonly pid = n8nPid();

	/** @param collect has n8n collect its garbage */
	constructor(
		private readonly setup: Setup,
		private readonly collect: () => Promise<unknown>,
	) {}

	/** Measures it in a moment of rest, and says it under this name. */
	async measure(name: string): Promise<Holding> {
		await waitUntilIdle(this.setup.rest, this.pid);
		await sleep(PAUSE_MS);
		// What the first round of it frees may free more.
		for (let round = 0; round < 2; round++) await this.collect();
		const holding = { heap: await this.heapMb(), resident: memoryMb(this.pid).now };
		say(`  ${name}: heap ${shown(holding.heap)} MB, resident ${shown(holding.resident)} MB`);
		return holding;
	}

	/** As n8n counts it among its own metrics. */
	private async heapMb(): Promise<number> {
		const metrics = await (await fetch(`${this.setup.n8n.url}/metrics`)).text();
		const mb = (name: string) =>
			Number(new RegExp(`^n8n_nodejs_${name}_bytes (\\S+)$`, 'm').exec(metrics)?.[1]) / 2 ** 20;
		return mb('heap_size_used') + mb('external_memory');
	}
}

/** How much may come to stay, in MB. */
export interface Allowance {
	heap: number;
	resident: number;
}

/**
 * What the measurement itself varies by. The system's share of it is larger by far: the allocators of
 * Node and of SQLite keep what they once had, and give it back when they like.
 */
const NOISE: Allowance = { heap: 12, resident: 96 };

/**
 * A delivery is remembered by its digest, for 24 hours or until 50,000 newer ones have come: less than
 * half a KB each. One that was kept whole, with its request and its execution, would be ten or more.
 */
const PER_DELIVERY_MB = 1 / 1024;

export const allowanceFor = (deliveries: number): Allowance => ({
	heap: NOISE.heap + deliveries * PER_DELIVERY_MB,
	resident: NOISE.resident + deliveries * PER_DELIVERY_MB,
});

/**
 * Says how much more there is than there was once n8n was warm, and makes sure that it is no more than
 * allowed.
 *
 * @param warm what it held until then; the system may just have taken something back
 */
export function expectFlat(warm: Holding[], to: Holding, allowed: Allowance): Holding {
	const from = {
		heap: warm.at(-1)!.heap,
		resident: Math.max(...warm.map(({ resident }) => resident)),
	};
	const grown = { heap: to.heap - from.heap, resident: to.resident - from.resident };
	say(
		`  since then: heap ${shown(grown.heap)} MB more (${shown(allowed.heap)} allowed), ` +
			`resident ${shown(grown.resident)} MB more (${shown(allowed.resident)} allowed)`,
	);
	expect(grown.heap).toBeLessThan(allowed.heap);
	expect(grown.resident).toBeLessThan(allowed.resident);
	return grown;
}
