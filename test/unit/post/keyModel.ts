import type { Op, Program, Role, Step } from './keyProgram';

interface Process {
	role: Role;
	isAfter: boolean;
	/** The number of its step. */
	step: number;
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
	/** Posts that were accepted or whose outcome is unknown, since the key was cleared. */
	accepted: number;
	unknown: number;
	/** The posts that were sent although the key was used. */
	twice: number;
	crashes: number;
	evictions: number;
}

const OTHER: Op = { id: -1, kind: 'add', entries: [] };

const ENDED: Step = { events: [], ops: [], reported: '', next: new Map() };

export type Processes = Array<{ role?: Role; isAfter?: boolean; otherChanges?: number }>;

/** Processes that use the same key, or change only other keys, of one list without a lock. */
export class Model {
	constructor(
		private readonly program: Program,
		private readonly results = ['accepted', 'refused', 'unknown'],
	) {}

	async start(
		processes: Processes,
		limits: { crashes: number; evictions?: number },
		list: readonly string[] = [],
	): Promise<State> {
		return {
			list,
			processes: await Promise.all(
				processes.map(async ({ role = 'use', isAfter = false, otherChanges = 0 }) => ({
					role,
					isAfter,
					step: await this.program.begin(role, isAfter),
					waits: {},
					isDead: false,
					otherChanges,
				})),
			),
			accepted: 0,
			unknown: 0,
			twice: 0,
			crashes: limits.crashes,
			evictions: limits.evictions ?? 0,
		};
	}

	/** The operations that a process has requested. */
	stepOf({ step, isDead, otherChanges }: Process): Step {
		if (isDead) return ENDED;
		if (otherChanges > 0) return { ...ENDED, ops: [OTHER] };
		return this.program.steps[step]!;
	}

	/** Whether nothing more happens. */
	hasEnded({ processes }: State): boolean {
		return processes.every((process) => this.stepOf(process).ops.length === 0);
	}

	/**
	 * Returns all states that may follow. The end of a wait and the outcome of a post affect no other
	 * process, so their order does not matter. A crash during a change is like one before it.
	 */
	async following(state: State): Promise<State[]> {
		const states: State[] = [];
		for (const [index, process] of state.processes.entries()) {
			const { ops } = this.stepOf(process);
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
		if (kind === 'send') return await this.send(state, index, op);
		if (kind === 'start') {
			const before = state.processes.slice(0, index);
			if (!before.every((one) => one.isDead || this.stepOf(one).reported)) return [];
			const cleared = process.role === 'clear' ? { accepted: 0, unknown: 0 } : {};
			return [{ ...(await this.end(state, index, id, '')), ...cleared }];
		}
		if (kind === 'others have ended') {
			const others = state.processes.filter((_, other) => other !== index);
			const areEnded = others.every((one) => this.stepOf(one).ops.length === 0);
			return areEnded ? [await this.end(state, index, id, '')] : [];
		}
		if (kind === 'rate limit') {
			// A rate limit lasts longer than the process needs to free the key.
			const isOver = this.stepOf(process).ops.length === 1;
			return isOver ? [await this.end(state, index, id, '')] : [];
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

	private async send(state: State, index: number, { id, entries }: Op): Promise<State[]> {
		const { accepted, unknown, processes } = state;
		const isKnown = accepted > 0 || (unknown > 0 && processes[index]!.role !== 'resend');
		// A rate limit that is followed by another one adds nothing new.
		const results = this.results.filter((result) => result !== 'limited' || entries.length > 0);
		return await Promise.all(
			results.map(async (result) => {
				const next = await this.end(state, index, id, result);
				if (result !== 'accepted' && result !== 'unknown') return next;
				const twice = next.twice + (isKnown ? 1 : 0);
				return { ...next, twice, [result]: next[result] + 1 };
			}),
		);
	}

	/** Ends an operation of a process, which may then request others. */
	private async end(state: State, index: number, id: number, result: string): Promise<State> {
		const before = state.processes[index]!;
		const { [id]: _, ...waits } = before.waits;
		const isChange = before.read?.op.id === id;
		const process: Process = { ...before, waits, read: isChange ? undefined : before.read };
		if (id === OTHER.id) process.otherChanges--;
		else {
			const { role, isAfter, step } = before;
			process.step = await this.program.after(step, role, isAfter, { id, result });
		}
		const changing = state.processes.flatMap(({ read }, other) =>
			read && other !== index ? [other] : [],
		);
		const known = this.stepOf(before).ops;
		const started = this.stepOf(process).ops.filter(
			(op) => op.kind === 'wait' && !known.some((one) => one.id === op.id),
		);
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
	check({ accepted, twice, processes }: State): void {
		for (const process of processes) {
			const { reported } = this.stepOf(process);
			const isCleared = processes.some(({ role }) => role === 'clear');
			if (reported === 'accepted' && accepted === 0 && !isCleared) {
				throw new Error('falsely accepted');
			}
			if (reported.startsWith('failed') && process.role !== 'clear') throw new Error('failed');
		}
		if (twice > 0) throw new Error('sent twice');
	}

	/** Throws an error if a later use of the key contradicts what all processes have left. */
	async checkEnd(state: State, mayBeUnknown: boolean): Promise<void> {
		const { accepted, unknown } = state;
		// The later process has claims of its own.
		const list = state.list.filter((entry) => !entry.includes('C'));
		const later = await this.start([{}], { crashes: 0 }, list);
		const reports = new Set<string>();
		for await (const next of this.search({ ...later, accepted, unknown })) {
			const { ops, reported } = this.stepOf(next.processes[0]!);
			if (ops.length === 0) reports.add(reported);
		}
		const expected = accepted > 0 ? 'accepted' : unknown > 0 ? 'unknown' : 'sent';
		const found = [...reports].join();
		if (found !== expected && !(mayBeUnknown && found === 'unknown')) {
			throw new Error(`later ${found} instead of ${expected}`);
		}
	}

	/** Returns and checks all states that may follow a state. */
	async *search(first: State): AsyncGenerator<State> {
		const seen = new Set<string>();
		const states = [first];
		for (let state = states.pop(); state; state = states.pop()) {
			const key = JSON.stringify([
				state.list,
				state.processes.map(({ step, read, waits, isDead, otherChanges }) => [
					step,
					read?.op.id,
					read?.list,
					waits,
					isDead,
					otherChanges,
				]),
				[state.accepted, state.unknown, state.twice, state.crashes, state.evictions],
			]);
			if (seen.has(key)) continue;
			seen.add(key);
			this.check(state);
			yield state;
			states.push(...(await this.following(state)));
		}
	}

	/** Returns and checks the states of random runs. */
	async *randomRuns(first: State, runs: number): AsyncGenerator<State> {
		let seed = 1;
		for (let run = 0; run < runs; run++) {
			for (let state: State | undefined = first; state;) {
				this.check(state);
				yield state;
				const next = await this.following(state);
				seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
				state = next[Math.floor((seed / 2 ** 32) * next.length)];
			}
		}
	}
}
