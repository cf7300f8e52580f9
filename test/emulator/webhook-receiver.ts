import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedWebhook {
	headers: Record<string, unknown>;
	body: string;
}

/** An HTTP server that keeps what it receives and answers with the given statuses, then 200. */
export async function webhookReceiver(statuses: Array<number | 'hang'> = []) {
	const received: ReceivedWebhook[] = [];
	const server = createServer((incoming, out) => {
		void text(incoming).then((body) => {
			received.push({ headers: incoming.headers, body });
			const status = statuses.shift() ?? 200;
			if (status !== 'hang') out.writeHead(status).end();
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const close = async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	};
	return { url: `http://127.0.0.1:${port}/hook`, received, close };
}
