import { createHash } from 'node:crypto';
import { fieldsOf, isJsonObject } from '../../platform/json';
import { WebhookRejected } from './rejection';

/** The statuses of a post (platform interface, "States and transitions"). */
export const postStatuses = [
	'queued',
	'submitting',
	'accepted',
	'processing',
	'retrying',
	'published',
	'failed',
	'deleted',
] as const;
export type PostStatus = (typeof postStatuses)[number];

const finalStatuses = ['published', 'failed', 'deleted'] as const satisfies PostStatus[];

/** What a status means for the post. */
type PostOutcome = (typeof finalStatuses)[number] | 'in_progress' | 'unknown';

/** One status of one post, as reported by a webhook. */
export interface StatusEvent {
	event_id: string;
	/** The ID of the request that created the post. */
	action_sn: string | null;
	/** The ID as it was sent, or as text if JavaScript cannot represent it as a number. */
	social_post_id: string | number | null;
	/** The status as it was sent. It may be one that the interface does not list. */
	status: string | null;
	/** The network on which the post is published. */
	platform: string | null;
	social_account_id?: string;
	outcome: PostOutcome;
	/** Whether the platform will report no further status of the post. */
	final: boolean;
	/** ISO 8601 time. */
	received_at: string;
	/** The reason of a failure, if the platform provides it. */
	message?: string;
	payload: Record<string, unknown>;
}

/**
 * The features by which events are distinguished. They are digests, because the sender decides how
 * long the IDs are.
 */
export interface EventIdentity {
	/** The ID of the event together with its post, or only the post if the event has no ID. */
	subject: string;
	/** A change of the subject's status is never a repetition. */
	status: string;
	/** The subject and the status, and the content of an event without an ID. */
	key: string;
}

/** An event of a verified delivery. */
export interface VerifiedEvent {
	event: StatusEvent;
	identity: EventIdentity;
}

type Fields = Record<string, unknown>;

/** IDs and names are limited, because fields around a list are repeated in each of its events. */
const MAX_ID_LENGTH = 1_000;

/** Any of these fields may contain the reason of a failure. */
const REASONS = ['error_message', 'fail_reason', 'reason', 'message', 'error'];

const asText = (value: unknown) =>
	typeof value === 'string' ? value.trim() || undefined : undefined;

function asId(value: unknown) {
	if (typeof value === 'number') return value;
	return typeof value === 'string' && value.length <= MAX_ID_LENGTH
		? value || undefined
		: undefined;
}

/** Finds the first valid value under one of the names, in the order of the places. */
function find<T>(
	read: (value: unknown) => T | undefined,
	places: Fields[],
	...names: string[]
): T | undefined {
	return places
		.flatMap((place) => names.map((name) => read(place[name])))
		.find((found) => found !== undefined);
}

const findId = (places: Fields[], name: string) => find(asId, places, name)?.toString();

/**
 * The places where a payload can have its fields: first under `data`, then at the top level
 * (contract, "Assumed").
 */
const placesIn = (payload: Fields): Fields[] => [fieldsOf(payload.data), payload];

/**
 * The status of a payload; null if it is not readable. A status under `data` takes precedence,
 * because the other one may be the status of the delivery.
 */
function statusOf(payload: Fields) {
	const status = fieldsOf(payload.data).status ?? payload.status;
	return asText(typeof status === 'number' ? String(status) : status) ?? null;
}

/** The listed status that a text means, regardless of its case. */
export const listedStatus = (status: string | null): PostStatus | undefined =>
	postStatuses.find((listed) => listed === status?.toLowerCase());

/**
 * Finds the events of a payload: the entries of its lists that contain an object with a status (the
 * payload itself, or `data` or `events` in it), and the payload itself if it has a listed status or
 * no such list.
 */
function eventsIn(payload: unknown) {
	if (Array.isArray(payload)) return payload as unknown[];
	const outer = fieldsOf(payload);
	const events = [outer.data, outer.events, fieldsOf(outer.data).events]
		.filter((list) => Array.isArray(list))
		.filter((list) => list.some((one) => statusOf(fieldsOf(one)) !== null))
		.flat() as unknown[];
	return events.length === 0 || listedStatus(statusOf(outer)) ? [payload, ...events] : events;
}

/**
 * A JSON replacer that ignores the order of names, and whether a number is written as 1, "1" or
 * true, because Sorted Fields signs these alike.
 */
function withoutSpelling(_: string, value: unknown): unknown {
	if (typeof value === 'boolean') return String(Number(value));
	if (typeof value === 'number') return String(value);
	if (!isJsonObject(value)) return value;
	const names = Object.keys(value).sort();
	return Object.fromEntries(names.map((name) => [name, value[name]]));
}

/** A digest with 128 bits, as 22 characters. */
function digest(...parts: unknown[]) {
	const text = JSON.stringify(parts, withoutSpelling);
	return createHash('sha256').update(text).digest().toString('base64url', 0, 16);
}

/**
 * Reads an event. It is identified by the signed ID of its delivery, by its own ID, or by its
 * content.
 *
 * @param around the places around a list of events, which apply to fields that an event does not have
 */
function readEvent(
	payload: Fields,
	around: Fields[],
	signedId: string | undefined,
	now: Date,
): VerifiedEvent {
	const own = placesIn(payload);
	const all = [...own, ...around];
	const status = statusOf(payload);
	const listed = listedStatus(status);
	const final = finalStatuses.find((one) => one === listed);
	const outcome = final ?? (listed ? 'in_progress' : 'unknown');
	const reason = find(asText, own, ...REASONS);
	const account = findId(all, 'social_account_id');
	const described = {
		action_sn: findId(all, 'action_sn') ?? null,
		social_post_id: find(asId, all, 'social_post_id') ?? null,
		status,
		platform: findId(all, 'platform') ?? null,
		...(account !== undefined && { social_account_id: account }),
	};
	const post = described.action_sn ?? described.social_post_id;
	const content = digest(described, payload);
	const eventId = findId(own, 'event_id');
	const outerId = findId([payload], 'id');
	// Without a post, `id` may identify something else.
	const id = signedId ?? eventId ?? (post === null ? undefined : outerId);
	const subject = digest(id, post);
	// Without a readable status, any change of the content counts as a change of status.
	const state = listed ?? digest(status?.toLowerCase() ?? content);
	return {
		event: {
			event_id: eventId ?? outerId ?? signedId ?? `content:${content}`,
			...described,
			outcome,
			final: final !== undefined,
			received_at: now.toISOString(),
			...(reason !== undefined && ['failed', 'unknown'].includes(outcome) && { message: reason }),
			payload,
		},
		identity: { subject, status: state, key: digest(subject, state, id === undefined && content) },
	};
}

/**
 * Reads the events of a verified payload: a single event, or a list of events (at the top level,
 * under `data` or under `events`). An event is a JSON object. Fields of an event with an unexpected
 * type are left out.
 *
 * @param signedId the ID of the delivery, if it is signed
 * @throws WebhookRejected if the payload contains anything other than events
 */
export function readEvents(payload: unknown, signedId: string | undefined, now: Date) {
	const all = eventsIn(payload);
	if (!all.every(isJsonObject)) {
		throw new WebhookRejected(
			'not-json',
			'The body is signed, but is not a JSON object or a list of JSON objects.',
		);
	}
	const around = placesIn(fieldsOf(payload));
	return all.map((fields, index) => {
		const id = signedId && index > 0 ? `${signedId}#${index + 1}` : signedId;
		return readEvent(fields, around, id, now);
	});
}
