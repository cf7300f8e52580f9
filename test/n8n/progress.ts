const HEARTBEAT_MS = 8_000;

export const seconds = (since: number): string => `${Math.round((Date.now() - since) / 1000)} s`;

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Runs a step. Prints its title, a line every few seconds, and its duration. Each line names the step.
 *
 * @param doing returns the text of these lines
 */
export async function step<T>(
	title: string,
	action: () => Promise<T>,
	doing: () => string = () => 'still running',
): Promise<T> {
	const started = Date.now();
	say(`• ${title} …`);
	const heartbeat = setInterval(
		() => say(`    ${title}: ${seconds(started)}: ${doing()}`),
		HEARTBEAT_MS,
	);
	try {
		const result = await action();
		say(`  ${title}: done in ${seconds(started)}`);
		return result;
	} finally {
		clearInterval(heartbeat);
	}
}
