/** Only `Date` is replaced. Without timers, no request would be sent. */
const doNotFake = [
	...(['hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
	...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
	...(['setTimeout', 'clearTimeout'] as const),
];

/** Stops `Date`. `jest.useRealTimers` starts it again. */
export function stopClock(): void {
	jest.useFakeTimers({ doNotFake });
}

/** Advances `Date`. */
export function pass(ms: number): void {
	jest.setSystemTime(Date.now() + ms);
}
