/** Says on the terminal what is going on, and for how long it has been going on. */

const HEARTBEAT_MS = 8_000;

export const seconds = (since: number): string => `${Math.round((Date.now() - since) / 1000)} s`;

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Runs one step: its title first, a line every few seconds while it runs, its duration at the end.
 * `doing` tells what it is at; called for each of those lines.
 */
export async function step<T>(
	title: string,
	action: () => Promise<T>,
	doing: () => string = () => 'still at it',
): Promise<T> {
	const started = Date.now();
	say(`• ${title} …`);
	const heartbeat = setInterval(() => say(`    ${seconds(started)}: ${doing()}`), HEARTBEAT_MS);
	try {
		const result = await action();
		say(`  done in ${seconds(started)}`);
		return result;
	} finally {
		clearInterval(heartbeat);
	}
}
