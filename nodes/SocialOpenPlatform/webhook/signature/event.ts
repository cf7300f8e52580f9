import { createHash } from 'node:crypto';
import { fieldsOf, isJsonObject } from '../../platform/json';
import { keysOf } from './methods';

/**
 * Describes each status of a post (platform interface, "States and transitions"). n8n's list of nodes
 * shows a trigger for each.
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

/** An event of a verified delivery. */
export type VerifiedEvent = ReturnType<typeof readEvent>;

/** One status of one post, as reported by a webhook. */
export type StatusEvent = VerifiedEvent['event'];

type Fields = Record<string, unknown>;

/**
 * Maximum length of an ID or a name. There is a limit, because each event of a list repeats the IDs
 * around the list.
 */
const MAX_ID_LENGTH = 1_000;

/** Maximum number of events in a delivery. A platform is not expected to send more. */
const MAX_EVENTS = 1_000;

/** Any of these fields may contain the reason for a failure. */
const REASONS = ['error_message', 'fail_reason', 'reason', 'message', 'error'];

const asText = (value: unknown) => (typeof value === 'string' && value.trim()) || undefined;

const isId = (value: unknown): value is string | number =>
	typeof value === 'number' ||
	(typeof value === 'string' && value !== '' && value.length <= MAX_ID_LENGTH);

/** Finds the first valid ID or name with a given field name, in the order of the places. */
const findId = (places: Fields[], name: string) => places.map((place) => place[name]).find(isId);

/**
 * Returns the places where a payload can have its fields: first `data`, then the top level
 * (docs/platform-assumptions.md).
 */
const placesIn = (payload: Fields) => [fieldsOf(payload.data), payload];

/**
 * Returns the status of a payload if it is readable. A status under `data` takes precedence, because
 * the status at the top level may be that of the delivery.
 */
function statusOf(payload: Fields) {
	return asText(fieldsOf(payload.data).status ?? payload.status);
}

/** Finds the listed status that a text means, regardless of its case. */
export const listedStatus = (status?: string | null) =>
	keysOf(postStatuses).find((listed) => listed === status?.toLowerCase());

/**
 * Returns the events of a payload. If the payload is a list, its entries are the events. Otherwise,
 * the entries of the lists `data`, `events` and `data.events` are events if at least one entry of
 * the list has a status. The payload itself is an event if it has a listed status, or if there are
 * no such lists.
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
 * A replacer for `JSON.stringify`. It sorts the names, and it makes 1, "1" and true the same,
 * because the method Sorted Fields signs them alike.
 */
function withoutSpelling(_: string, value: unknown): unknown {
	if (typeof value === 'boolean' || typeof value === 'number') return String(Number(value));
	if (!isJsonObject(value)) return value;
	const names = Object.keys(value).sort();
	return Object.fromEntries(names.map((name) => [name, value[name]]));
}

/** Returns a digest of 128 bits as 22 characters. */
export function digest(...parts: unknown[]) {
	const text = JSON.stringify(parts, withoutSpelling);
	return createHash('sha256').update(text).digest().toString('base64url', 0, 16);
}

/**
 * Reads an event, and identifies it by the signed ID of its delivery, by its own ID, or by its
 * content.
 *
 * @param around the places around a list of events, from which an event takes the IDs that it lacks
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
		/** The ID of the request that created the post. */
		action_sn: findId(all, 'action_sn')?.toString() ?? null,
		/** The ID as it was sent, or as text if JavaScript cannot represent it as a number. */
		social_post_id: findId(all, 'social_post_id') ?? null,
		/** The trimmed status. The platform's interface may not list it. */
		status: status ?? null,
		/** The network on which the post is published. */
		platform: findId(all, 'platform')?.toString() ?? null,
		...(account && { social_account_id: account }),
	};
	const post = described.action_sn ?? described.social_post_id;
	const content = digest(described, payload);
	const eventId = findId(own, 'event_id');
	const outerId = findId([payload], 'id');
	// In an event without a post, `id` may identify something else.
	const id = signedId ?? eventId ?? (post === null ? undefined : outerId);
	return {
		event: {
			event_id: String(eventId ?? outerId ?? signedId ?? `content:${content}`),
			...described,
			outcome,
			/** Whether the status is expected to be the last one of the post. */
			final: final !== undefined,
			received_at: now.toISOString(),
			/** The reason for a failure, if the platform provides it. */
			...(message && { message }),
			payload,
		},
		/**
		 * A digest of the post and, if the event has one, of the ID of the event. Digests are used,
		 * because the sender decides how long the IDs are.
		 */
		subject: digest(id ?? (post === null && content), post),
		/**
		 * A digest of the state that the event reports: its status, or its content if it has no ID or no
		 * readable status.
		 */
		state: id === undefined ? content : digest(listed ?? status?.toLowerCase() ?? content),
	};
}

/**
 * Reads the events of a verified payload: a single event, or a list of events (at the top level,
 * under `data` or under `events`). An event is a JSON object. A field of an event counts as missing
 * if it has an unexpected type.
 *
 * @param signedId the ID of the delivery, if it is signed
 * @returns undefined if the payload contains anything other than events, or too many of them
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
