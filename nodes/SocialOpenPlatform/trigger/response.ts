import { sleep, type IWebhookResponseData } from 'n8n-workflow';

/** Milliseconds between two checks whether n8n has responded on a closed connection. */
const CHECK_INTERVAL_MS = 50;

/**
 * Milliseconds after which n8n will no longer respond. It normally responds once the execution is
 * stored.
 */
const RESPONSE_TIMEOUT_MS = 5 * 60_000;

/** The part of Express's response that the trigger uses. */
export interface WebhookResponse {
	statusCode: number;
	/** Whether the response is complete, even if the connection is closed. */
	writableEnded: boolean;
	/** Whether the connection is closed. */
	closed: boolean;
	status(code: number): WebhookResponse;
	json(body: object): WebhookResponse;
	once(event: 'finish' | 'close', listener: () => void): unknown;
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
 * Resolves to whether n8n has stored the execution. The status of n8n's response shows it, even if
 * the sender has closed the connection and will send the delivery again.
 */
export async function isHandedOver(response: WebhookResponse): Promise<boolean> {
	if (!response.closed) {
		await new Promise<void>((resolve) => {
			response.once('finish', resolve);
			response.once('close', resolve);
		});
	}
	const deadline = Date.now() + RESPONSE_TIMEOUT_MS;
	while (!response.writableEnded && Date.now() < deadline) await sleep(CHECK_INTERVAL_MS);
	return response.writableEnded && response.statusCode < 300;
}
