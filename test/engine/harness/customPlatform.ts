import type { IncomingMessage, ServerResponse } from 'node:http';
import { loopback, type Loopback } from '../../loopback';
import type { Platform } from './platform';

/** A server with the routes of the platform, whose responses a test can change. */
export interface CustomPlatform extends Loopback {
	exchange: (response: ServerResponse) => void;
	post: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
	exchanges: () => IncomingMessage[];
	posts: () => IncomingMessage[];
}

export const respond = (response: ServerResponse, status: number, body: object, headers = {}) =>
	response.writeHead(status, headers).end(JSON.stringify(body));

export const giveToken = (response: ServerResponse) =>
	respond(response, 200, { success: true, code: 200, data: { access_token: 'a-token' } });

export async function startCustomPlatform(of: Platform): Promise<CustomPlatform> {
	const isExchange = ({ url }: IncomingMessage) => url === '/api/v1/getAccessToken';
	const server = await loopback((request, response) => {
		if (isExchange(request)) custom.exchange(response);
		else void custom.post(request, response);
	});
	const custom: CustomPlatform = {
		...server,
		exchange: giveToken,
		post: (_, response) => {
			respond(response, 200, { success: true, code: 200, data: { id: '1' } });
		},
		exchanges: () => server.received.filter(isExchange),
		posts: () => server.received.filter((request) => !isExchange(request)),
	};
	Object.assign(of.credential, { baseUrl: server.url, accessToken: '' });
	return custom;
}

/** Sends only the headers of a response. */
export const headersOnly = (response: ServerResponse) => {
	response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
};

/** Sends a text every 50 ms. */
export const endless =
	(type: string, text: string, status = 200) =>
	(response: ServerResponse) => {
		response.writeHead(status, { 'content-type': type });
		const timer = setInterval(() => response.write(text), 50);
		response.on('close', () => clearInterval(timer));
	};

/** Returns the expected error of a request that was not sent. */
export const notSent = (message: RegExp) => ({
	message: expect.stringMatching(message),
	context: { data: { outcome: 'not_sent' } },
});
