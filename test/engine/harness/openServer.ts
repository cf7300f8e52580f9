import type { ServerResponse } from 'node:http';
import { loopback, type Loopback } from '../../loopback';
import type { Platform } from './platform';
import { until } from './storage';

/** A platform that never ends a response by itself. */
export interface OpenServer extends Loopback {
	/** Waits until all connections are closed. @returns the duration in milliseconds */
	closed: () => Promise<number>;
}

/** Responses that do not end. */
export const silent = () => {};
export const headersAlone = (type: string) => (response: ServerResponse) => {
	response.writeHead(200, { 'content-type': type });
	response.flushHeaders();
};
export const endless =
	(type: string, drop: string, status = 200) =>
	(response: ServerResponse) => {
		response.writeHead(status, { 'content-type': type });
		const drops = setInterval(() => response.write(drop), 50);
		response.on('close', () => clearInterval(drops));
	};
export const saying = (text: string) => (response: ServerResponse) => {
	headersAlone('text/event-stream')(response);
	response.write(text);
};

/** Starts the server and points the credential at it. */
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
