import { text } from 'node:stream/consumers';

import { loopback } from '../loopback';

export interface ReceivedWebhook {
	headers: Record<string, unknown>;
	body: string;
}

/** Starts an HTTP server that records requests, and responds with the given statuses and then with 200. */
export async function webhookReceiver(statuses: Array<number | 'hang'> = []) {
	const received: ReceivedWebhook[] = [];
	const { url, stop } = await loopback((incoming, out) => {
		void text(incoming).then((body) => {
			received.push({ headers: incoming.headers, body });
			const status = statuses.shift() ?? 200;
			if (status !== 'hang') out.writeHead(status).end();
		});
	});
	return { url: `${url}/hook`, received, close: stop };
}
