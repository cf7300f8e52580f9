import { KeyClaim } from '../../../nodes/SocialOpenPlatform/post/keys/claim';
import { Model, type Processes } from './keyModel';
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

/** The steps of the code, which all scenarios share. */
const program = new Program();

/** Searches all interleavings, or random ones. Returns the number of states. */
async function search(scenario: Scenario): Promise<number> {
	const { processes, list, crashes = 0, results, randomRuns, mayStayUnknown } = scenario;
	const model = new Model(program, results);
	const first = await model.start(processes, { crashes }, list);
	const ends = new Set<string>();
	let count = 0;
	for await (const state of randomRuns
		? model.randomRuns(first, randomRuns)
		: model.search(first)) {
		count++;
		if (!model.hasEnded(state)) continue;
		const end = JSON.stringify([state.list, state.accepted, state.unknown, state.crashes]);
		if (!ends.has(end)) await model.checkEnd(state, mayStayUnknown || state.crashes < crashes);
		ends.add(end);
	}
	return count;
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
		randomRuns: 1_000,
		mayStayUnknown: true,
	},
	'a rate limit frees the key of two processes': {
		processes: [use, use],
		results: ['limited', 'accepted'],
		randomRuns: 300,
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
		randomRuns: 300,
	},
	'a process clears a key and another one sends its post again': {
		processes: [use, { ...clear, ...then }, { ...use, ...then }],
	},
	'two processes clear a key at the same time': {
		processes: [{ ...clear, ...then }, clear, other],
		list: ['K'],
		randomRuns: 1_000,
	},
};

describe('KeyClaim in processes that share a list without a lock', () => {
	test.each(Object.entries(scenarios))('keeps its promises when %s', async (_, scenario) => {
		expect(await search(scenario)).toBeGreaterThan(100);
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
		const model = new Model(program, ['refused', 'unknown']);
		const first = await model.start([use, other], { crashes: 0, evictions: 1 }, ['K', 'O']);
		let states = 0;
		for await (const { processes } of model.search({ ...first, unknown: -5 })) {
			states++;
			for (const one of processes) expect(model.stepOf(one).reported).not.toBe('accepted');
		}
		expect(states).toBeGreaterThan(100);
	});
});

/** A claim of a key that another process uses, and the list of both. The other process acts during each wait. */
function claimOfUsedKey(otherActs?: (list: Set<string>) => void) {
	const list = new Set(['K taken', 'K open', 'K busy', 'K other']);
	const add = (entry: string) => !list.has(entry) && Boolean(list.add(entry));
	const claim = new KeyClaim(
		{
			add: async (_, entries) => new Set(entries.filter(add)),
			remove: async (_, entries) => entries.forEach((entry) => list.delete(entry)),
			waitForOthers: async () => otherActs?.(list),
			wait: async () => await new Promise(() => undefined),
		},
		{} as never,
		'K',
	);
	return { claim, list };
}

describe('KeyClaim of a key that another process uses', () => {
	test('leaves nothing in the list if it does not take the key', async () => {
		const { claim, list } = claimOfUsedKey();
		expect(await claim.take(['free'])).toBe('busy');
		expect([...list]).toStrictEqual(['K taken', 'K open', 'K busy', 'K other']);
	});

	test('does not take the key by force if its post is accepted at this moment', async () => {
		const accept = (list: Set<string>) => {
			if (list.delete('K other')) for (const entry of ['K open', 'K busy']) list.delete(entry);
		};
		const { claim } = claimOfUsedKey(accept);
		expect(await claim.take(['free', 'unknown'], true)).toBe('accepted');
	});
});
