import { step } from '../../n8n/progress';
import { median, rotated } from '../statistics';
import { isTrial, type Report } from '../document';
import { digits, spread, table, times } from '../table';
import { BenchSetup, type Burst } from './benchSetup';
import type { ContenderName } from './contenders';

/** With many short rounds, the contenders are measured at almost the same time. */
const [ROUNDS, BURST_MS] = isTrial ? [2, 500] : [9, 1_500];

const ENGINES: Array<[title: string, env: NodeJS.ProcessEnv]> = [
	['Default expression engine', {}],
	['`N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true`', { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' }],
];

function resultsTable(engine: string, bench: BenchSetup, bursts: Map<ContenderName, Burst[]>) {
	const rates = (name: ContenderName) => bursts.get(name)!.map(({ perSecond }) => perSecond);
	const head = [...[engine, 'per second (range)', 'vs. doing nothing', 'CPU each, ms']];
	const rows = [...bursts].map(([name, measured]) => [
		bench.contenders.get(name)!.title,
		spread(rates(name)),
		times(rates(name), rates('nothing')),
		digits(median(measured.map(({ cpuMs }) => cpuMs))),
	]);
	return table([head, ...rows]);
}

/** Measures all contenders in one n8n, in rounds with changing order. */
async function measureWith(engine: string, env: NodeJS.ProcessEnv): Promise<Report> {
	const title = `Starting n8n: ${engine}`;
	const bench = await step(title, async () => await BenchSetup.open(env));
	try {
		const names = [...bench.contenders.keys()];
		const bursts = new Map<ContenderName, Burst[]>(names.map((name) => [name, []]));
		await step('Warming up', async () => {
			for (const name of names) await bench.burst(name, BURST_MS);
		});
		let round = 0;
		const run = async () => {
			for (; round < ROUNDS; round++) {
				for (const name of rotated(names, round)) {
					bursts.get(name)!.push(await bench.burst(name, BURST_MS));
				}
			}
		};
		await step('Measuring', run, () => `round ${round + 1} of ${ROUNDS}`);
		const wrong = (await bench.wrong()).map((error) => `${engine}: ${error}`);
		return { tables: [resultsTable(engine, bench, bursts)], wrong };
	} finally {
		await bench.close();
	}
}

/** Measures webhook deliveries with both expression engines of n8n. */
export async function measureTrigger(): Promise<Report> {
	const reports: Report[] = [];
	for (const [title, env] of ENGINES) reports.push(await measureWith(title, env));
	return {
		tables: reports.flatMap(({ tables }) => tables),
		wrong: reports.flatMap(({ wrong }) => wrong),
	};
}
