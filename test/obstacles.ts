import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer, type TlsOptions, type TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';

/** Servers on the loopback address at which a connection does not come about, or breaks. */
export interface Obstacle {
	port: number;
	stop: () => Promise<void>;
}

const here = join(__dirname, 'tls');
const pem = (name: string) => readFileSync(join(here, `${name}.pem`), 'utf8');

/** Both certificates; Node trusts them where `NODE_EXTRA_CA_CERTS` names this file. */
export const trusted = join(here, 'trusted.pem');

const nothing = () => {};

async function listening(server: Server, sockets = new Set<Socket>()): Promise<Obstacle> {
	server.on('connection', (socket) => {
		socket.on('error', nothing);
		sockets.add(socket);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const stop = async () => {
		for (const socket of sockets) socket.destroy();
		await new Promise((resolve) => server.close(resolve));
	};
	return { port: (server.address() as { port: number }).port, stop };
}

/** Accepts nothing, and drops attempts to connect: its queue is full. */
export async function droppingConnections(): Promise<Obstacle> {
	const blocked = `
		const { parentPort, workerData } = require('node:worker_threads');
		const server = require('node:net').createServer();
		server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
			parentPort.postMessage(server.address().port);
			setTimeout(() => Atomics.wait(workerData, 0, 0), 50);
		});`;
	const workerData = new Int32Array(new SharedArrayBuffer(4));
	const worker = new Worker(blocked, { eval: true, workerData });
	const port = await new Promise<number>((resolve) => worker.once('message', resolve));
	await sleep(150);
	const queued = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', nothing));
	await sleep(150);
	const stop = async () => {
		for (const socket of queued) socket.destroy();
		Atomics.store(workerData, 0, 1);
		Atomics.notify(workerData, 0);
		await worker.terminate();
	};
	return { port, stop };
}

/** Accepts connections and says nothing: no TLS handshake ends. */
export async function silent(): Promise<Obstacle> {
	return await listening(createServer(nothing));
}

/** A TLS server, with all that reached it in clear. */
export interface TlsObstacle extends Obstacle {
	/** What came through the connection, decrypted. */
	text: () => string;
}

/** @param certificate `valid`, or `future`: valid from the year 2100 */
export async function tls(
	certificate: 'valid' | 'future',
	options: TlsOptions,
	onData: (socket: TLSSocket, raw: Socket) => void = nothing,
): Promise<TlsObstacle> {
	let received = '';
	const raws = new Map<number | undefined, Socket>();
	const server = createTlsServer(
		{ key: pem('key'), cert: pem(certificate), ...options },
		(socket) => {
			socket.on('error', nothing);
			socket.on('data', (data: Buffer) => {
				received += data.toString();
				onData(socket, raws.get(socket.remotePort)!);
			});
		},
	);
	server.on('connection', (raw: Socket) => raws.set(raw.remotePort, raw));
	server.on('tlsClientError', nothing);
	return { ...(await listening(server)), text: () => received };
}

/** A proxy that leads to one server alone, with the requests that reached it. */
export interface ProxyObstacle extends Obstacle {
	/** Methods and targets. */
	received: () => string[];
	headers: () => IncomingHttpHeaders[];
}

/** @param port where every tunnel leads, whatever host the client asks for */
export async function tunnelling(port: number): Promise<ProxyObstacle> {
	const received: string[] = [];
	const headers: IncomingHttpHeaders[] = [];
	const server = createHttpServer((_, response) => response.end('{}'));
	for (const event of ['request', 'connect'] as const) {
		server.on(event, (request: { method: string; url: string; headers: IncomingHttpHeaders }) => {
			received.push(`${request.method} ${request.url}`);
			headers.push(request.headers);
		});
	}
	server.on('connect', (_, socket) => {
		const target = connect(port, '127.0.0.1').on('error', nothing);
		socket.on('close', () => target.destroy());
		socket.write('HTTP/1.1 200 OK\r\n\r\n');
		socket.pipe(target).pipe(socket);
	});
	return { ...(await listening(server)), received: () => received, headers: () => headers };
}
