import { createServer } from 'node:net';

/** A port of the loopback address that nothing listens on: the wanted one where it is free. */
export async function freePort(wanted = 0): Promise<number> {
	return await new Promise((resolve, reject) => {
		const probe = createServer();
		probe.once('error', () => (wanted === 0 ? reject(new Error('no port')) : resolve(freePort())));
		probe.listen(wanted, '127.0.0.1', () => {
			const address = probe.address();
			probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
		});
	});
}
