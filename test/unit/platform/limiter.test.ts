import { getEventListeners } from 'node:events';
import { sleep } from 'n8n-workflow';
import { Limiter, type LimiterOptions } from '../../../nodes/SocialOpenPlatform/platform/limiter';
import { type Outcome } from '../../../nodes/SocialOpenPlatform/platform/outcome';
import { pass, settled, useVirtualTime } from '../virtualTime';

useVirtualTime();

const limiterOf = (options: Partial<LimiterOptions> = {}) =>
	new Limiter({ maxConcurrent: 2, intervalMs: 0, ...options });

/** Waits for the first attempt to send an item, and returns whether there is one. */
async function maySend(limiter: Limiter, item: number): Promise<boolean> {
	for await (const { isFirst } of limiter.attempts(item, 0)) return isFirst;
	return false;
}

interface Behaviour {
	/** The index of the item whose request fails. */
	failing?: number;
	/** How long a request takes, in milliseconds. */
	requestMs?: number;
	/** How long the check of an item takes before it can be sent, in milliseconds. */
	checkMs?: (item: number) => number;
}

/** Runs items, and records when each starts and how many requests are under way at the same time. */
async function runItems(limiter: Limiter, count: number, behaviour: Behaviour = {}) {
	const { failing, requestMs = 20, checkMs = () => 0 } = behaviour;
	const kinds: string[] = [];
	const started: number[] = [];
	const times: number[] = [];
	let active = 0;
	let most = 0;
	const request = async (item: number): Promise<Outcome<number>['kind']> => {
		if (!(await maySend(limiter, item))) return 'stopped';
		started.push(item);
		times.push(performance.now());
		most = Math.max(most, ++active);
		await sleep(requestMs);
		active--;
		return 'accepted';
	};
	const running = limiter.forEachItem(count, async (item) => {
		await sleep(checkMs(item));
		kinds[item] = await request(item);
		return item === failing ? -1 : Infinity;
	});
	await settled(running);
	return { kinds, started, times, most };
}

const accepted = (count: number) => Array<string>(count).fill('accepted');
const indexes = (count: number) => [...Array(count).keys()];

describe('Limiter', () => {
	test('has at most two items in progress for each concurrent request', async () => {
		let read = 0;
		const forever = new Promise<number>(() => {});
		void limiterOf().forEachItem(100, async () => {
			read++;
			return await forever;
		});
		await pass(1_000);
		expect(read).toBe(4);
	});

	test.each([1, 5])('sends at most %i requests at a time, in order', async (maxConcurrent) => {
		const limiter = limiterOf({ maxConcurrent });
		const { kinds, started, most } = await runItems(limiter, 12, { requestMs: 100 });
		expect(kinds).toStrictEqual(accepted(12));
		expect(started).toStrictEqual(indexes(12));
		expect(most).toBe(maxConcurrent);
	});

	test('keeps the order when the check of an item takes long', async () => {
		const checkMs = (item: number) => (item % 3 === 0 ? 60 : 0);
		const { started } = await runItems(limiterOf({ maxConcurrent: 5 }), 12, { checkMs });
		expect(started).toStrictEqual(indexes(12));
	});

	test('stops after the first failure and lets requests under way finish', async () => {
		const { kinds, started } = await runItems(limiterOf(), 6, { failing: 0, requestMs: 100 });
		expect(kinds.filter((kind) => kind !== 'stopped')).toStrictEqual(accepted(2));
		expect(started).toStrictEqual([0, 1]);
	});

	test('starts no items after the execution was canceled', async () => {
		const canceling = new AbortController();
		const limiter = limiterOf({ intervalMs: 5000, signal: canceling.signal });
		const from = performance.now();
		const running = runItems(limiter, 5);
		await pass(50);
		canceling.abort();
		expect((await running).started).toStrictEqual([0]);
		expect(performance.now() - from).toBeLessThan(2000);
		expect((await runItems(limiter, 1)).kinds).toStrictEqual([]);
	});
});

test.each([
	[10, false],
	[3, true],
])(
	'An item is sent at most %i times after rate limits (foreign response: %p)',
	async (max, isForeign) => {
		const cause = { cause: 'rate-limited', retryAfterMs: 0 } as const;
		let sends = 0;
		const sending = (async () => {
			for await (const attempt of limiterOf().attempts(0, Infinity)) {
				sends++;
				const failure = { message: '', isForeign, cause };
				if (!attempt.pauseToResend({ kind: 'refused', failure })) return;
			}
		})();
		await settled(sending);
		expect(sends).toBe(max);
	},
);

describe('Limiter pauses', () => {
	const pause = (limiter: Limiter, ms: number) => limiter.pauseUntil(performance.now() + ms);

	test('prevent requests from starting, and may overlap', async () => {
		const { signal } = new AbortController();
		const limiter = limiterOf({ maxConcurrent: 30, signal });
		for (const ms of [300, 400, 200]) pause(limiter, ms);
		const from = performance.now();
		const running = runItems(limiter, 30);
		await pass(100);
		expect(getEventListeners(signal, 'abort')).toStrictEqual([]);
		const { times } = await running;
		expect(times[0]! - from).toBe(400);
		expect(limiter.rateLimitMs).toBe(400);
	});

	test('delay an item that already waits for its interval', async () => {
		const limiter = limiterOf({ intervalMs: 50 });
		await maySend(limiter, 0);
		const from = performance.now();
		const second = maySend(limiter, 1);
		await pass(10);
		pause(limiter, 200);
		await settled(second);
		expect(performance.now() - from).toBe(210);
	});

	test('keep their length when the system clock moves', async () => {
		const limiter = limiterOf();
		const from = performance.now();
		pause(limiter, 300);
		const passing = maySend(limiter, 0);
		jest.setSystemTime(Date.now() + 3_600_000);
		await settled(passing);
		expect(performance.now() - from).toBe(300);
	});
});
