import { setTimeout as pause } from 'node:timers/promises';
import { say, seconds } from '../n8n/progress';

/** How long the demo waits for each thing to happen, in milliseconds. */
export const PATIENCE_MS = 45_000;

const WORD_EVERY_MS = 10_000;

/**
 * Looks again and again until there is something, and says now and then what is missing.
 *
 * @throws Error with what is missing
 */
export async function until<T>(
	look: () => Promise<T | undefined> | T | undefined,
	missing: () => string,
): Promise<T> {
	const started = Date.now();
	let nextWord = started + WORD_EVERY_MS;
	while (Date.now() - started < PATIENCE_MS) {
		const found = await look();
		if (found !== undefined) return found;
		if (Date.now() > nextWord) {
			say(`     ${seconds(started)}: ${missing()} so far`);
			nextWord += WORD_EVERY_MS;
		}
		await pause(250);
	}
	throw new Error(`${missing()} within ${seconds(started)}`);
}
