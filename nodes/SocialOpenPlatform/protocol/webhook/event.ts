import { createHash } from 'node:crypto';
import { z } from 'zod/v4';
import { WebhookRejected } from './delivery';

/** The states of a post (platform interface, "States and transitions"). */
export const postStatuses = [
	...(['queued', 'submitting', 'accepted', 'processing'] as const),
	...(['retrying', 'published', 'failed', 'deleted'] as const),
] as const;
export type PostStatus = (typeof postStatuses)[number];

/** The meaning of a status. */
export type Outcome = 'published' | 'failed' | 'deleted' | 'in_progress' | 'unknown';

/** One status of one post, as a webhook reports it. */
export interface StatusEvent {
	event_id: string;
	action_sn: string | null;
	/** As it was sent, or as text when JavaScript's numbers cannot represent it. */
	social_post_id: string | number | null;
	/** As it was sent. The interface may not list it. */
	status: string | null;
	platform: string | null;
	social_account_id?: string;
	outcome: Outcome;
	/** Whether no further status of the post is expected. */
	final: boolean;
	/** ISO 8601. */
	received_at: string;
	/** The reason of a failure, if the platform gives one. */
	message?: string;
	payload: Record<string, unknown>;
}

/**
 * What tells an event from others. Names and IDs are digests, because the sender decides how long they
 * are.
 */
export interface EventIdentity {
	/** The same for each repetition of the event. */
	key: string;
	/** A listed status, or a digest of any other value. */
	status: string;
	/** The names of the post. */
	post: string[];
	/** The ID of the event, if it has one. */
	ownId?: string;
	/**
	 * An event with the same key is a repetition only while the status of this subject has not changed:
	 * the post when only the content tells events apart, or the event's ID, which may be that of a post.
	 */
	unchanged?: 'post' | 'ownId';
}

type Fields = Record<string, unknown>;

const finals: readonly string[] = ['published', 'failed', 'deleted'] satisfies PostStatus[];

/** More events than a platform sends at once. */
const MAX_EVENTS = 1_000;

/** Limits an ID or a name, because each event of a list repeats those around the list. */
const MAX_NAME_LENGTH = 1_000;

/** Names of the field with the reason of a failure. */
const REASONS = [
	...['error_message', 'errorMessage', 'fail_reason', 'failReason', 'reason', 'message', 'error'],
];

const isFields = (value: unknown): value is Fields =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** Sorted Fields signs true like 1, so a repetition of an event can contain either. */
const idSchema = z.union([
	z.string().min(1).max(MAX_NAME_LENGTH),
	z.number(),
	z.literal(true).transform(() => 1),
]);
const textSchema = z.string().trim().min(1);
const nameSchema = textSchema.max(MAX_NAME_LENGTH);

/** The listed status of a text, ignoring its case. */
export const listedStatus = (status: string | null): PostStatus | undefined =>
	postStatuses.find((listed) => listed === status?.trim().toLowerCase());

function outcomeOf(status: PostStatus | undefined): Outcome {
	if (status === undefined) return 'unknown';
	return finals.includes(status) ? (status as Outcome) : 'in_progress';
}

/** The first valid value under one of the names, in the order of the places. */
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

/** Where a payload has its fields: under `data`, then at the top level (contract, "Assumed"). */
const placesOf = (payload: Fields): Fields[] => [fieldsOf(payload.data), payload];

/** The ID that a payload names as that of the event. */
const ownEventId = (payload: Fields): string | undefined =>
	asText(find(idSchema, placesOf(payload), 'event_id', 'eventId'));

/** The same, or an `id`, which may be that of something else. */
const likelyEventId = (payload: Fields): string | undefined =>
	ownEventId(payload) ?? asText(find(idSchema, [payload], 'id'));

/** The status in a place, or null when it is present and not readable. */
function statusIn(place: Fields): string | null | undefined {
	const status = Object.hasOwn(place, 'status') ? (place.status ?? undefined) : undefined;
	if (status === undefined) return undefined;
	if (typeof status === 'object') return null;
	const text = typeof status === 'boolean' ? Number(status) : (status as string | number);
	return String(text).trim() || undefined;
}

/** The inner status comes first, because the outer one may be that of the delivery. */
function statusOf(payload: Fields): string | null | undefined {
	const inner = statusIn(fieldsOf(payload.data));
	return inner === undefined ? statusIn(payload) : inner;
}

/** The lists of objects in a payload, in the places where events can be. */
function listsIn(payload: Fields): Fields[][] {
	const lists = [payload.data, payload.events, fieldsOf(payload.data).events];
	return lists.filter(
		(list): list is Fields[] => Array.isArray(list) && list.length > 0 && list.every(isFields),
	);
}

/** Whether objects in an event have another status than the event. */
const isContradicted = (payload: Fields, status: string | null): boolean =>
	listsIn(payload)
		.flat()
		.map((one) => statusOf(one))
		.some((one) => one !== undefined && listedStatus(one) !== listedStatus(status));

/** The post that an event is about. */
const subjectIn = (places: Fields[]) => ({
	action_sn: asText(find(idSchema, places, 'action_sn', 'actionSn')) ?? null,
	social_post_id: find(idSchema, places, 'social_post_id', 'socialPostId') ?? null,
	account: asText(find(idSchema, places, 'social_account_id', 'socialAccountId')),
	platform: find(nameSchema, places, 'platform') ?? null,
});
type Subject = ReturnType<typeof subjectIn>;

/** Reads one event. The fields around a list apply to its events that do not have them. */
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
 * The list of events in a payload, if there is one. A list below the top level must contain only
 * objects, and either each of them has a status or there is no event around the list: PHP writes an
 * empty object as an empty list, and an event can contain other lists.
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
 * Reads the events of a payload: a single one, or a list (at the top level, under `data` or `events`).
 * An event is a JSON object. Its fields of an unexpected type are left out.
 *
 * @param deliveryId the ID of events without an ID
 * @returns undefined when the payload contains anything but events
 * @throws WebhookRejected when there are too many events
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
			'The delivery contains more than 1,000 events. Have the platform send fewer at a time.',
		);
	}
	if (!all.every(isFields)) return undefined;
	const around = subjectIn(list === undefined ? [] : placesOf(fieldsOf(payload)));
	return all.map((fields, index) => {
		const id = list === undefined ? deliveryId : `${deliveryId}#${index + 1}`;
		return readEvent(fields, around, id, now);
	});
}

/** 128 bits, as 22 characters. */
const digest = (...parts: unknown[]): string =>
	createHash('sha256').update(JSON.stringify(parts)).digest().toString('base64url', 0, 16);

/** Ignores the order of names, and whether a number is written as 1, "1" or true. */
function withoutSpelling(_: string, value: unknown): unknown {
	if (typeof value === 'boolean') return String(Number(value));
	if (typeof value === 'number') return String(value);
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Identifies an event by the signed ID of its delivery, or by its own ID, or by its content. The status
 * and the post are always included, so that a change of status is never a repetition, whatever an ID
 * identifies.
 */
export function identityOf(
	event: StatusEvent,
	signedId: string | undefined,
	index: number,
): EventIdentity {
	const { action_sn, social_post_id, social_account_id } = event;
	const names = { action_sn, social_post_id: social_post_id?.toString() };
	const content = () => JSON.stringify(event.payload, withoutSpelling);
	// Without a readable status, any change of the content may be a change of status.
	const status = listedStatus(event.status) ?? digest(event.status?.toLowerCase() ?? content());
	const post = Object.entries(names).flatMap(([name, value]) => (value ? digest(name, value) : []));
	const common = { status, post: post.length > 0 ? post : [digest('unnamed')] };
	const subject = [names, social_account_id];
	// Without a post, an `id` may be that of the account or of the subscription.
	const id = post.length > 0 ? likelyEventId(event.payload) : ownEventId(event.payload);
	const ownId = id === undefined ? undefined : digest(id, subject);
	if (signedId !== undefined) {
		return { ...common, ownId, key: digest(signedId, index, subject, status) };
	}
	if (ownId !== undefined) {
		return { ...common, ownId, key: digest(ownId, status), unchanged: 'ownId' };
	}
	const key = digest(event.platform, subject, status, content());
	return { ...common, key, unchanged: 'post' };
}
