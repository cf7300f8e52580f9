import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer, type TlsOptions, type TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';

/** A server on the loopback address to which connections cannot be established, or break. */
export interface TestServer {
	port: number;
	stop: () => Promise<void>;
}

const here = join(__dirname, 'tls');
const pem = (name: string) => readFileSync(join(here, `${name}.pem`), 'utf8');

/** The file with both test certificates. Node trusts them when `NODE_EXTRA_CA_CERTS` names it. */
export const trusted = join(here, 'trusted.pem');

const nothing = () => {};

async function listening(server: Server, sockets = new Set<Socket>()): Promise<TestServer> {
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

/** Drops attempts to connect, because its queue is full. */
export async function droppingConnections(): Promise<TestServer> {
	const blocked = `
		const { parentPort, workerData } = require('node:worker_threads');
		const server = require('node:net').createServer();
		server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
			parentPort.postMessage(server.address().port);
			setTimeout(() => {
				Atomics.store(workerData, 1, 1);
				Atomics.wait(workerData, 0, 0);
			}, 50);
		});`;
	const workerData = new Int32Array(new SharedArrayBuffer(8));
	const worker = new Worker(blocked, { eval: true, workerData });
	const port = await new Promise<number>((resolve) => worker.once('message', resolve));
	while (Atomics.load(workerData, 1) === 0) await sleep(10);
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

/** Accepts connections and sends nothing, so TLS handshakes never end. */
export async function silent(): Promise<TestServer> {
	return await listening(createServer(nothing));
}

/** A TLS server that records what it receives. */
export interface TlsTestServer extends TestServer {
	/** The decrypted text that it has received. */
	text: () => string;
}

/** @param certificate `valid`, or `future`: valid from the year 2100 */
export async function tls(
	certificate: 'valid' | 'future',
	options: TlsOptions,
	onData: (socket: TLSSocket, raw: Socket) => void = nothing,
): Promise<TlsTestServer> {
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

/** A proxy that connects every tunnel to the same server, and records its requests. */
export interface ProxyTestServer extends TestServer {
	/** Methods and targets. */
	received: () => string[];
	headers: () => IncomingHttpHeaders[];
}

/** @param port the server behind every tunnel, whatever host the client requests */
export async function tunnelling(port: number): Promise<ProxyTestServer> {
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
