import { senderTo } from './loadSender';
import { LoadSetup } from './loadSetup';
import { say } from '../n8n/progress';
import { saveNumbers } from './results';

const DELIVERIES = Number(process.env.LOAD_DELIVERIES ?? 1_500);
const RUNS = 3;
const ITEMS = 1_000;

/** The variation between measurements of the heap, in MB. */
const NOISE_MB = 4;

/**
 * The trigger remembers the digests of up to 50,000 deliveries, which take less than half a KB each. A
 * leak of requests would take six KB each.
 */
const PER_DELIVERY_MB = 1 / 1024;

let load: LoadSetup;
const results: Record<string, unknown> = {};
beforeAll(async () => {
	load = await LoadSetup.start();
});
afterAll(async () => {
	await load?.setup.stop();
	saveNumbers('load', results);
});

test(
	`starts one execution for each genuine event in ${DELIVERIES} deliveries, and none for forged ones`,
	async () => {
		const sender = senderTo(new URL(load.receiver.url), load.setup.emulator.appSecret);
		const [warmUp, measured] = [DELIVERIES / 3, (2 * DELIVERIES) / 3];
		await sender.send(warmUp);
		const before = await load.heapMb(`after ${warmUp} deliveries`);
		await sender.send(measured);
		const after = await load.heapMb(`after ${DELIVERIES} deliveries`);
		const speed = await sender.stop();
		say(`• ${DELIVERIES} deliveries: ${JSON.stringify({ ...speed, ...sender.answers })}`);
		Object.assign(results, { deliveries: DELIVERIES, speed });

		expect(sender.answers).toEqual({
			'genuine 200 accepted': sender.events.length,
			'repeated 200 duplicate': DELIVERIES / 25,
			'forged 401 refused': DELIVERIES / 100,
		});
		expect(load.executed().sort()).toEqual(sender.events.sort());
		expect(after - before).toBeLessThan(NOISE_MB + measured * PER_DELIVERY_MB);
	},
	DELIVERIES * 1_000,
);

test(`posts each of ${ITEMS} items once in ${RUNS} runs`, async () => {
	const { emulator } = load.setup;
	const heaps: number[] = [];
	const seconds: number[] = [];
	for (let run = 1; run <= RUNS; run++) {
		emulator.reset();
		const texts = Array.from({ length: ITEMS }, (_, at) => `${run}-${at + 1}`);
		const started = performance.now();
		await load.run({ items: texts.map((text) => ({ text })) });
		seconds.push((performance.now() - started) / 1000);
		const posted = emulator.posts.map(({ request }) => (request as { text: string }).text);
		expect(posted.sort()).toEqual(texts.sort());
		heaps.push(await load.heapMb(`after run ${run}`));
	}
	say(`• ${RUNS} runs of ${ITEMS} posts: ${seconds.map((one) => one.toFixed(1)).join(', ')} s`);
	Object.assign(results, { runs: RUNS, items: ITEMS, seconds });
	expect(heaps.at(-1)! - heaps[0]!).toBeLessThan(NOISE_MB);
});
