import type { IWebhookResponseData } from 'n8n-workflow';

/** The part of Express's response that the trigger uses. */
export interface WebhookResponse {
	statusCode: number;
	status(code: number): WebhookResponse;
	json(body: object): WebhookResponse;
	end(...content: unknown[]): unknown;
}

/** Sends a response without starting an execution. */
export function respond(
	response: WebhookResponse,
	status: number,
	body: object,
): IWebhookResponseData {
	response.status(status).json(body);
	return { noWebhookResponse: true };
}

/**
 * Sets the response that n8n sends if the trigger throws an error. Without it, n8n would respond
 * with status 500 and a body of its own.
 */
export function respondOnThrow(response: WebhookResponse, status: number, body: object): void {
	const setStatus = response.status.bind(response);
	const json = response.json.bind(response);
	response.status = () => setStatus(status);
	response.json = () => json(body);
}

/**
 * Resolves to whether n8n has stored the execution, once n8n responds. n8n also ends a response whose
 * connection is closed. With a concurrency limit, it may respond hours after storing the execution.
 */
export async function isHandedOver(response: WebhookResponse): Promise<boolean> {
	const end = response.end.bind(response);
	return await new Promise((resolve) => {
		response.end = (...content) => {
			resolve(response.statusCode < 300);
			return end(...content);
		};
	});
}
