import { createServer, type IncomingMessage, type RequestListener } from 'node:http';

/** An HTTP server on the loopback address that records its requests. */
export interface Loopback {
	url: string;
	received: IncomingMessage[];
	stop: () => Promise<void>;
}

export async function loopback(answer: RequestListener): Promise<Loopback> {
	const received: IncomingMessage[] = [];
	const server = createServer((request, response) => {
		received.push(request);
		answer(request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	const port = typeof address === 'object' ? address?.port : 0;
	const stop = async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	};
	return { url: `http://127.0.0.1:${port}`, received, stop };
}
