/** The functions that keep working, because requests need timers. Only `Date` is replaced. */
const doNotFake = [
	...(['hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
	...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
	...(['setTimeout', 'clearTimeout'] as const),
];

/** Stops `Date` until `jest.useRealTimers` is called. */
export function stopClock(): void {
	jest.useFakeTimers({ doNotFake });
}

/** Advances `Date`. */
export function pass(ms: number): void {
	jest.setSystemTime(Date.now() + ms);
}

/**
 * Lets deadlines of the package end four times as fast.
 *
 * @returns the real durations in milliseconds, and a function that ends this
 */
export function hurryDeadlines(): { durations: number[]; restore: () => void } {
	const timeout = AbortSignal.timeout.bind(AbortSignal);
	const durations: number[] = [];
	AbortSignal.timeout = (ms) => {
		durations.push(ms);
		return timeout(Math.ceil(ms / 4));
	};
	return { durations, restore: () => void (AbortSignal.timeout = timeout) };
}
