import { text } from 'node:stream/consumers';

import { loopback } from '../loopback';

export interface ReceivedWebhook {
	headers: Record<string, unknown>;
	body: string;
}

/** An HTTP server that keeps what it receives and answers with the given statuses, then 200. */
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
