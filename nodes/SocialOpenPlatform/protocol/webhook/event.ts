import { createHash } from 'node:crypto';
import { z } from 'zod/v4';
import { isJsonObject } from '../json';
import { WebhookRejected } from './delivery';

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
	action_sn: string | null;
	/** The ID as it was sent, or as text if JavaScript cannot represent it as a number. */
	social_post_id: string | number | null;
	/** The status as it was sent. It may be one that the interface does not list. */
	status: string | null;
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
 * The features by which events are distinguished. Names and IDs are digests, because the sender
 * decides how long they are.
 */
export interface EventIdentity {
	/** The key of the event. All repetitions of the event have the same key. */
	key: string;
	/** A listed status, or a digest of any other status. */
	status: string;
	/** Digests of the names by which the post is known. */
	post: string[];
	/** The ID of the event, if it has one. */
	ownId?: string;
	/**
	 * If set, an event with the same key is a repetition only while the status of this subject has not
	 * changed. The subject is the post if events differ only in their content, and otherwise the ID of
	 * the event, which may in fact be the ID of a post.
	 */
	onlyWhileUnchanged?: 'post' | 'ownId';
}

type Fields = Record<string, unknown>;

const finals: readonly string[] = ['published', 'failed', 'deleted'] satisfies PostStatus[];

/** Maximum number of events in a delivery. No platform sends more. */
const MAX_EVENTS = 1_000;

/**
 * Maximum length of an ID or a name. Fields around a list are repeated in each event of the list.
 */
const MAX_NAME_LENGTH = 1_000;

/** Names of fields that may contain the reason of a failure. */
const REASONS = [
	'error_message',
	'errorMessage',
	'fail_reason',
	'failReason',
	'reason',
	'message',
	'error',
];

const fieldsOf = (value: unknown): Fields => (isJsonObject(value) ? value : {});

/**
 * The schema of an ID. Sorted Fields signs `true` like 1, so a repetition may contain `true` in
 * place of 1.
 */
const idSchema = z.union([
	z.string().min(1).max(MAX_NAME_LENGTH),
	z.number(),
	z.literal(true).transform(() => 1),
]);
const textSchema = z.string().trim().min(1);
const nameSchema = textSchema.max(MAX_NAME_LENGTH);

/** The listed status that a text means, regardless of its case. */
export const listedStatus = (status: string | null): PostStatus | undefined =>
	postStatuses.find((listed) => listed === status?.trim().toLowerCase());

function outcomeOf(status: PostStatus | undefined): Outcome {
	if (status === undefined) return 'unknown';
	return finals.includes(status) ? (status as Outcome) : 'in_progress';
}

/** Finds the first valid value under one of the names, in the order of the places. */
function find<T>(schema: z.ZodType<T>, places: Fields[], ...names: string[]): T | undefined {
	for (const place of places) {
		for (const name of names) {
			if (!Object.hasOwn(place, name)) continue;
			const parsed = schema.safeParse(place[name]);
			if (parsed.success) return parsed.data;
		}
	}
	return undefined;
}

const asText = (id: string | number | undefined) => (id === undefined ? undefined : String(id));

/**
 * The places where a payload can have its fields: first under `data`, then at the top level
 * (contract, "Assumed").
 */
const placesOf = (payload: Fields): Fields[] => [fieldsOf(payload.data), payload];

/** The ID that a payload explicitly names as the event's ID. */
const ownEventId = (payload: Fields): string | undefined =>
	asText(find(idSchema, placesOf(payload), 'event_id', 'eventId'));

/** The event's ID, or the field `id`, which may identify something else. */
const likelyEventId = (payload: Fields): string | undefined =>
	ownEventId(payload) ?? asText(find(idSchema, [payload], 'id'));

/** The status in a place. It is null if the status is present but not readable. */
function statusIn(place: Fields): string | null | undefined {
	const status = Object.hasOwn(place, 'status') ? (place.status ?? undefined) : undefined;
	if (status === undefined) return undefined;
	if (typeof status === 'object') return null;
	const text = typeof status === 'boolean' ? Number(status) : (status as string | number);
	return String(text).trim() || undefined;
}

/**
 * The status of a payload. The inner status takes precedence, because the outer one may be the
 * status of the delivery.
 */
function statusOf(payload: Fields): string | null | undefined {
	const inner = statusIn(fieldsOf(payload.data));
	return inner === undefined ? statusIn(payload) : inner;
}

/** The lists of objects in a payload, in the places where events can be. */
function listsIn(payload: Fields): Fields[][] {
	const lists = [payload.data, payload.events, fieldsOf(payload.data).events];
	return lists.filter(
		(list): list is Fields[] => Array.isArray(list) && list.length > 0 && list.every(isJsonObject),
	);
}

/** Whether an event contains objects with another status than its own. */
const isContradicted = (payload: Fields, status: string | null): boolean =>
	listsIn(payload)
		.flat()
		.map((one) => statusOf(one))
		.some((one) => one !== undefined && listedStatus(one) !== listedStatus(status));

/** The IDs of the post that an event is about. */
const subjectIn = (places: Fields[]) => ({
	action_sn: asText(find(idSchema, places, 'action_sn', 'actionSn')) ?? null,
	social_post_id: find(idSchema, places, 'social_post_id', 'socialPostId') ?? null,
	account: asText(find(idSchema, places, 'social_account_id', 'socialAccountId')),
	platform: find(nameSchema, places, 'platform') ?? null,
});
type Subject = ReturnType<typeof subjectIn>;

/**
 * Reads one event. The fields around a list apply to those events of the list that do not have
 * them.
 */
function readEvent(payload: Fields, around: Subject, id: string, now: Date): StatusEvent {
	const places = placesOf(payload);
	const named = statusOf(payload) ?? null;
	const status = isContradicted(payload, named) ? null : named;
	const outcome = outcomeOf(listedStatus(status));
	const reason =
		find(textSchema, places, ...REASONS) ??
		find(textSchema, [fieldsOf(fieldsOf(payload.data).error), fieldsOf(payload.error)], 'message');
	const own = subjectIn(places);
	const { action_sn, social_post_id } =
		own.action_sn !== null || own.social_post_id !== null ? own : around;
	const account = own.account ?? around.account;
	return {
		event_id: likelyEventId(payload) ?? id,
		action_sn,
		social_post_id,
		status,
		platform: own.platform ?? around.platform,
		...(account !== undefined && { social_account_id: account }),
		outcome,
		final: finals.includes(outcome),
		received_at: now.toISOString(),
		...(reason !== undefined && ['failed', 'unknown'].includes(outcome) && { message: reason }),
		payload,
	};
}

/**
 * Finds the list of events in a payload. A list below the top level counts only if it contains
 * nothing but objects. In addition, each object must have a status, or there must be no event
 * around the list. Other lists may be part of an event, and PHP writes an empty object as an empty
 * list.
 */
function listIn(payload: unknown): unknown[] | undefined {
	if (Array.isArray(payload)) return payload as unknown[];
	const outer = fieldsOf(payload);
	const inner = fieldsOf(outer.data);
	const lists = listsIn(outer);
	const isBatch = lists.length > 0 && lists.flat().every((one) => statusOf(one) !== undefined);
	const hasInnerEvent = statusIn(inner) !== undefined && Array.isArray(outer.events);
	if (isBatch && !hasInnerEvent) return lists.flat();
	const isEvent = [inner, outer].some(
		(place) =>
			find(idSchema, [place], 'action_sn', 'actionSn') !== undefined ||
			listedStatus(statusIn(place) ?? null) !== undefined,
	);
	return isEvent || lists.length === 0 ? undefined : lists.flat();
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
	const list = listIn(payload);
	const all = list ?? [payload];
	if (all.length > MAX_EVENTS) {
		throw new WebhookRejected(
			'too-many-events',
			'The delivery contains more than 1,000 events. Ask the platform to send fewer at a time.',
		);
	}
	if (!all.every(isJsonObject)) return undefined;
	const around = subjectIn(list === undefined ? [] : placesOf(fieldsOf(payload)));
	return all.map((fields, index) => {
		const id = list === undefined ? deliveryId : `${deliveryId}#${index + 1}`;
		return readEvent(fields, around, id, now);
	});
}

/** A digest with 128 bits, as 22 characters. */
const digest = (...parts: unknown[]): string =>
	createHash('sha256').update(JSON.stringify(parts)).digest().toString('base64url', 0, 16);

/**
 * A JSON replacer that ignores the order of names, and whether a number is written as 1, "1" or
 * true.
 */
function withoutSpelling(_: string, value: unknown): unknown {
	if (typeof value === 'boolean') return String(Number(value));
	if (typeof value === 'number') return String(value);
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Identifies an event by the signed ID of its delivery, by its own ID, or by its content. The
 * status and the post are always part of the identity, so that a change of status is never a
 * repetition.
 */
export function identityOf(
	event: StatusEvent,
	signedId: string | undefined,
	index: number,
): EventIdentity {
	const { action_sn, social_post_id, social_account_id } = event;
	const names = { action_sn, social_post_id: social_post_id?.toString() };
	const content = () => JSON.stringify(event.payload, withoutSpelling);
	// Without a readable status, any change of the content counts as a change of status.
	const status = listedStatus(event.status) ?? digest(event.status?.toLowerCase() ?? content());
	const post = Object.entries(names).flatMap(([name, value]) => (value ? digest(name, value) : []));
	const common = { status, post: post.length > 0 ? post : [digest('unnamed')] };
	const subject = [names, social_account_id];
	// Without a post, `id` may be the ID of the account or of the subscription.
	const id = post.length > 0 ? likelyEventId(event.payload) : ownEventId(event.payload);
	const ownId = id === undefined ? undefined : digest(id, subject);
	if (signedId !== undefined) {
		return { ...common, ownId, key: digest(signedId, index, subject, status) };
	}
	if (ownId !== undefined) {
		return { ...common, ownId, key: digest(ownId, status), onlyWhileUnchanged: 'ownId' };
	}
	const key = digest(event.platform, subject, status, content());
	return { ...common, key, onlyWhileUnchanged: 'post' };
}
