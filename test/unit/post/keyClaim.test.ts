import { Model, type Processes, type State } from './keyModel';
import { Program, type Mutate } from './keyProgram';

interface Scenario {
	processes: Processes;
	/** The entries of the key before. */
	list?: string[];
	crashes?: number;
	results?: string[];
	/** Number of random interleavings that are tried, where there are too many for all of them. */
	randomRuns?: number;
	/** Whether a key whose post was accepted or refused may count as unknown in the end. */
	mayStayUnknown?: boolean;
}

/** Searches all interleavings, or random ones. Returns the number of states. */
async function search(scenario: Scenario, mutate?: Mutate): Promise<number> {
	const { processes, list, crashes = 0, results, randomRuns, mayStayUnknown } = scenario;
	const model = new Model(new Program(mutate), results);
	const first = await model.start(processes, { crashes }, list);
	const ends = new Set<string>();
	let count = 0;
	for await (const state of randomRuns
		? visitRandom(model, first, randomRuns)
		: model.search(first)) {
		count++;
		if (!model.hasEnded(state)) continue;
		const end = JSON.stringify([state.list, state.accepted, state.unknown, state.crashes]);
		if (!ends.has(end)) await model.checkEnd(state, mayStayUnknown || state.crashes < crashes);
		ends.add(end);
	}
	return count;
}

async function* visitRandom(model: Model, first: State, runs: number): AsyncGenerator<State> {
	const random = seeded(1);
	for (let run = 0; run < runs; run++) {
		for (
			let state: State | undefined = first;
			state;
			state = await model.randomStep(state, random)
		) {
			model.check(state);
			yield state;
		}
	}
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

const use = { role: 'use' } as const;
const resend = { role: 'resend' } as const;
const clear = { role: 'clear' } as const;
const other = { role: 'none', otherChanges: 2 } as const;
const then = { isAfter: true };

const scenarios: Record<string, Scenario> = {
	'two processes use a key': { processes: [use, use] },
	'two processes that may crash at any step use a key': { processes: [use, use], crashes: 2 },
	// Lists that two processes write at the same moment may restore the entries of a third one after
	// its last check.
	'three processes use a key': {
		processes: [use, use, use],
		randomRuns: 5_000,
		mayStayUnknown: true,
	},
	'a rate limit frees the key of two processes': {
		processes: [use, use],
		results: ['limited', 'accepted'],
		randomRuns: 3_000,
	},
	'two processes resend a post whose outcome is unknown': {
		processes: [resend, resend],
		list: ['K', 'O'],
		results: ['accepted'],
	},
	'the post of a process that may crash is resent': {
		processes: [use, resend],
		crashes: 1,
		results: ['refused', 'unknown'],
	},
	'a process clears a key that another one has just used': {
		processes: [use, { ...clear, ...then }, other],
		randomRuns: 3_000,
	},
	'a process clears a key and another one sends its post again': {
		processes: [use, { ...clear, ...then }, { ...use, ...then }],
	},
	'two processes clear a key at the same time': {
		processes: [{ ...clear, ...then }, clear, other],
		list: ['K'],
		randomRuns: 3_000,
	},
};

describe('KeyClaim in processes that share a list without a lock', () => {
	test.each(Object.entries(scenarios))('keeps its promises when %s', async (title, scenario) => {
		const startedAt = Date.now();
		const states = await search(scenario);
		process.stdout.write(`${states} states in ${Date.now() - startedAt} ms: ${title}\n`);
		expect(states).toBeGreaterThan(100);
	});

	test('sends nothing with an accepted key if its entries are written, but the database reports a failure', async () => {
		const mutate: Mutate = (list) => {
			let calls = 0;
			return {
				add: async (_, entries) => {
					const added = await list.add(_, entries);
					if (calls++ === 0) throw new Error('the connection was closed');
					return added;
				},
			};
		};
		const model = new Model(new Program(mutate));
		const first = await model.start([use], { crashes: 0 }, ['K']);
		for await (const { accepted, unknown } of model.search({ ...first, accepted: 1 })) {
			expect([accepted, unknown]).toStrictEqual([1, 0]);
		}
	});

	test('does not report a key as accepted after n8n has evicted its oldest entry', async () => {
		const model = new Model(new Program(), ['refused', 'unknown']);
		const first = await model.start([use, other], { crashes: 0, evictions: 1 }, ['K', 'O']);
		let states = 0;
		for await (const { processes } of model.search({ ...first, unknown: -5 })) {
			states++;
			for (const one of processes) expect(model.stepOf(one).reported).not.toBe('accepted');
		}
		expect(states).toBeGreaterThan(100);
	});
});

describe('The search finds', () => {
	const isClaim = (entry: string) => !/ (taken|open|busy)$/.test(entry);
	const mutants: Record<string, Mutate> = {
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
		'no second recording of results': () => ({
			wait: async () => await new Promise(() => {}),
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
		await expect(search({ processes: [use, use], crashes: 1 }, mutate)).rejects.toThrow(
			/sent twice|falsely accepted|later|failed/,
		);
	});

	test('a late recording that takes a cleared key again', async () => {
		const takeAgain: Mutate = (list) => ({
			add: async (_, entries) =>
				await list.add(_, entries.length === 1 ? [...entries, 'key taken'] : entries),
		});
		const { processes } = scenarios['a process clears a key and another one sends its post again']!;
		await expect(search({ processes }, takeAgain)).rejects.toThrow(/falsely accepted|later/);
	});
});
