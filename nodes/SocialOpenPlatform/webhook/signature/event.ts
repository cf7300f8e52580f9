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

/** IDs and names are limited, because fields around a list are repeated in each of its events. */
const MAX_ID_LENGTH = 1_000;

/** No platform sends more events in a delivery. */
const MAX_EVENTS = 1_000;

/** Any of these fields may contain the reason of a failure. */
const REASONS = ['error_message', 'fail_reason', 'reason', 'message', 'error'];

const asText = (value: unknown) => (typeof value === 'string' && value.trim()) || undefined;

const isId = (value: unknown): value is string | number =>
	typeof value === 'number' ||
	(typeof value === 'string' && value !== '' && value.length <= MAX_ID_LENGTH);

/** Finds the first valid ID or name in a field, in the order of the places. */
const findId = (places: Fields[], name: string) => places.map((place) => place[name]).find(isId);

/**
 * Returns the places where a payload can have its fields: first `data`, then the top level (contract,
 * "Assumed").
 */
const placesIn = (payload: Fields) => [fieldsOf(payload.data), payload];

/**
 * Returns the status of a payload if it is readable. A status under `data` takes precedence, because the
 * other one may be the status of the delivery.
 */
function statusOf(payload: Fields) {
	return asText(fieldsOf(payload.data).status ?? payload.status);
}

/** Finds the listed status that a text means, regardless of its case. */
export const listedStatus = (status?: string | null) =>
	keysOf(postStatuses).find((listed) => listed === status?.toLowerCase());

/**
 * Finds the events of a payload: the entries of its lists that contain an object with a status (the
 * payload itself, or `data` or `events` in it), and the payload itself if it has a listed status or
 * no such list.
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
 * Replaces values of JSON so that the order of names does not matter, and 1, "1" and true are
 * the same, because Sorted Fields signs these alike.
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
 * Reads an event. It is identified by the signed ID of its delivery, by its own ID, or by its
 * content.
 *
 * @param around the places around a list of events, which apply to fields that an event does not have
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
		/** The status as it was sent. The interface may not list this status. */
		status: status ?? null,
		/** The network on which the post is published. */
		platform: findId(all, 'platform')?.toString() ?? null,
		...(account && { social_account_id: account }),
	};
	const post = described.action_sn ?? described.social_post_id;
	const content = digest(described, payload);
	const eventId = findId(own, 'event_id');
	const outerId = findId([payload], 'id');
	// Without a post, `id` may identify something else.
	const id = signedId ?? eventId ?? (post === null ? undefined : outerId);
	return {
		event: {
			event_id: String(eventId ?? outerId ?? signedId ?? `content:${content}`),
			...described,
			outcome,
			/** Whether the platform will report no further status of the post. */
			final: final !== undefined,
			received_at: now.toISOString(),
			/** The reason of a failure, if the platform provides it. */
			...(message && { message }),
			payload,
		},
		/**
		 * The post, together with the ID of the event if it has one. Events are distinguished by
		 * digests, because the sender decides how long the IDs are.
		 */
		subject: digest(id ?? (post === null && content), post),
		/**
		 * The state that the event reports: its status, or its content if it has no ID or no readable
		 * status.
		 */
		state: id === undefined ? content : digest(listed ?? status?.toLowerCase() ?? content),
	};
}

/**
 * Reads the events of a verified payload: a single event, or a list of events (at the top level,
 * under `data` or under `events`). An event is a JSON object. Fields of an event with an unexpected
 * type are left out.
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
