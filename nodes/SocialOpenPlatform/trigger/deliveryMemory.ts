import type { EventIdentity } from '../protocol/eventIdentity';
import { putNewest } from '../protocol/newest';

/** Events remembered at most, for each trigger; the oldest goes first. About 30 MB. */
const MAX_EVENTS = 50_000;

/** Names of posts and events at most, for each trigger: up to three for each event. */
const MAX_NAMES = 150_000;

/** Triggers at most; the one that heard least of late goes first. */
const MAX_TRIGGERS = 1_000;

/** How one delivery is handed over, with all that is new in it. */
export interface HandOver {
	/** Settles with whether it was handed over. */
	done: Promise<boolean>;
	/** When it was handed over, in milliseconds since 1970; undefined while that is under way. */
	at?: number;
}

/** A post, or whatever an event's ID identifies. */
interface Subject {
	status: string;
	/** How often its status has changed. */
	changes: number;
}

interface Remembered {
	handOver: HandOver;
	/** What must not have changed since, for a repetition to be one. */
	subject: Subject;
	changes: number;
}

/**
 * Remembers which events have started a workflow, so that a repetition does not start another, and
 * which status came last of each post, so that a change never passes for a repetition. It is exact
 * within one n8n process and forgets when that ends. What could not be handed over is forgotten at
 * once, because its sender will send it again.
 */
export class EventMemory {
	private readonly remembered = new Map<string, Remembered>();
	private readonly subjects = new Map<string, Subject>();

	/**
	 * The same event within the window, in milliseconds: handed over already (`true`), or under way (a
	 * promise of whether it will have been). Undefined when there is none.
	 */
	earlier(identity: EventIdentity, windowMs: number): true | Promise<boolean> | undefined {
		const known = this.remembered.get(identity.key);
		if (known === undefined || this.hasChanged(identity, known)) return undefined;
		const { at, done } = known.handOver;
		if (at === undefined) return done;
		return Date.now() - at < windowMs ? true : undefined;
	}

	/** Notes that events are being handed over; `done` says how that ends. */
	begin(identity: EventIdentity, handOver: HandOver): void {
		const { post, own } = this.note(identity);
		const subject = identity.unchanged === 'ownId' ? (own ?? post) : post;
		const entry: Remembered = { handOver, subject, changes: subject.changes };
		putNewest(this.remembered, identity.key, entry, MAX_EVENTS);
		void handOver.done.then((isDone) => {
			const isLatest = this.remembered.get(identity.key) === entry;
			if (!isDone && isLatest) this.remembered.delete(identity.key);
		});
	}

	/** Notes the status of a post, also where it starts no workflow. */
	note({ post, ownId, status }: EventIdentity): { post: Subject; own?: Subject } {
		return {
			post: this.noteStatus(post, status),
			...(ownId !== undefined && { own: this.noteStatus([ownId], status) }),
		};
	}

	/** All names of one subject lead to it from now on. */
	private noteStatus(names: string[], status: string): Subject {
		const known = names.flatMap((name) => this.subjects.get(name) ?? []);
		const subject = known[0] ?? { status, changes: 0 };
		// Two names that have led to two posts so far: what is known of the other one is given up.
		if (subject.status !== status || known.some((other) => other !== subject)) subject.changes++;
		subject.status = status;
		for (const name of names) putNewest(this.subjects, name, subject, MAX_NAMES);
		return subject;
	}

	private hasChanged({ unchanged, post, ownId }: EventIdentity, known: Remembered): boolean {
		if (unchanged === undefined) return false;
		const names = unchanged === 'ownId' ? [String(ownId)] : post;
		const { subject, changes } = known;
		return subject.changes !== changes || names.some((n) => this.subjects.get(n) !== subject);
	}
}

/** The memory of each trigger: what one receives pushes nothing out of another's. */
export class DeliveryMemory {
	private readonly triggers = new Map<string, EventMemory>();

	/** @param place what tells the trigger from others */
	of(place: string): EventMemory {
		const memory = this.triggers.get(place) ?? new EventMemory();
		putNewest(this.triggers, place, memory, MAX_TRIGGERS);
		return memory;
	}
}
