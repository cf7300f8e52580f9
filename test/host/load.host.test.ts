import { allowanceFor, expectFlat, Memory, type MemoryUse } from './loadMemory';
import { planned, randomFrom } from './loadMix';
import { Sender } from './loadSender';
import { LoadSetup } from './loadSetup';
import type { Execution } from '../n8n/rest';
import { say } from '../n8n/progress';
import { saveNumbers } from './results';

/** The number of deliveries. n8n's memory must not grow after the first quarter. */
const DELIVERIES = Number(process.env.LOAD_DELIVERIES ?? 4_000);
const QUARTER = DELIVERIES / 4;

const RUNS = 10;
const ITEMS = 1_000;

let load: LoadSetup;
let memory: Memory;
const results: Record<string, unknown> = {};
beforeAll(async () => {
	load = await LoadSetup.start();
	memory = new Memory(load.setup, await load.collector());
});
afterAll(async () => {
	await load?.setup.stop();
	saveNumbers('load', results);
});

const repeatedIn = (list: string[]) => list.length - new Set(list).size;

test(
	`starts one execution for each genuine event in ${DELIVERIES} deliveries, and none for forged ones`,
	async () => {
		const { emulator, rest, n8n } = load.setup;
		const { id, path } = await load.receiver();
		const list = planned(DELIVERIES, randomFrom(1));
		const genuine = list.filter(({ kind }) => kind === 'genuine');
		const events = new Set(genuine.map(({ event }) => event));
		const forged = list.length - genuine.length;

		const sender = new Sender(n8n.url, path, emulator.appSecret);
		const measurements: MemoryUse[] = [await memory.measure('before the first delivery')];
		let seconds = 0;
		for (let quarter = 0; quarter < 4; quarter++) {
			seconds += await sender.send(list.slice(quarter * QUARTER, (quarter + 1) * QUARTER));
			measurements.push(await memory.measure(`after ${(quarter + 1) * QUARTER} deliveries`));
		}
		await sender.stop();
		const speed = sender.summary(seconds);
		const executed = load.executed();
		say(`• ${DELIVERIES} deliveries in ${Math.round(seconds)} s: ${JSON.stringify(speed)}`);
		say(`  ${JSON.stringify(sender.answers)}; ${executed.length} executions`);
		Object.assign(results, {
			deliveries: DELIVERIES,
			speed,
			answers: sender.answers,
			measurements,
		});

		expect(sender.answers).toEqual({
			'genuine 200 accepted': events.size,
			'genuine 200 duplicate': genuine.length - events.size,
			'forged 401 refused': forged,
		});
		expect([...sender.accepted.values()].filter((count) => count !== 1)).toEqual([]);
		expect(repeatedIn(executed)).toBe(0);
		expect(executed.sort()).toEqual([...events].sort());
		// n8n deletes successful executions, and there are no others.
		expect(await rest.countExecutions([], id)).toBe(0);
		results.grown = expectFlat(
			measurements.slice(0, 2),
			measurements[4]!,
			allowanceFor(3 * QUARTER),
		);
	},
	30 * 60_000,
);

test(
	`posts each of ${ITEMS} items once and in order in ${RUNS} runs`,
	async () => {
		const { emulator } = load.setup;
		const post = await load.poster();
		const texts = (run: number) => Array.from({ length: ITEMS }, (_, at) => `${run}-${at + 1}`);
		const measurements: MemoryUse[] = [];
		const seconds: number[] = [];
		for (let run = 1; run <= RUNS; run++) {
			emulator.reset();
			const started = performance.now();
			const execution = await post(texts(run).map((text) => ({ text })));
			seconds.push((performance.now() - started) / 1000);
			expect(execution.status).toBe('success');
			const made = new Map(emulator.posts.map((one) => [one.action_sn, textOf(one.request)]));
			expect([...made.values()].sort()).toEqual(texts(run).sort());
			expect(serialsIn(execution).map((serial) => made.get(serial))).toEqual(texts(run));
			if (run % 3 === 1) measurements.push(await memory.measure(`after run ${run}`));
		}
		say(`• ${RUNS} runs of ${ITEMS} posts: ${seconds.map((one) => one.toFixed(1)).join(', ')} s`);
		Object.assign(results, { runs: RUNS, items: ITEMS, seconds, postMemoryUses: measurements });
		results.postGrown = expectFlat(measurements.slice(0, 1), measurements.at(-1)!, allowanceFor(0));
	},
	15 * 60_000,
);

const textOf = (request: unknown) => (request as { text: string }).text;

const serialsIn = ({ runs }: Execution): string[] =>
	(runs.Post?.at(-1)?.data?.main[0] ?? []).map(({ json }) => String(json.action_sn));
