import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Where ports are looked for: below those that Linux hands out itself, so that nobody who is given any
 * port gets one that was found here and is not listened on yet.
 */
const [LOWEST, HIGHEST] = [12_000, 32_000];

const isFree = async (port: number): Promise<boolean> =>
	await new Promise((resolve) => {
		const probe = createServer();
		probe.once('error', () => resolve(false));
		probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
	});

/** A port of the loopback address that nothing listens on: the wanted one where it is free. */
export async function freePort(wanted = randomInt(LOWEST, HIGHEST)): Promise<number> {
	for (let tries = 0, port = wanted; tries < 100; tries++, port = randomInt(LOWEST, HIGHEST)) {
		if (await isFree(port)) return port;
	}
	throw new Error('There is no free port');
}
