import { sleep } from 'n8n-workflow';
import { putNewest } from '../protocol/bounded';
import type { EventIdentity } from '../protocol/webhook/event';
import { isHandedOver, type WebhookResponse } from './response';

/** How long a duplicate waits for the first delivery, in milliseconds, before it is refused. */
const WAIT_FOR_FIRST_MS = 800;

/** Events remembered for each trigger; the oldest are dropped. They take about 30 MB. */
const MAX_EVENTS = 50_000;

/** Names of posts and events remembered for each trigger: up to three for each event. */
const MAX_NAMES = 150_000;

/** Triggers remembered; those without recent deliveries are dropped. */
const MAX_TRIGGERS = 1_000;

/** The handover of one delivery to n8n, with all its new events. */
interface Handover {
	/** Resolves to whether n8n has stored the execution. */
	done: Promise<boolean>;
	/** When it was stored, in milliseconds since 1970; undefined before that. */
	at?: number;
}

/** A post, or whatever the ID of an event identifies. */
interface Subject {
	status: string;
	/** How often its status has changed. */
	changes: number;
}

interface RememberedEvent {
	handover: Handover;
	/** The subject, and its number of changes when the event was handed over. */
	subject: Subject;
	changes: number;
}

/** The part of an event that decides whether it is claimed. */
interface Claimable {
	identity: EventIdentity;
	isWanted: boolean;
}

/**
 * Remembers which events have started a workflow, and the latest status of each post, so that a change
 * of status is never taken for a duplicate. It covers one n8n process and ends with it. An event that
 * could not be handed over is forgotten, because its sender will send it again.
 */
export class EventMemory {
	private readonly events = new Map<string, RememberedEvent>();
	private readonly subjects = new Map<string, Subject>();

	/**
	 * Looks for the same event within the window, in milliseconds.
	 *
	 * @returns true when it was handed over; a promise while its handover is in progress; undefined when
	 * there is none
	 */
	earlier(identity: EventIdentity, windowMs: number): true | Promise<boolean> | undefined {
		const known = this.events.get(identity.key);
		if (known === undefined || this.hasChanged(identity, known)) return undefined;
		const { at, done } = known.handover;
		if (at === undefined) return done;
		return Date.now() - at < windowMs ? true : undefined;
	}

	/** Remembers an event, until its handover fails. */
	remember(identity: EventIdentity, handover: Handover): void {
		const { post, own } = this.noteStatus(identity);
		const subject = identity.unchanged === 'ownId' ? (own ?? post) : post;
		const event: RememberedEvent = { handover, subject, changes: subject.changes };
		putNewest(this.events, identity.key, event, MAX_EVENTS);
		void handover.done.then((isDone) => {
			const isLatest = this.events.get(identity.key) === event;
			if (!isDone && isLatest) this.events.delete(identity.key);
		});
	}

	/** Notes the status of a post, also for an event that starts no workflow. */
	noteStatus({ post, ownId, status }: EventIdentity): { post: Subject; own?: Subject } {
		return {
			post: this.updateSubject(post, status),
			...(ownId !== undefined && { own: this.updateSubject([ownId], status) }),
		};
	}

	/** Sets the status of a subject, which can be found by all the names from then on. */
	private updateSubject(names: string[], status: string): Subject {
		const known = names.flatMap((name) => this.subjects.get(name) ?? []);
		const subject = known[0] ?? { status, changes: 0 };
		// Names of two different subjects turn out to be names of one. It counts as a change.
		const isMerged = known.some((other) => other !== subject);
		if (subject.status !== status || isMerged) subject.changes++;
		subject.status = status;
		for (const name of names) putNewest(this.subjects, name, subject, MAX_NAMES);
		return subject;
	}

	private hasChanged({ unchanged, post, ownId }: EventIdentity, known: RememberedEvent): boolean {
		if (unchanged === undefined) return false;
		const names = unchanged === 'ownId' ? [String(ownId)] : post;
		const { subject, changes } = known;
		return subject.changes !== changes || names.some((n) => this.subjects.get(n) !== subject);
	}
}

/** The memory of each trigger, so that the events of one do not displace those of another. */
const memories = new Map<string, EventMemory>();

export function memoryOf(triggerKey: string): EventMemory {
	const memory = memories.get(triggerKey) ?? new EventMemory();
	putNewest(memories, triggerKey, memory, MAX_TRIGGERS);
	return memory;
}

/**
 * Selects the events of a delivery that start a workflow: wanted ones that are not duplicates. They are
 * remembered once n8n has stored the execution.
 *
 * @param triggerKey identifies the trigger
 * @param windowMs how long events are remembered; 0 accepts every duplicate
 * @returns 'busy' when another delivery is still handing over one of the events, so that it is not
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
	// No await may separate the last check from the claim, or two deliveries could claim an event.
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
	// In the order of the delivery, because a post may change its status and change it back in it.
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
