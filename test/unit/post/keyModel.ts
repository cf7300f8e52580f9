import { KeyClaim } from '../../../nodes/SocialOpenPlatform/post/keys/claim';

/** An operation that a process has requested. */
interface Op {
	id: number;
	kind: 'add' | 'remove' | 'wait' | 'poll' | 'send';
	/** `K` and `O` are the key's entries, and `C0`, `C1`, … the claims of the process. */
	entries: string[];
}

/** The requested operations of a process, and what it has reported about its post. */
interface Step {
	ops: Op[];
	reported: string;
}

/** An operation that has ended, with the entries that it has added, or the outcome of the post. */
interface Event {
	id: number;
	result: string;
}

/** The part of {@link KeyList} that the code uses. */
export interface ModelList {
	add: (helpers: unknown, entries: string[]) => Promise<Set<string>>;
	remove: (helpers: unknown, entries: string[]) => Promise<void>;
	waitForOthers: () => Promise<void>;
	waitTogether: (ms: number) => Promise<void>;
}

/** How often a process looks up a key that another one uses. */
const LOOK_UPS = 2;

const POLL_MS = 1_000;

/**
 * The steps of the real code that uses a key. The code runs once for each sequence of events, so
 * that a search can return to any state without running it again.
 */
export class Program {
	private readonly steps = new Map<string, Step>();

	/** @param mutate changes how the code uses the list, as a fault in it would */
	constructor(private readonly mutate: (list: ModelList) => Partial<ModelList> = () => ({})) {}

	/** @returns undefined if `load` must be called first */
	after(history: string): Step | undefined {
		return this.steps.get(history);
	}

	async load(history: string): Promise<Step> {
		const events = history
			.split(';')
			.filter(Boolean)
			.map((event): Event => {
				const [id, result] = event.split(':');
				return { id: Number(id), result: result! };
			});
		const step = await this.run(events);
		this.steps.set(history, step);
		return step;
	}

	private async run(events: Event[]): Promise<Step> {
		const claims: string[] = [];
		const requested = new Map<number, Op & { end: (result: string) => void }>();
		let ids = 0;
		const perform = async (kind: Op['kind'], entries: string[] = []) =>
			await new Promise<string>((end) => {
				const id = ids++;
				requested.set(id, { id, kind, entries, end });
			});
		const short = (entry: string) => {
			if (entry.endsWith(' taken')) return 'K';
			if (entry.endsWith(' open')) return 'O';
			if (!claims.includes(entry)) claims.push(entry);
			return `C${claims.indexOf(entry)}`;
		};
		const change = async (kind: 'add' | 'remove', entries: string[]) => {
			const added = (await perform(kind, entries.map(short))).split(' ');
			return new Set(entries.filter((entry) => added.includes(short(entry))));
		};
		const list: ModelList = {
			add: async (_: unknown, entries: string[]) => await change('add', entries),
			remove: async (_: unknown, entries: string[]) => void (await change('remove', entries)),
			waitForOthers: async () => void (await perform('wait')),
			waitTogether: async (ms: number) => void (await perform(ms === POLL_MS ? 'poll' : 'wait')),
		};
		let reported = '';
		const claim = new KeyClaim({ ...list, ...this.mutate(list) }, undefined as never, 'key');
		const use = async () => {
			let lookUps = 0;
			const state = await claim.take(() => ++lookUps < LOOK_UPS);
			if (state !== 'ours') return (reported = state);
			const outcome = await perform('send');
			await claim.record(outcome === 'refused' ? 'not accepted' : (outcome as 'accepted'));
			return (reported = 'sent');
		};
		use().catch(() => (reported = 'failed'));
		await settled();
		for (const { id, result } of events) {
			requested.get(id)!.end(result);
			requested.delete(id);
			await settled();
		}
		const ops = [...requested.values()].map(({ id, kind, entries }) => ({ id, kind, entries }));
		return { ops, reported };
	}
}

/** Waits until all code has run that waits for nothing else. */
async function settled(): Promise<void> {
	for (let turns = 0; turns < 30; turns++) await Promise.resolve();
}

interface Process {
	history: string;
	/** The list that the change in progress has read. */
	read?: { op: Op; list: readonly string[] };
	/** For each wait, the processes whose change must end before it. */
	waits: Record<number, number[]>;
	isDead: boolean;
	/** Changes of other keys that the process makes before it uses the key. */
	otherChanges: number;
}

export interface State {
	list: readonly string[];
	processes: readonly Process[];
	/** Posts that were accepted or whose outcome is unknown. */
	accepted: number;
	unknown: number;
	crashes: number;
	evictions: number;
}

const OTHER: Op = { id: -1, kind: 'add', entries: [] };

/** Processes that use the same key, or change only other keys, of one list without a lock. */
export class Model {
	constructor(
		private readonly program: Program,
		private readonly results = ['accepted', 'refused', 'unknown'],
	) {}

	/**
	 * @param processes for each process, its number of changes of other keys, and whether it uses the
	 * key afterwards
	 */
	async start(
		processes: Array<{ otherChanges?: number; usesKey?: boolean }>,
		limits: { crashes: number; evictions?: number },
		list: string[] = [],
	): Promise<State> {
		await this.program.load('');
		return {
			list,
			processes: processes.map(({ otherChanges = 0, usesKey = true }) => ({
				history: usesKey ? '' : '-',
				waits: {},
				isDead: false,
				otherChanges,
			})),
			accepted: 0,
			unknown: 0,
			crashes: limits.crashes,
			evictions: limits.evictions ?? 0,
		};
	}

	/** The operations that a process has requested. */
	async stepOf({ history, isDead, otherChanges }: Process): Promise<Step> {
		if (isDead) return { ops: [], reported: '' };
		if (otherChanges > 0) return { ops: [OTHER], reported: '' };
		if (history === '-') return { ops: [], reported: '' };
		return this.program.after(history) ?? (await this.program.load(history));
	}

	/**
	 * Returns all states that may follow. The end of a wait and the outcome of a post affect no other
	 * process, so their order does not matter. A crash during a change is like one before it.
	 */
	async following(state: State): Promise<State[]> {
		const states: State[] = [];
		for (const [index, process] of state.processes.entries()) {
			const { ops } = await this.stepOf(process);
			for (const op of ops) {
				const next = await this.perform(state, index, op);
				if (next.length > 0 && !['add', 'remove'].includes(op.kind)) return next;
				states.push(...next);
			}
			if (ops.length > 0 && !process.read && state.crashes > 0) {
				const dead = { ...process, isDead: true, waits: {} };
				states.push({ ...this.replaced(state, index, dead), crashes: state.crashes - 1 });
			}
		}
		if (state.evictions > 0 && state.list.length > 0) {
			states.push({ ...state, list: state.list.slice(1), evictions: state.evictions - 1 });
		}
		return states;
	}

	private async perform(state: State, index: number, op: Op): Promise<State[]> {
		const process = state.processes[index]!;
		const { kind, id } = op;
		if (kind === 'send') {
			return await Promise.all(
				this.results.map(async (result) => {
					const next = await this.end(state, index, id, result);
					if (result === 'accepted') return { ...next, accepted: next.accepted + 1 };
					return result === 'unknown' ? { ...next, unknown: next.unknown + 1 } : next;
				}),
			);
		}
		if (kind === 'poll' || kind === 'wait') {
			const isOver = (process.waits[id] ?? []).length === 0;
			return isOver ? [await this.end(state, index, id, '')] : [];
		}
		if (!process.read) {
			return [this.replaced(state, index, { ...process, read: { op, list: state.list } })];
		}
		if (process.read.op.id !== id) return [];
		const own = (entry: string) => (entry.startsWith('C') ? `${index}${entry}` : entry);
		const before = process.read.list;
		const added = kind === 'add' ? op.entries.filter((entry) => !before.includes(own(entry))) : [];
		const removed = kind === 'remove' ? op.entries.map(own) : [];
		const list = [...before.filter((entry) => !removed.includes(entry)), ...added.map(own)];
		return [await this.end({ ...state, list }, index, id, added.join(' '))];
	}

	/** Ends an operation of a process, which may then request others. */
	private async end(state: State, index: number, id: number, result: string): Promise<State> {
		const { [id]: _, ...waits } = state.processes[index]!.waits;
		const isChange = state.processes[index]!.read?.op.id === id;
		const before = state.processes[index]!;
		const process: Process = {
			...before,
			waits,
			read: isChange ? undefined : before.read,
			...(id === OTHER.id
				? { otherChanges: before.otherChanges - 1 }
				: { history: `${before.history}${id}:${result};` }),
		};
		const changing = state.processes.flatMap(({ read }, other) =>
			read && other !== index ? [other] : [],
		);
		const { ops } = await this.stepOf(process);
		const started = ops.filter((op) => op.kind === 'wait' && !(op.id in waits));
		for (const op of started) waits[op.id] = changing;
		const next = this.replaced(state, index, process);
		return isChange ? this.released(next, index) : next;
	}

	/** The state without waits for the change of a process, which has ended. */
	private released(state: State, index: number): State {
		const processes = state.processes.map((process) => ({
			...process,
			waits: Object.fromEntries(
				Object.entries(process.waits).map(([id, others]) => [
					id,
					others.filter((other) => other !== index),
				]),
			),
		}));
		return { ...state, processes };
	}

	private replaced(state: State, index: number, process: Process): State {
		return { ...state, processes: state.processes.with(index, process) };
	}

	/** Throws an error if a post may be published twice, or if a report is wrong. */
	async check(state: State): Promise<void> {
		const { accepted, unknown } = state;
		for (const process of state.processes) {
			const { reported } = await this.stepOf(process);
			if (reported === 'accepted' && accepted === 0) throw new Error(`falsely accepted`);
			if (reported === 'failed') throw new Error('failed');
		}
		if (accepted + unknown > 1) throw new Error(`sent twice`);
	}

	/** Throws an error if a later use of the key contradicts what all processes have left. */
	async checkEnd(state: State, hasCrashed: boolean): Promise<void> {
		const { accepted, unknown, list } = state;
		const later = await this.start([{}], { crashes: 0 }, [...list]);
		const reports = new Set<string>();
		for await (const next of this.search({ ...later, accepted, unknown })) {
			const { ops, reported } = await this.stepOf(next.processes[0]!);
			if (ops.length === 0) reports.add(reported);
		}
		const expected = unknown > 0 ? 'unknown' : accepted > 0 ? 'accepted' : 'sent';
		const found = [...reports].join();
		if (found !== expected && !(hasCrashed && found === 'unknown')) {
			throw new Error(`later ${found} instead of ${expected}`);
		}
	}

	/** Returns and checks all states that may follow a state. */
	async *search(first: State): AsyncGenerator<State> {
		const seen = new Set<string>();
		const states = [first];
		for (let state = states.pop(); state; state = states.pop()) {
			const key = JSON.stringify(state);
			if (seen.has(key)) continue;
			seen.add(key);
			await this.check(state);
			yield state;
			states.push(...(await this.following(state)));
		}
	}

	/** Returns a state that may follow, or undefined if all processes have ended. */
	async randomStep(state: State, random: () => number): Promise<State | undefined> {
		const possible: Array<[index: number, op: Op]> = [];
		for (const [index, process] of state.processes.entries()) {
			for (const op of (await this.stepOf(process)).ops) possible.push([index, op]);
		}
		while (possible.length > 0) {
			const [[index, op]] = possible.splice(Math.floor(random() * possible.length), 1) as [
				(typeof possible)[0],
			];
			const next = await this.perform(state, index, op);
			if (next.length > 0) return next[Math.floor(random() * next.length)];
		}
		return undefined;
	}
}
