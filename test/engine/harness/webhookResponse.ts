import type { ServerResponse } from 'node:http';

/** Node's response with the methods of Express that n8n and the trigger use. */
export interface WebhookResponse extends ServerResponse {
	status(code: number): WebhookResponse;
	json(body: unknown): WebhookResponse;
}

/** A response as it is sent. */
export interface SentResponse {
	status: number;
	body: unknown;
}

/** @param onSent is called with every response, even if its sender has closed the connection */
export function asWebhookResponse(
	outgoing: ServerResponse,
	onSent: (response: SentResponse) => void,
): WebhookResponse {
	const response: WebhookResponse = Object.assign(outgoing as WebhookResponse, {
		status(code: number) {
			response.statusCode = code;
			return response;
		},
		json(body: unknown) {
			const text = JSON.stringify(body);
			response.setHeader('Content-Type', 'application/json; charset=utf-8');
			response.setHeader('Content-Length', Buffer.byteLength(text));
			response.end(text);
			onSent({ status: response.statusCode, body: JSON.parse(text) });
			return response;
		},
	});
	return response;
}
