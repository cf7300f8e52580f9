import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookHost } from './webhookHost';

/** Throws like n8n when it cannot store an execution. */
export const away = (): never => {
	throw new Error('The database is away');
};

/** Delays the storing of executions until the test lets it succeed or fail. */
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

/** Waits long enough for the effects of pending work to be visible. */
export const soon = async () => await sleep(150);

export async function until(isSo: () => boolean): Promise<void> {
	while (!isSo()) await sleep(5);
}
