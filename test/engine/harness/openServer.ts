import type { ServerResponse } from 'node:http';
import { loopback, type Loopback } from '../../loopback';
import type { Platform } from './platform';
import { until } from './storage';

/** A server that never ends a response. */
export interface OpenServer extends Loopback {
	/** Waits until all connections are closed, and returns the duration in milliseconds. */
	closed: () => Promise<number>;
}

/** Never responds. */
export const silent = () => {};

/** Sends only the headers of a response. */
export const headersOnly = (type: string) => (response: ServerResponse) => {
	response.writeHead(200, { 'content-type': type });
	response.flushHeaders();
};

/** Sends a text every 50 ms. */
export const endless =
	(type: string, text: string, status = 200) =>
	(response: ServerResponse) => {
		response.writeHead(status, { 'content-type': type });
		const timer = setInterval(() => response.write(text), 50);
		response.on('close', () => clearInterval(timer));
	};

/** Sends a text and keeps the response open. */
export const sendingText = (text: string) => (response: ServerResponse) => {
	headersOnly('text/event-stream')(response);
	response.write(text);
};

/** Starts the server and sets its URL in the credential. */
export async function openServer(
	platform: Platform,
	answer: (response: ServerResponse) => void,
): Promise<OpenServer> {
	const server = await loopback((_, response) => answer(response));
	Object.assign(platform.credential, { baseUrl: server.url });
	const closed = async () => {
		const from = Date.now();
		await until(() => server.received.every(({ socket }) => socket.destroyed));
		return Date.now() - from;
	};
	return { ...server, closed };
}
