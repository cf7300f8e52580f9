import { hash } from 'node:crypto';
import { fieldsOf, isJsonObject } from '../../platform/json';
import { keysOf } from './methods';

/**
 * Descriptions of the post statuses (platform interface, "States and transitions"). The nodes panel
 * shows a trigger for each status.
 */
export const postStatuses = {
	accepted: 'The photo platform has accepted the post, but not published it yet',
	deleted: 'The post was deleted',
	failed: "The post could not be published; 'message' may say why",
	processing: 'The post is being published, but not visible yet',
	published: 'The post is published and visible',
	queued: 'The post is waiting to be published',
	retrying: 'Publishing failed, and the platform tries again',
	submitting: 'The post is being submitted to the photo platform',
};

const finalStatuses = ['published', 'failed', 'deleted'] as const;

export type IdentifiedEvent = ReturnType<typeof readEvent>;

/** One status of one post, as reported by a webhook. */
export type StatusEvent = IdentifiedEvent['event'];

type Fields = Record<string, unknown>;

/**
 * Maximum length of an ID or a platform name, in characters. Events in a list inherit IDs from the
 * objects around it, so a long ID would be repeated for each event.
 */
const MAX_ID_LENGTH = 1_000;

/** Maximum number of events in a delivery. */
const MAX_EVENTS = 1_000;

/** Fields that may contain the reason for a failure. The first reason that is found is used. */
const REASONS = ['error_message', 'fail_reason', 'reason', 'message', 'error'];

const asText = (value: unknown) => (typeof value === 'string' && value.trim()) || undefined;

const isId = (value: unknown): value is string | number =>
	typeof value === 'number' ||
	(typeof value === 'string' && value !== '' && value.length <= MAX_ID_LENGTH);

/** Looks in each place for a field with a valid ID or platform name, and returns the first one. */
const findId = (places: Fields[], name: string) => places.map((place) => place[name]).find(isId);

/**
 * Returns the objects that may contain a payload's fields: `data`, then the payload itself
 * (docs/platform-assumptions.md).
 */
const placesIn = (payload: Fields) => [fieldsOf(payload.data), payload];

/**
 * Returns the trimmed status of a payload, or undefined if the status is empty or not a string. A
 * status in `data` takes precedence, whatever its type, because a top-level status may be the
 * status of the delivery.
 */
function statusOf(payload: Fields) {
	return asText(fieldsOf(payload.data).status ?? payload.status);
}

/** Returns the listed status that matches a string, ignoring case. */
export const listedStatus = (status?: string | null) =>
	keysOf(postStatuses).find((listed) => listed === status?.toLowerCase());

/**
 * Returns a payload's events. If the payload is a list, its entries are the events. Otherwise, the
 * entries of a list in `data`, `events` or `data.events` are events if at least one of them has a
 * status. The payload itself is an event if it has a listed status, or if there is no such list.
 */
function eventsIn(payload: unknown) {
	if (Array.isArray(payload)) return payload as unknown[];
	const outer = fieldsOf(payload);
	const events = [outer.data, outer.events, fieldsOf(outer.data).events]
		.filter((list) => Array.isArray(list) && list.some((one) => statusOf(fieldsOf(one))))
		.flat();
	return events.length === 0 || listedStatus(statusOf(outer)) ? [payload, ...events] : events;
}

/**
 * A replacer for `JSON.stringify` that sorts field names and writes 1, "1" and true alike. With
 * *Sorted Fields*, such changes may keep the signature valid, so they must not hide a duplicate.
 */
function withoutSpelling(_: string, value: unknown): unknown {
	if (typeof value === 'boolean' || typeof value === 'number') return String(Number(value));
	if (!isJsonObject(value)) return value;
	const names = Object.keys(value).sort();
	return Object.fromEntries(names.map((name) => [name, value[name]]));
}

/** Returns a hash of 22 characters (132 bits). */
export function shortHash(...parts: unknown[]) {
	const text = JSON.stringify(parts, withoutSpelling);
	return hash('sha256', text, 'base64url').slice(0, 22);
}

/**
 * Reads an event, which is identified by its delivery's signed ID, by its own ID, or by its
 * content.
 *
 * @param around the objects around a list of events, which supply IDs that an event lacks
 */
function readEvent(payload: Fields, around: Fields[], signedId: string | undefined, now: Date) {
	const own = placesIn(payload);
	const all = [...own, ...around];
	const status = statusOf(payload);
	const listed = listedStatus(status);
	const final = finalStatuses.find((one) => one === listed);
	const outcome = final ?? (listed ? 'in_progress' : 'unknown');
	const mayHaveFailed = outcome === 'failed' || outcome === 'unknown';
	const reasons = own.flatMap((place) => REASONS.map((name) => asText(place[name])));
	const message = mayHaveFailed && reasons.find(Boolean);
	const account = findId(all, 'social_account_id')?.toString();
	const described = {
		/** The serial number of the post's publishing action. */
		action_sn: findId(all, 'action_sn')?.toString() ?? null,
		/** The ID as it was sent, or as a string if JavaScript cannot represent the number exactly. */
		social_post_id: findId(all, 'social_post_id') ?? null,
		/** The trimmed status. The platform's interface may not list it. */
		status: status ?? null,
		/** The target platform of the post. */
		platform: findId(all, 'platform')?.toString() ?? null,
		...(account && { social_account_id: account }),
	};
	const post = described.action_sn ?? described.social_post_id;
	const content = shortHash(described, payload);
	const eventId = findId(own, 'event_id');
	const outerId = findId([payload], 'id');
	// The signed ID identifies the event, because it stays the same when a delivery is repeated. The
	// output prefers the event's own ID, because users can find it in the payload.
	// In an event without a post, `id` may identify something else.
	const id = signedId ?? eventId ?? (post === null ? undefined : outerId);
	return {
		event: {
			event_id: String(eventId ?? outerId ?? signedId ?? `content:${content}`),
			...described,
			outcome,
			/** Whether the status is expected to be the post's last one. */
			final: final !== undefined,
			received_at: now.toISOString(),
			/** The reason for a failure, if the platform provides it. */
			...(message && { message }),
			payload,
		},
		/**
		 * A hash of the ID and the post, or of the content if the event has neither. A hash is used
		 * because the sender chooses the length of an ID.
		 */
		subject: shortHash(id ?? (post === null && content), post),
		/**
		 * A hash of the event's status, or of its content if the event has no ID or no readable
		 * status.
		 */
		state: id === undefined ? content : shortHash(listed ?? status?.toLowerCase() ?? content),
	};
}

/**
 * Reads the events of a verified payload, which is a single event or contains a list of events (see
 * `eventsIn`). A field with an unexpected type is read as missing.
 *
 * @param signedId the ID of the delivery, if it is signed
 * @returns undefined if an event is not a JSON object, or if there are too many events
 */
export function readEvents(payload: unknown, signedId: string | undefined, now: Date) {
	const all = eventsIn(payload);
	if (all.length > MAX_EVENTS || !all.every(isJsonObject)) return undefined;
	const around = placesIn(fieldsOf(payload));
	return all.map((fields, index) => {
		const id = signedId && index > 0 ? `${signedId}#${index + 1}` : signedId;
		return readEvent(fields, around, id, now);
	});
}
