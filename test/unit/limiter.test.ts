import { getEventListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Limiter, type LimiterOptions } from '../../nodes/SocialOpenPlatform/transport/limiter';
import { notSent, stopped, type Outcome } from '../../nodes/SocialOpenPlatform/transport/outcome';

const limiterOf = (options: Partial<LimiterOptions> = {}) =>
	new Limiter({ maxConcurrent: 2, intervalMs: 0, stopsAtFailure: true, ...options });

/** Runs tasks that each take a while, and counts how many run at the same time. */
class Tasks {
	readonly started: number[] = [];
	active = 0;
	most = 0;

	constructor(
		private readonly limiter: Limiter,
		private readonly ms = 20,
	) {}

	async run(index: number, fails = false): Promise<Outcome<number>> {
		return await this.limiter.run(index, async () => {
			this.started.push(index);
			if (!(await this.limiter.waitForStart(index))) return stopped;
			this.most = Math.max(this.most, ++this.active);
			await wait(this.ms);
			this.active--;
			return fails ? notSent('a task', 'test', '') : { kind: 'accepted', value: index };
		});
	}

	async all(count: number, failing?: number) {
		const indexes = Array.from({ length: count }, (_, index) => index);
		const outcomes = await Promise.all(
			indexes.map(async (index) => await this.run(index, index === failing)),
		);
		return outcomes.map(({ kind }) => kind);
	}
}

describe('Limiter', () => {
	test.each([1, 2, 5])(
		'runs at most %i tasks at a time, in the order of arrival',
		async (width) => {
			const tasks = new Tasks(limiterOf({ maxConcurrent: width }), 100);
			const results = await tasks.all(12);
			expect(results).toStrictEqual(Array(12).fill('accepted'));
			expect(tasks.most).toBe(width);
			expect(tasks.started).toStrictEqual([...Array(12).keys()]);
		},
	);

	test('stops after the first failure and lets running tasks finish', async () => {
		const tasks = new Tasks(limiterOf());
		const results = await tasks.all(6, 0);
		expect(results).toStrictEqual([
			...['not_sent', 'accepted', ...Array<string>(4).fill('stopped')],
		]);
		expect(tasks.started).toStrictEqual([0, 1]);
	});

	test('continues after a failure if stopsAtFailure is off', async () => {
		const tasks = new Tasks(limiterOf({ stopsAtFailure: false }));
		const results = await tasks.all(4, 1);
		expect(results).toStrictEqual(['accepted', 'not_sent', 'accepted', 'accepted']);
	});

	test('runs the items up to the lowest index given to stopAfter', async () => {
		const limiter = limiterOf({ maxConcurrent: 1 });
		const tasks = new Tasks(limiter);
		const running = tasks.all(6);
		limiter.stopAfter(4);
		limiter.stopAfter(3);
		limiter.stopAfter(5);
		expect(await running).toStrictEqual([
			...['accepted', 'accepted', 'accepted', 'accepted', 'stopped', 'stopped'],
		]);
	});

	test('stops waiting tasks when the execution is cancelled', async () => {
		const cancelling = new AbortController();
		const limiter = limiterOf({ intervalMs: 2000, signal: cancelling.signal });
		const tasks = new Tasks(limiter);
		const running = tasks.all(5);
		await wait(50);
		cancelling.abort();
		expect(await running).toStrictEqual(['accepted', ...Array<string>(4).fill('stopped')]);
		expect(await tasks.all(1)).toStrictEqual(['stopped']);
	});

	test('keeps the interval between two starts, even if the process was busy in between', async () => {
		const intervalMs = 100;
		const starts: number[] = [];
		const limiter = limiterOf({ maxConcurrent: 5, intervalMs });
		const start = async (index: number) => {
			await limiter.waitForStart(index);
			starts.push(performance.now());
		};
		const running = Promise.all([0, 1, 2, 3].map(start));
		await wait(10);
		const busyUntil = performance.now() + 2.5 * intervalMs;
		while (performance.now() < busyUntil);
		await running;
		const gaps = starts.slice(1).map((time, index) => time - starts[index]!);
		// The test may notice a start later than the limiter does.
		expect(Math.min(...gaps)).toBeGreaterThan(intervalMs / 2);
		expect(starts.at(-1)! - starts[0]!).toBeGreaterThan(4 * intervalMs);
	});
});

describe('Limiter pauses', () => {
	test('wait for the signal with few listeners, however many items are waiting', async () => {
		const { signal } = new AbortController();
		const limiter = limiterOf({ maxConcurrent: 30, signal });
		limiter.pause(200);
		const running = new Tasks(limiter, 0).all(30);
		await wait(20);
		expect(getEventListeners(signal, 'abort').length).toBeLessThan(3);
		await running;
		expect(getEventListeners(signal, 'abort')).toEqual([]);
	});

	test('prevent tasks from starting, and count once when they overlap', async () => {
		const limiter = limiterOf();
		const from = Date.now();
		limiter.pause(300);
		limiter.pause(200);
		const tasks = new Tasks(limiter, 0);
		await tasks.all(3);
		expect(Date.now() - from).toBeGreaterThanOrEqual(299);
		expect(limiter.rateLimits.responses).toBe(2);
		expect(limiter.rateLimits.waitedMs).toBeCloseTo(300, -2);
	});

	test('last as long as the longer of two pauses', async () => {
		const limiter = limiterOf();
		limiter.pause(200);
		limiter.pause(300);
		await limiter.waitForStart(0);
		expect(limiter.rateLimits.waitedMs).toBeGreaterThanOrEqual(300);
		expect(limiter.rateLimits.waitedMs).toBeLessThan(500);
	});

	test('delay a task that already waits for its interval', async () => {
		const limiter = limiterOf({ intervalMs: 50 });
		await limiter.waitForStart(0);
		const from = Date.now();
		const second = limiter.waitForStart(1);
		await wait(10);
		limiter.pause(200);
		await second;
		expect(Date.now() - from).toBeGreaterThanOrEqual(200);
	});
});

describe('Limiter after a change of the system clock', () => {
	afterEach(() => jest.useRealTimers());

	test.each([-3_600_000, 3_600_000])(
		'keeps the length of a pause when the clock moves by %i ms',
		async (ms) => {
			const doNotFake = ['performance', 'setTimeout', 'setImmediate', 'nextTick'] as const;
			jest.useFakeTimers({ doNotFake: [...doNotFake, 'queueMicrotask', 'clearTimeout'] });
			const limiter = limiterOf();
			const begun = performance.now();
			limiter.pause(300);
			const passing = limiter.run(0, async () => ({
				kind: 'accepted',
				value: performance.now() - begun,
			}));
			jest.setSystemTime(Date.now() + ms);
			const outcome = await passing;
			const took = outcome.kind === 'accepted' ? outcome.value : 0;
			expect(took).toBeGreaterThanOrEqual(299);
			expect(took).toBeLessThan(10_000);
		},
	);
});
