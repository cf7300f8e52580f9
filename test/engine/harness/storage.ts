import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookHost } from './webhookHost';

/** What n8n says when it cannot store an execution. */
export const away = (): never => {
	throw new Error('The database is away');
};

/** Keeps n8n from storing executions from now on, until it is let, or made to fail. */
export function holdStorage(host: WebhookHost) {
	let release: (isStored: boolean) => void = () => {};
	const held = new Promise<boolean>((resolve) => (release = resolve));
	const begun = new Promise<void>((resolve) => {
		host.storing = async () => {
			resolve();
			if (!(await held)) away();
		};
	});
	return {
		/** Settles when n8n has begun to store the first one. */
		begun,
		succeed: () => release(true),
		fail: () => release(false),
	};
}

/** Long enough for what is under way on this machine to become visible. */
export const soon = async () => await sleep(150);

export async function until(isSo: () => boolean): Promise<void> {
	while (!isSo()) await sleep(5);
}
