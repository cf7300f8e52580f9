import type { ServerResponse } from 'node:http';

/** Node's response with the methods of Express that n8n and the trigger use. */
export interface WebhookResponse extends ServerResponse {
	status(code: number): WebhookResponse;
	json(body: unknown): WebhookResponse;
}

/** The response that a sender receives. */
export interface Told {
	status: number;
	body: unknown;
}

/** @param tell receives every response, including those whose sender is gone */
export function asWebhookResponse(
	outgoing: ServerResponse,
	tell: (told: Told) => void,
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
			tell({ status: response.statusCode, body: JSON.parse(text) });
			return response;
		},
	});
	return response;
}
