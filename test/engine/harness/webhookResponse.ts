import type { ServerResponse } from 'node:http';

/** Node's response with what Express adds to it, as far as n8n and the trigger use that. */
export interface WebhookResponse extends ServerResponse {
	status(code: number): WebhookResponse;
	json(body: unknown): WebhookResponse;
}

/** What a sender was told. */
export interface Told {
	status: number;
	body: unknown;
}

/** @param tell takes every answer as it goes out, also those that nobody is there to receive */
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
