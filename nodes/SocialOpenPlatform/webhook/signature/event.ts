import { createHash } from 'node:crypto';
import { fieldsOf, isJsonObject } from '../../platform/json';
import { WebhookRejected } from './verify';

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

/** What a status means for the post. */
export type Outcome = 'published' | 'failed' | 'deleted' | 'in_progress' | 'unknown';

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
	outcome: Outcome;
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
	/** The content of an event without an ID; otherwise empty. */
	content: string;
}

type Fields = Record<string, unknown>;

const finals = ['published', 'failed', 'deleted'] as const satisfies PostStatus[];

/** No platform sends more events in a delivery. */
const MAX_EVENTS = 1_000;

/** IDs and names are limited, because fields around a list are repeated in each of its events. */
const MAX_NAME_LENGTH = 1_000;

/** Any of these fields may contain the reason of a failure. */
const REASONS = ['error_message', 'fail_reason', 'reason', 'message', 'error'];

const asText = (value: unknown) =>
	typeof value === 'string' ? value.trim() || undefined : undefined;

function asName(value: unknown) {
	const text = asText(value);
	return text && text.length <= MAX_NAME_LENGTH ? text : undefined;
}

function asId(value: unknown) {
	if (typeof value === 'number') return value;
	return typeof value === 'string' && value.length <= MAX_NAME_LENGTH
		? value || undefined
		: undefined;
}

/** The listed status that a text means, regardless of its case. */
export const listedStatus = (status: string | null): PostStatus | undefined =>
	postStatuses.find((listed) => listed === status?.toLowerCase());

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
const placesOf = (payload: Fields): Fields[] => [fieldsOf(payload.data), payload];

/**
 * The status of a payload; null if it is not readable. A status under `data` takes precedence,
 * because the other one may be the status of the delivery.
 */
function statusOf(payload: Fields) {
	const place = placesOf(payload).find(({ status }) => status !== undefined && status !== null);
	const status = place?.status;
	return (typeof status === 'number' ? String(status) : asText(status)) ?? null;
}

/** The ID that an event has by itself. Without a post, `id` may identify something else. */
const ownId = (payload: Fields, hasPost: boolean) =>
	findId(placesOf(payload), 'event_id') ?? (hasPost ? findId([payload], 'id') : undefined);

/**
 * Finds the events of a payload: the entries of its lists that contain an object with a status (the
 * payload itself, or `data` or `events` in it), and the payload itself if it has a listed status or
 * no such list.
 */
function eventsIn(payload: unknown) {
	if (Array.isArray(payload)) return payload as unknown[];
	const outer = fieldsOf(payload);
	const events = [outer.data, outer.events, fieldsOf(outer.data).events]
		.filter(
			(list): list is unknown[] =>
				Array.isArray(list) &&
				list.some((one) => placesOf(fieldsOf(one)).some(({ status }) => status !== undefined)),
		)
		.flat();
	const isEvent = events.length === 0 || listedStatus(statusOf(outer)) !== undefined;
	return isEvent ? [payload, ...events] : events;
}

/** The post that an event is about. */
function postOf(places: Fields[]) {
	const account = findId(places, 'social_account_id');
	return {
		action_sn: findId(places, 'action_sn') ?? null,
		social_post_id: find(asId, places, 'social_post_id') ?? null,
		platform: find(asName, places, 'platform') ?? null,
		...(account !== undefined && { social_account_id: account }),
	};
}

/** @param around the fields around a list of events, which apply to those that do not have them */
function readEvent(payload: Fields, around: Fields, id: string, now: Date): StatusEvent {
	const places = placesOf(payload);
	const status = statusOf(payload);
	const listed = listedStatus(status);
	const final = finals.find((one) => one === listed);
	const reason = find(asText, places, ...REASONS);
	const { action_sn, social_post_id, ...others } = postOf([...places, around]);
	const outcome = final ?? (listed ? 'in_progress' : 'unknown');
	return {
		event_id: ownId(payload, true) ?? id,
		action_sn,
		social_post_id,
		status,
		...others,
		outcome,
		final: final !== undefined,
		received_at: now.toISOString(),
		...(reason !== undefined && ['failed', 'unknown'].includes(outcome) && { message: reason }),
		payload,
	};
}

/**
 * Reads the events of a payload: a single event, or a list of events (at the top level, under
 * `data` or under `events`). An event is a JSON object. Fields of an event with an unexpected type
 * are left out.
 *
 * @param deliveryId the ID of events without an ID
 * @returns undefined if the payload contains anything other than events
 * @throws WebhookRejected if there are too many events
 */
export function readEvents(
	payload: unknown,
	deliveryId: string,
	now: Date,
): StatusEvent[] | undefined {
	const all = eventsIn(payload);
	if (all.length > MAX_EVENTS) {
		throw new WebhookRejected(
			'too-many-events',
			'The delivery contains more than 1,000 events. Ask the platform to send fewer at a time.',
		);
	}
	if (!all.every(isJsonObject)) return undefined;
	const around = postOf(placesOf(fieldsOf(payload)));
	return all.map((fields, index) => {
		const id = fields === payload ? deliveryId : `${deliveryId}#${index + 1}`;
		return readEvent(fields, around, id, now);
	});
}

/** A digest with 128 bits, as 22 characters. */
const digest = (...parts: unknown[]) =>
	createHash('sha256').update(JSON.stringify(parts)).digest().toString('base64url', 0, 16);

/**
 * A JSON replacer that ignores the order of names, and whether a number is written as 1, "1" or
 * true, because Sorted Fields signs these alike.
 */
function withoutSpelling(_: string, value: unknown): unknown {
	if (typeof value === 'boolean') return String(Number(value));
	if (typeof value === 'number') return String(value);
	if (!isJsonObject(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Identifies an event by the signed ID of its delivery, by its own ID, or by its content.
 *
 * @param index the position of the event in its delivery
 */
export function identityOf(
	event: StatusEvent,
	signedId: string | undefined,
	index: number,
): EventIdentity {
	const { action_sn, social_post_id, social_account_id, platform } = event;
	const post = action_sn ?? social_post_id?.toString();
	const content = () =>
		digest(post, social_account_id, platform, JSON.stringify(event.payload, withoutSpelling));
	const own = ownId(event.payload, post !== undefined);
	const id = signedId === undefined ? own && digest(own) : digest(signedId, index);
	return {
		subject: digest(id, post),
		// Without a readable status, any change of the content counts as a change of status.
		status: listedStatus(event.status) ?? digest(event.status?.toLowerCase() ?? content()),
		content: id === undefined ? content() : '',
	};
}
