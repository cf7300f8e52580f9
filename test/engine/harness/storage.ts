import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookHost } from './webhookHost';

/** Throws an error, as n8n does when it cannot store an execution. */
export const failToStore = (): never => {
	throw new Error('The database is not available');
};

/** Delays the storage of executions until the test calls `succeed` or `fail`. */
export function holdStorage(host: WebhookHost) {
	let release: (isStored: boolean) => void = () => {};
	const held = new Promise<boolean>((resolve) => (release = resolve));
	const begun = new Promise<void>((resolve) => {
		host.storing = async () => {
			resolve();
			if (!(await held)) failToStore();
		};
	});
	return {
		/** Resolves when n8n begins to store the first execution. */
		begun,
		succeed: () => release(true),
		fail: () => release(false),
	};
}

/** Waits long enough for the effects of pending work to be visible. */
export const soon = async () => await sleep(150);

export async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await sleep(5);
}
