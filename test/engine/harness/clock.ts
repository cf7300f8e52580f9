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

/** Lets deadlines of the package end 20 times as fast. The spy receives their real durations. */
export function hurryDeadlines(): jest.SpyInstance<AbortSignal, [number]> {
	const timeout = AbortSignal.timeout.bind(AbortSignal);
	return jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(Math.ceil(ms / 20)));
}
