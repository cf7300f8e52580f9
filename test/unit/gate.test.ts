import { Stopped } from '../../nodes/SocialOpenPlatform/transport/errors';
import { Gate, type GateOptions } from '../../nodes/SocialOpenPlatform/transport/gate';

const wait = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
const gateOf = (options: Partial<GateOptions> = {}) =>
	new Gate({ width: 2, intervalMs: 0, closesAtFailure: true, ...options });

/** Things to be done in turn, each for so long; tells which were under way together. */
class Deeds {
	readonly begun: number[] = [];
	active = 0;
	most = 0;

	constructor(
		private readonly gate: Gate,
		private readonly ms = 20,
	) {}

	async do(index: number, fails = false): Promise<number> {
		return await this.gate.through(index, async () => {
			this.begun.push(index);
			if (!(await this.gate.mayStart(index))) throw new Stopped();
			this.most = Math.max(this.most, ++this.active);
			await wait(this.ms);
			this.active--;
			if (fails) throw new Error(`deed ${index}`);
			return index;
		});
	}

	async all(count: number, failing?: number) {
		const indexes = Array.from({ length: count }, (_, index) => index);
		return await Promise.allSettled(
			indexes.map(async (index) => await this.do(index, index === failing)),
		);
	}
}

const kindsOf = (results: Array<PromiseSettledResult<unknown>>) =>
	results.map((result) =>
		result.status === 'fulfilled'
			? 'done'
			: result.reason instanceof Stopped
				? 'stopped'
				: 'failed',
	);

describe('A gate', () => {
	test.each([1, 2, 5])('lets in %i at a time, in the order in which they came', async (width) => {
		const deeds = new Deeds(gateOf({ width }));
		const results = await deeds.all(12);
		expect(kindsOf(results)).toStrictEqual(Array(12).fill('done'));
		expect(deeds.most).toBe(width);
		expect(deeds.begun).toStrictEqual([...Array(12).keys()]);
	});

	test('closes at the first that fails, and lets finish who is in', async () => {
		const deeds = new Deeds(gateOf());
		const results = await deeds.all(6, 0);
		expect(kindsOf(results)).toStrictEqual([
			...['failed', 'done', ...Array<string>(4).fill('stopped')],
		]);
		expect(deeds.begun).toStrictEqual([0, 1]);
	});

	test('stays open at a failure where that is wanted', async () => {
		const deeds = new Deeds(gateOf({ closesAtFailure: false }));
		const results = await deeds.all(4, 1);
		expect(kindsOf(results)).toStrictEqual(['done', 'failed', 'done', 'done']);
	});

	test('closed behind an item still lets in those before it, and that one', async () => {
		const gate = gateOf({ width: 1 });
		const deeds = new Deeds(gate);
		const running = deeds.all(6);
		gate.closeBehind(4);
		gate.closeBehind(3);
		gate.closeBehind(5);
		expect(kindsOf(await running)).toStrictEqual([
			...['done', 'done', 'done', 'done', 'stopped', 'stopped'],
		]);
	});

	test('is closed when the execution is cancelled, also for who waits for a time', async () => {
		const cancelling = new AbortController();
		const gate = gateOf({ intervalMs: 2000, signal: cancelling.signal });
		const deeds = new Deeds(gate);
		const running = deeds.all(5);
		await wait(50);
		cancelling.abort();
		expect(kindsOf(await running)).toStrictEqual(['done', ...Array<string>(4).fill('stopped')]);
		expect(kindsOf(await deeds.all(1))).toStrictEqual(['stopped']);
	});

	test('keeps the interval between starts, however many may be in', async () => {
		const starts: number[] = [];
		const gate = gateOf({ width: 5, intervalMs: 60 });
		const start = async (index: number) => {
			await gate.mayStart(index);
			starts.push(Date.now());
		};
		await Promise.all([0, 1, 2, 3].map(start));
		expect(starts.at(-1)! - starts[0]!).toBeGreaterThanOrEqual(3 * 60 - 5);
	});
});

describe('A gate that is held back', () => {
	test('lets nobody start until the time is over, and counts it once', async () => {
		const gate = gateOf();
		const from = Date.now();
		gate.holdBack(150);
		gate.holdBack(100);
		const deeds = new Deeds(gate, 0);
		await deeds.all(3);
		expect(Date.now() - from).toBeGreaterThanOrEqual(150);
		expect(gate.rateLimits.answers).toBe(2);
		expect(gate.rateLimits.waitedMs).toBe(150);
	});

	test('counts the longer of two waits', async () => {
		const gate = gateOf();
		gate.holdBack(400);
		gate.holdBack(1_200);
		await gate.mayStart(0);
		expect(gate.rateLimits.waitedMs).toBeGreaterThanOrEqual(1_200);
		expect(gate.rateLimits.waitedMs).toBeLessThan(1_600);
	});

	test('also holds back who was about to start after an interval', async () => {
		const gate = gateOf({ intervalMs: 50 });
		await gate.mayStart(0);
		const from = Date.now();
		const second = gate.mayStart(1);
		await wait(10);
		gate.holdBack(200);
		await second;
		expect(Date.now() - from).toBeGreaterThanOrEqual(200);
	});
});

describe('A gate whose clock is set while it waits', () => {
	afterEach(() => jest.useRealTimers());

	test.each([-3_600_000, 3_600_000])('lets pass after the same time: by %i ms', async (ms) => {
		const doNotFake = ['performance', 'setTimeout', 'setImmediate', 'nextTick'] as const;
		jest.useFakeTimers({ doNotFake: [...doNotFake, 'queueMicrotask', 'clearTimeout'] });
		const gate = gateOf();
		gate.holdBack(300);
		const begun = performance.now();
		const passing = gate.through(0, async () => performance.now() - begun);
		jest.setSystemTime(Date.now() + ms);
		const took = await passing;
		expect(took).toBeGreaterThanOrEqual(299);
		expect(took).toBeLessThan(1_500);
	});
});
