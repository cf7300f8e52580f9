import { KeyClaim } from '../../../nodes/SocialOpenPlatform/post/keys/claim';

/** An operation that a process has requested. */
export interface Op {
	id: number;
	kind: 'add' | 'remove' | 'wait' | 'poll' | 'send' | 'start' | 'rate limit' | 'others have ended';
	/** `K`, `O` and `B` are the key's entries, and `C0`, `C1`, … the claims of the process. */
	entries: string[];
}

/** An operation that has ended, with the entries that it has added, or the outcome of the post. */
interface Event {
	id: number;
	result: string;
}

/** The requested operations of a process, and what it has reported, after a sequence of events. */
export interface Step {
	events: Event[];
	ops: Op[];
	reported: string;
	/** The numbers of the steps that follow. */
	next: Map<string, number>;
}

/** The part of {@link KeyList} that the code uses. */
export interface ModelList {
	add: (helpers: unknown, entries: string[]) => Promise<Set<string>>;
	remove: (helpers: unknown, entries: string[]) => Promise<void>;
	wait: (ms?: number) => Promise<void>;
	waitForOthers: () => Promise<void>;
}

/**
 * What a process does with the key:
 * - `use`: sends a post, again after a rate limit, unless the key is used.
 * - `resend`: sends a post also if the outcome of an earlier one is unknown.
 * - `clear`: clears the key.
 * - `none`: changes only other keys.
 *
 * A process with `after` begins when all processes before it have reported.
 */
export type Role = 'use' | 'resend' | 'clear' | 'none';

/** How often a process looks up a key that another one uses. */
const LOOK_UPS = 2;

/** A change of the list in the code, as a fault in it would be. */
export type Mutate = (list: ModelList) => Partial<ModelList>;

/**
 * The steps of the real code that uses a key. The code runs once for each sequence of events, so
 * that a search can return to any state without running it again.
 */
export class Program {
	readonly steps: Step[] = [];

	private readonly first = new Map<string, number>();

	constructor(private readonly mutate: Mutate = () => ({})) {}

	/** Returns the number of the first step. */
	async begin(role: Role, isAfter: boolean): Promise<number> {
		const name = `${role} ${isAfter}`;
		const known = this.first.get(name);
		if (known !== undefined) return known;
		const number = await this.load(role, isAfter, []);
		this.first.set(name, number);
		return number;
	}

	/** Returns the number of the step that follows an event. */
	async after(from: number, role: Role, isAfter: boolean, event: Event): Promise<number> {
		const { next, events } = this.steps[from]!;
		const name = `${event.id}:${event.result}`;
		const known = next.get(name);
		if (known !== undefined) return known;
		const number = await this.load(role, isAfter, [...events, event]);
		next.set(name, number);
		return number;
	}

	private async load(role: Role, isAfter: boolean, events: Event[]): Promise<number> {
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
			if (entry.endsWith(' busy')) return 'B';
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
			wait: async () => void (await perform('wait')),
			waitForOthers: async () => void (await perform('wait')),
		};
		const claimed = () =>
			new KeyClaim({ ...list, ...this.mutate(list) }, undefined as never, 'key');
		const use = async () => {
			let isLimited = false;
			for (let lookUps = 0; ;) {
				const claim = claimed();
				const isLast = ++lookUps >= LOOK_UPS;
				const resends = role === 'resend';
				if (isLast && resends) await perform('others have ended');
				const states = resends ? (['free', 'unknown'] as const) : (['free'] as const);
				const state = await claim.take([...states], resends && isLast);
				if (state === 'busy' && !isLast) {
					await perform('poll');
				} else if (state !== 'free' && !(state === 'unknown' && resends)) {
					return state === 'busy' ? 'unknown' : state;
				} else {
					const outcome = await perform('send', isLimited ? [] : ['first']);
					const kind = outcome === 'limited' ? 'refused' : outcome;
					await claim.settle(kind as 'accepted' | 'refused' | 'unknown');
					if (outcome !== 'limited') return 'sent';
					await perform('rate limit');
					isLimited = true;
					lookUps = 0;
				}
			}
		};
		let reported = '';
		const run = async () => {
			if (role === 'none') return;
			if (isAfter) await perform('start');
			if (role === 'clear') await claimed().clear();
			reported = role === 'clear' ? 'cleared' : await use();
		};
		run().catch((error: Error) => (reported = `failed: ${error.message}`));
		await settled();
		for (const { id, result } of events) {
			requested.get(id)!.end(result);
			requested.delete(id);
			await settled();
		}
		const ops = [...requested.values()].map(({ id, kind, entries }) => ({ id, kind, entries }));
		return this.steps.push({ events, ops, reported, next: new Map() }) - 1;
	}
}

/** Waits until all code has run that waits for nothing else. */
async function settled(): Promise<void> {
	for (let turns = 0; turns < 30; turns++) await Promise.resolve();
}
