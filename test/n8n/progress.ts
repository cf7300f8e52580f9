const HEARTBEAT_MS = 8_000;

export const seconds = (since: number): string => `${Math.round((Date.now() - since) / 1000)} s`;

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The titles of the running steps. */
const running: string[] = [];

/**
 * Runs a step. Prints its title, a line every few seconds, and its duration. If steps run at the same
 * time, each line names its step.
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
	let isAlone = running.push(title) === 1;
	const name = () => {
		isAlone &&= running.length === 1;
		return isAlone ? '' : `${title}: `;
	};
	const heartbeat = setInterval(
		() => say(`    ${name()}${seconds(started)}: ${doing()}`),
		HEARTBEAT_MS,
	);
	try {
		const result = await action();
		say(`  ${name()}done in ${seconds(started)}`);
		return result;
	} finally {
		clearInterval(heartbeat);
		running.splice(running.indexOf(title), 1);
	}
}
