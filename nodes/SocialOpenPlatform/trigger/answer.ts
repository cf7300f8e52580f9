import type { IWebhookResponseData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

/** What of Node's and Express's response the trigger uses. */
export interface Answer {
	statusCode: number;
	/** Whether all that is to be said has been handed to Node, whether or not somebody listens. */
	writableEnded: boolean;
	/** Whether the connection is gone. */
	closed: boolean;
	status(code: number): Answer;
	json(body: object): Answer;
	once(event: 'finish' | 'close', listener: () => void): unknown;
}

/** How often to look whether n8n has answered a sender that is no longer there, in milliseconds. */
const LOOK_EVERY_MS = 50;

/** n8n answers as soon as it has stored the execution; after this, in milliseconds, it will not. */
const GIVE_UP_AFTER_MS = 5 * 60_000;

/** Answers by itself, and starts no execution. */
export function reply(answer: Answer, status: number, body: object): IWebhookResponseData {
	answer.status(status).json(body);
	return { noWebhookResponse: true };
}

/** Makes n8n say this when it answers for something that was thrown; of its own it would say 500. */
export function replyOnThrow(answer: Answer, status: number, body: object): void {
	const setStatus = answer.status.bind(answer);
	const json = answer.json.bind(answer);
	answer.status = () => setStatus(status);
	answer.json = () => json(body);
}

/**
 * Settles with whether n8n took the delivery over, which it says by the status it answers with once
 * the execution is stored. A sender that went away in the meantime changes nothing about that, though
 * it will send again.
 */
export async function whenHandedOver(answer: Answer): Promise<boolean> {
	if (!answer.closed) {
		await new Promise<void>((resolve) => {
			answer.once('finish', resolve);
			answer.once('close', resolve);
		});
	}
	const patience = Date.now() + GIVE_UP_AFTER_MS;
	while (!answer.writableEnded && Date.now() < patience) await sleep(LOOK_EVERY_MS);
	return answer.writableEnded && answer.statusCode < 300;
}
