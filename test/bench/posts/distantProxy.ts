import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/**
 * A platform behind TLS and a distance, in a process of its own. Data is passed on after half a round
 * trip. The kernel accepts a connection at once, so the first data waits for the round trip that the
 * set-up of the connection would take. Bandwidth and lost packets are not emulated.
 *
 * Arguments: the port of the platform, the round trip in ms, and the files of the key and the certificate.
 */
const [port, roundTrip, key = '', cert = ''] = process.argv.slice(2);
const roundTripMs = Number(roundTrip);

/** Passes data and the end of a connection on, in order. @param opened when data can arrive at the earliest */
function pass(from: Socket, to: Socket, opened: number): void {
	const waiting: Array<{ due: number; action: () => void }> = [];
	const run = (): void => {
		while (waiting[0] && waiting[0].due - performance.now() < 0.5) waiting.shift()!.action();
		if (waiting[0]) setTimeout(run, waiting[0].due - performance.now());
	};
	const later = (action: () => void) => {
		const due = Math.max(performance.now(), opened) + roundTripMs / 2;
		if (waiting.push({ due, action }) === 1) run();
	};
	from.on('data', (chunk) => later(() => to.write(chunk)));
	from.once('end', () => later(() => to.end()));
	from.once('close', () => later(() => to.destroy()));
	// A connection that is reset is closed as well.
	from.on('error', () => undefined);
}

function link(one: Socket, other: Socket, opened: number): void {
	for (const socket of [one, other]) socket.setNoDelay(true);
	pass(one, other, opened);
	pass(other, one, 0);
}

const listening = async (server: Server): Promise<number> =>
	await new Promise((resolve) => {
		server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
	});

async function main(): Promise<void> {
	const files = { key: readFileSync(key), cert: readFileSync(cert) };
	const terminator = createTlsServer(files, (secure) => {
		const platform = connect(Number(port), '127.0.0.1');
		for (const socket of [secure, platform]) socket.setNoDelay(true).on('error', () => undefined);
		secure.pipe(platform).pipe(secure);
		secure.once('close', () => platform.destroy());
		platform.once('close', () => secure.destroy());
	});
	const inner = await listening(terminator);
	const far = createServer({ allowHalfOpen: true }, (client) => {
		const opened = performance.now() + roundTripMs;
		const options = { port: inner, host: '127.0.0.1', allowHalfOpen: true };
		link(client, connect(options), opened);
	});
	const url = `https://127.0.0.1:${await listening(far)}`;
	process.stdout.write(`${JSON.stringify({ url, pid: process.pid })}\n`);
}

void main();
