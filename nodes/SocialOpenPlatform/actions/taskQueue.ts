/** The last task of each key that was queued. */
export type Queues = Map<string, Promise<unknown>>;

/** Runs a task after all tasks that were queued before for the same key, whatever their results. */
export async function enqueue<T>(queues: Queues, key: string, task: () => Promise<T>): Promise<T> {
	const before = queues.get(key);
	const mine = (async () => {
		if (before) await before.catch(() => undefined);
		return await task();
	})();
	queues.set(key, mine);
	try {
		return await mine;
	} finally {
		if (queues.get(key) === mine) queues.delete(key);
	}
}
