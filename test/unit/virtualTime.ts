/** Stops time for each test of the file. Waits then take no time, and have the lengths that they have in n8n. */
export function useVirtualTime(): void {
	beforeEach(() => {
		const doNotFake = [...(['nextTick', 'queueMicrotask', 'setImmediate'] as const)];
		jest.useFakeTimers({ doNotFake });
	});
	afterEach(() => jest.useRealTimers());
}

/** Lets time pass until a promise is settled. */
export async function settled<T>(promise: Promise<T>): Promise<T> {
	let isPending = true;
	const stop = () => (isPending = false);
	promise.then(stop, stop);
	while (isPending) await jest.advanceTimersToNextTimerAsync();
	return await promise;
}

/** Lets time pass. */
export const pass = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);
