/** Everything but `Date` goes on by itself, or nothing would be sent and answered any more. */
const doNotFake = [
	...(['hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
	...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
	...(['setTimeout', 'clearTimeout'] as const),
];

/** Makes `Date` stand still until time is let pass. Undone by `jest.useRealTimers`. */
export function stopClock(): void {
	jest.useFakeTimers({ doNotFake });
}

/** Lets time pass for all that asks `Date`. */
export function pass(ms: number): void {
	jest.setSystemTime(Date.now() + ms);
}
