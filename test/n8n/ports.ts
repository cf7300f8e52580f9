import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which Linux assigns ports. Otherwise, another process could be assigned a port that
 * was found here, but is not in use yet.
 */
const [LOWEST, HIGHEST] = [12_000, 32_000];

const isFree = async (port: number): Promise<boolean> =>
	await new Promise((resolve) => {
		const probe = createServer();
		probe.once('error', () => resolve(false));
		probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
	});

/** Returns a free port of the loopback address: the wanted one, if it is free. */
export async function freePort(wanted = randomInt(LOWEST, HIGHEST)): Promise<number> {
	for (let tries = 0, port = wanted; tries < 100; tries++, port = randomInt(LOWEST, HIGHEST)) {
		if (await isFree(port)) return port;
	}
	throw new Error('There is no free port');
}
