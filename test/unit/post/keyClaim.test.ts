import { Model, Program, type ModelList, type State } from './keyModel';

const RANDOM_RUNS = 100_000;

type Processes = Parameters<Model['start']>[0];

/** Searches all interleavings. Returns the number of states. */
async function search(
	program: Program,
	processes: Processes,
	limits: { crashes: number },
	results?: string[],
): Promise<number> {
	const model = new Model(program, results);
	const first = await model.start(processes, limits);
	const ends = new Set<string>();
	let states = 0;
	for await (const state of model.search(first)) {
		states++;
		if (!(await hasEnded(model, state))) continue;
		const { list, accepted, unknown, crashes } = state;
		const end = JSON.stringify([list, accepted, unknown, crashes]);
		if (!ends.has(end)) await model.checkEnd(state, crashes < limits.crashes);
		ends.add(end);
	}
	return states;
}

async function hasEnded(model: Model, { processes }: State): Promise<boolean> {
	const steps = await Promise.all(processes.map(async (process) => await model.stepOf(process)));
	return steps.every(({ ops }) => ops.length === 0);
}

/** Returns a generator of random numbers that always returns the same ones (mulberry32). */
function seeded(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let value = Math.imul(state ^ (state >>> 15), 1 | state);
		value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
		return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
	};
}

describe('KeyClaim in processes that share a list without a lock', () => {
	const interleavings: Array<[string, Processes, number]> = [
		['of two processes', [{}, {}], 0],
		['of two processes that may crash at any step', [{}, {}], 2],
	];

	test.each(interleavings)('sends a post at most once in all interleavings %s', async (...row) => {
		const [title, processes, crashes] = row;
		const states = await search(new Program(), processes, { crashes });
		process.stdout.write(`Interleavings ${title}: ${states} states\n`);
		expect(states).toBeGreaterThan(10_000);
	});

	test('sends a post at most once in random interleavings of three processes', async () => {
		const random = seeded(1);
		const model = new Model(new Program());
		const first = await model.start([{}, {}, {}], { crashes: 0 });
		for (let runs = 0; runs < RANDOM_RUNS; runs++) {
			let last = first;
			for (let next: State | undefined = first; next; next = await model.randomStep(last, random)) {
				last = next;
			}
			await model.check(last);
		}
	});

	test('does not report a key as accepted after n8n has evicted its oldest entry', async () => {
		const model = new Model(new Program(), ['refused', 'unknown']);
		const first = await model.start([{}, {}], { crashes: 0, evictions: 1 }, ['K', 'O']);
		let states = 0;
		for await (const { processes } of model.search({ ...first, unknown: -5 })) {
			states++;
			for (const one of processes) expect((await model.stepOf(one)).reported).not.toBe('accepted');
		}
		expect(states).toBeGreaterThan(100);
	});
});

describe('The search finds', () => {
	const isClaim = (entry: string) => !/ (taken|open)$/.test(entry);
	const mutants: Record<string, (list: ModelList) => Partial<ModelList>> = {
		'no wait for others': () => ({ waitForOthers: async () => {} }),
		'no confirmation': (list) => {
			const claimed = new Set<string>();
			return {
				add: async (_, entries) => {
					const claim = entries.find(isClaim);
					if (claim && entries.length > 1 && claimed.has(claim)) return new Set();
					claimed.add(claim ?? '');
					return await list.add(_, entries);
				},
			};
		},
		'an attempt that removes the entries of others': (list) => ({
			remove: async (_, entries) => {
				const [claim = ''] = entries.filter(isClaim);
				const name = claim.split(' ')[0]!;
				await list.remove(_, [`${name} taken`, `${name} open`, ...entries]);
			},
		}),
		'no second recording of results': (list) => ({
			waitTogether: async (ms) =>
				ms === 500 ? await new Promise(() => {}) : await list.waitTogether(ms),
		}),
		'an accepted post whose key is freed': (list) => ({
			remove: async (_, entries) =>
				await list.remove(_, [...entries, ...entries.map((e) => e.replace(/ open$/, ' taken'))]),
		}),
		'a refused post whose key stays taken': (list) => ({
			remove: async (_, entries) => await list.remove(_, entries.filter(isClaim)),
		}),
		'removing `open` before the outcome is known': (list) => ({
			waitForOthers: async () => {
				await list.waitForOthers();
				await list.remove(undefined, ['key open']);
			},
		}),
	};

	test.each(Object.entries(mutants))('%s', async (_, mutate) => {
		await expect(search(new Program(mutate), [{}, {}], { crashes: 1 })).rejects.toThrow(
			/sent twice|falsely accepted|later|failed/,
		);
	});
});
