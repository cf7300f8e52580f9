import { setTimeout as pause } from 'node:timers/promises';
import { say, seconds } from '../n8n/progress';

/** The time limit for each step of the demo. */
export const TIMEOUT_MS = 45_000;

const MESSAGE_INTERVAL_MS = 10_000;

/**
 * Waits until a function returns a value. Prints regularly what is missing.
 *
 * @throws Error that says what is missing
 */
export async function until<T>(
	find: () => Promise<T | undefined> | T | undefined,
	missing: () => string,
): Promise<T> {
	const started = Date.now();
	let nextMessage = started + MESSAGE_INTERVAL_MS;
	while (Date.now() - started < TIMEOUT_MS) {
		const found = await find();
		if (found !== undefined) return found;
		if (Date.now() > nextMessage) {
			say(`     ${seconds(started)}: ${missing()} yet`);
			nextMessage += MESSAGE_INTERVAL_MS;
		}
		await pause(250);
	}
	throw new Error(`${missing()} within ${seconds(started)}`);
}
