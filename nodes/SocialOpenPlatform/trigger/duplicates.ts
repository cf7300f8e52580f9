import { sleep } from 'n8n-workflow';
import { putNewest } from '../protocol/bounded';
import type { EventIdentity } from '../protocol/webhook/event';
import { isHandedOver, type WebhookResponse } from './response';

/**
 * Milliseconds that a duplicate waits for the result of the first delivery. After that, it is
 * refused.
 */
const WAIT_FOR_FIRST_MS = 800;

/**
 * Maximum number of events to remember for each trigger. The oldest events are dropped. They take
 * about 30 MB.
 */
const MAX_EVENTS = 50_000;

/**
 * Maximum number of names of posts and events to remember for each trigger, up to three for each
 * event.
 */
const MAX_NAMES = 150_000;

/** Maximum number of triggers to remember. Triggers without recent deliveries are dropped. */
const MAX_TRIGGERS = 1_000;

/** The passing of one delivery to n8n, with all its new events. */
interface Handover {
	/** Resolves to whether n8n has stored the execution. */
	done: Promise<boolean>;
	/** Unix time in milliseconds at which the execution was stored; undefined until then. */
	at?: number;
}

/** A post, or anything else that the ID of an event identifies. */
interface Subject {
	status: string;
	/** How often the status has changed. */
	changes: number;
}

interface RememberedEvent {
	handover: Handover;
	/** The subject of the event, and its number of changes when the event was handed over. */
	subject: Subject;
	changes: number;
}

/** The data that decides whether an event starts a workflow. */
interface Claimable {
	identity: EventIdentity;
	isWanted: boolean;
}

/**
 * Remembers which events have started a workflow, and the latest status of each post, so that a
 * change of status is never treated as a duplicate. Each n8n process has its own memory, which is
 * lost when the process ends. An event that could not be handed over is forgotten, because its
 * sender will send it again.
 */
export class EventMemory {
	private readonly events = new Map<string, RememberedEvent>();
	private readonly subjects = new Map<string, Subject>();

	/**
	 * Looks for the same event within a period of milliseconds.
	 *
	 * @returns true if the event was handed over; a promise while its handover is in progress;
	 * undefined if there is no such event
	 */
	earlier(identity: EventIdentity, windowMs: number): true | Promise<boolean> | undefined {
		const known = this.events.get(identity.key);
		if (known === undefined || this.hasChanged(identity, known)) return undefined;
		const { at, done } = known.handover;
		if (at === undefined) return done;
		return Date.now() - at < windowMs ? true : undefined;
	}

	/** Remembers an event. If its handover fails, the event is forgotten. */
	remember(identity: EventIdentity, handover: Handover): void {
		const { post, own } = this.noteStatus(identity);
		const subject = identity.onlyWhileUnchanged === 'ownId' ? (own ?? post) : post;
		const event: RememberedEvent = { handover, subject, changes: subject.changes };
		putNewest(this.events, identity.key, event, MAX_EVENTS);
		void handover.done.then((isDone) => {
			const isLatest = this.events.get(identity.key) === event;
			if (!isDone && isLatest) this.events.delete(identity.key);
		});
	}

	/** Records the status of a post, also for an event that does not start a workflow. */
	noteStatus({ post, ownId, status }: EventIdentity): { post: Subject; own?: Subject } {
		return {
			post: this.updateSubject(post, status),
			...(ownId !== undefined && { own: this.updateSubject([ownId], status) }),
		};
	}

	/**
	 * Sets the status of a subject. From then on, the subject can be found by all the given names.
	 */
	private updateSubject(names: string[], status: string): Subject {
		const known = names.flatMap((name) => this.subjects.get(name) ?? []);
		const subject = known[0] ?? { status, changes: 0 };
		// If the names belong to two different subjects, these are the same subject. Joining them
		// counts as a change.
		const isMerged = known.some((other) => other !== subject);
		if (subject.status !== status || isMerged) subject.changes++;
		subject.status = status;
		for (const name of names) putNewest(this.subjects, name, subject, MAX_NAMES);
		return subject;
	}

	/** Whether the status has changed since a known event with the same key. */
	private hasChanged(identity: EventIdentity, known: RememberedEvent): boolean {
		const { onlyWhileUnchanged, post, ownId } = identity;
		if (onlyWhileUnchanged === undefined) return false;
		const names = onlyWhileUnchanged === 'ownId' ? [String(ownId)] : post;
		const { subject, changes } = known;
		return subject.changes !== changes || names.some((n) => this.subjects.get(n) !== subject);
	}
}

/**
 * The memory of each trigger. They are separate, so that the events of one trigger do not displace
 * those of another.
 */
const memories = new Map<string, EventMemory>();

export function memoryOf(triggerKey: string): EventMemory {
	const memory = memories.get(triggerKey) ?? new EventMemory();
	putNewest(memories, triggerKey, memory, MAX_TRIGGERS);
	return memory;
}

/**
 * Selects the events of a delivery that start a workflow: all wanted events that are not
 * duplicates. They are remembered once n8n has stored the execution.
 *
 * @param triggerKey identifies the trigger
 * @param windowMs how long to remember events; 0 accepts every duplicate
 * @returns 'busy' if another delivery is still handing over one of the events, so that it is not
 * known whether it is a duplicate
 */
export async function claimEvents<T extends Claimable>(
	triggerKey: string,
	events: T[],
	windowMs: number,
	response: WebhookResponse,
): Promise<T[] | 'busy'> {
	const wanted = events.filter(({ isWanted }) => isWanted);
	if (windowMs === 0) return wanted;
	const memory = memoryOf(triggerKey);
	let timeout: Promise<undefined> | undefined;
	// There must be no await between the last check and the claim, or two deliveries could claim the
	// same event.
	for (;;) {
		const pending = wanted
			.map(({ identity }) => memory.earlier(identity, windowMs))
			.filter((earlier) => earlier instanceof Promise);
		if (pending.length === 0) break;
		timeout ??= sleep(WAIT_FOR_FIRST_MS).then(() => undefined);
		const settled = await Promise.race([Promise.all(pending), timeout]);
		if (settled === undefined) return 'busy';
	}
	let handover: Handover | undefined;
	// Events are handled in the order of the delivery, because one delivery may change the status of
	// a post and change it back.
	return events.filter(({ identity, isWanted }) => {
		if (!isWanted) {
			memory.noteStatus(identity);
			return false;
		}
		const earlier = memory.earlier(identity, windowMs);
		if (earlier === true || (earlier && earlier === handover?.done)) return false;
		handover ??= startHandover(response);
		memory.remember(identity, handover);
		return true;
	});
}

function startHandover(response: WebhookResponse): Handover {
	const handover: Handover = { done: isHandedOver(response) };
	void handover.done.then((isDone) => {
		if (isDone) handover.at = Date.now();
	});
	return handover;
}
