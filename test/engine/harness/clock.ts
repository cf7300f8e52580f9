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
