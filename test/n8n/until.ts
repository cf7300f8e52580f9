import { setTimeout as pause } from 'node:timers/promises';

type Nothing = false | undefined;

const INTERVAL_MS = 50;

/** Waits until a probe finds something, and returns it. */
export async function until<T>(
	probe: () => T | Nothing | Promise<T | Nothing>,
	timeoutMs = 20_000,
	what = 'what a test waits for',
): Promise<T> {
	const deadline = Date.now() + timeoutMs;
	while (Date.now() < deadline) {
		const found = await probe();
		if (found !== false && found !== undefined) return found;
		await pause(INTERVAL_MS);
	}
	throw new Error(`There was no sign of ${what} within ${timeoutMs / 1000} seconds`);
}
