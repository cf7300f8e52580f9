/** The last queued task of each key. */
const queues = new Map<string, Promise<unknown>>();

/** Runs a task after all earlier tasks of the same key have ended, with or without an error. */
export async function enqueue<T>(key: string, task: () => Promise<T>): Promise<T> {
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
