import { z } from 'zod/v4';
import { WebhookRejected } from './webhookRejected';

/** The states of a post (platform interface, "States and transitions"). */
export const postStatuses = [
	...(['queued', 'submitting', 'accepted', 'processing'] as const),
	...(['retrying', 'published', 'failed', 'deleted'] as const),
] as const;
export type PostStatus = (typeof postStatuses)[number];

/** What a status means for the post. */
export type Outcome = 'published' | 'failed' | 'deleted' | 'in_progress' | 'unknown';

/** One status of one post, as a webhook told it. */
export interface StatusEvent {
	event_id: string;
	action_sn: string | null;
	/** As it came; text when JavaScript's numbers cannot hold it. */
	social_post_id: string | number | null;
	/** As it came: it may be one that the interface does not list. */
	status: string | null;
	platform: string | null;
	social_account_id?: string;
	outcome: Outcome;
	/** Whether nothing more is expected to happen to the post. */
	final: boolean;
	/** ISO 8601. */
	received_at: string;
	/** Why the post failed, where the platform says it. */
	message?: string;
	payload: Record<string, unknown>;
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** No ID or name is longer; each event of a delivery gets those that stand around the list. */
const MAX_NAME_LENGTH = 1_000;

/** Under Sorted Fields, true is signed as 1 is, so a sender that repeats an event could write either. */
const idSchema = z.union([
	z.string().min(1).max(MAX_NAME_LENGTH),
	z.number(),
	z.literal(true).transform(() => 1),
]);
const textSchema = z.string().trim().min(1);
const nameSchema = textSchema.max(MAX_NAME_LENGTH);

const finals: readonly string[] = ['published', 'failed', 'deleted'] satisfies PostStatus[];

/** The listed status that is meant, whatever its case. */
export const listedStatus = (status: string | null): PostStatus | undefined =>
	postStatuses.find((listed) => listed === status?.trim().toLowerCase());

function outcomeOf(status: PostStatus | undefined): Outcome {
	if (status === undefined) return 'unknown';
	return finals.includes(status) ? (status as Outcome) : 'in_progress';
}

/** The first of the places that holds a readable value under one of the names. */
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

/** Where a payload says what it says: under `data`, else at the top level (contract, "Assumed"). */
const placesOf = (payload: Fields): Fields[] => [fieldsOf(payload.data), payload];

/** The ID that an event calls its own. */
export const ownEventId = (payload: Fields): string | undefined =>
	asText(find(idSchema, placesOf(payload), 'event_id', 'eventId'));

/** An ID that is likely the event's; it might be that of something else. */
export const likelyEventId = (payload: Fields): string | undefined =>
	ownEventId(payload) ?? asText(find(idSchema, [payload], 'id'));

/** The status that a place names; null where it is there and cannot be read. */
function statusIn(place: Fields): string | null | undefined {
	const status = Object.hasOwn(place, 'status') ? (place.status ?? undefined) : undefined;
	if (status === undefined) return undefined;
	if (typeof status === 'object') return null;
	const text = typeof status === 'boolean' ? Number(status) : (status as string | number);
	return String(text).trim() || undefined;
}

/** The inner status counts: what stands around it may speak of the delivery as a whole. */
function statusOf(payload: Fields): string | null | undefined {
	const inner = statusIn(fieldsOf(payload.data));
	return inner === undefined ? statusIn(payload) : inner;
}

/** Lists of objects within a payload, at the places where events may be. */
function listsIn(payload: Fields): Fields[][] {
	const lists = [payload.data, payload.events, fieldsOf(payload.data).events];
	return lists.filter(
		(list): list is Fields[] => Array.isArray(list) && list.length > 0 && list.every(isFields),
	);
}

/** Whether the objects within an event speak of another status than the event itself. */
const isContradicted = (payload: Fields, status: string | null): boolean =>
	listsIn(payload)
		.flat()
		.map((one) => statusOf(one))
		.some((one) => one !== undefined && listedStatus(one) !== listedStatus(status));

/** Under which names the reason of a failure is looked for. */
const REASONS = [
	...['error_message', 'errorMessage', 'fail_reason', 'failReason', 'reason', 'message', 'error'],
];

/** Which post an event is about, as some places in a payload name it. */
const subjectIn = (places: Fields[]) => ({
	action_sn: asText(find(idSchema, places, 'action_sn', 'actionSn')) ?? null,
	social_post_id: find(idSchema, places, 'social_post_id', 'socialPostId') ?? null,
	account: asText(find(idSchema, places, 'social_account_id', 'socialAccountId')),
	platform: find(nameSchema, places, 'platform') ?? null,
});
type Subject = ReturnType<typeof subjectIn>;

/** Reads one event. What stands around a list of events counts where the event says nothing. */
function readEvent(payload: Fields, around: Subject, id: string, now: Date): StatusEvent {
	const places = placesOf(payload);
	const said = statusOf(payload) ?? null;
	const status = isContradicted(payload, said) ? null : said;
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
 * The list of events in a payload, where it is one. Below the top level, a list counts only when it
 * holds objects and nothing else, and when each of them has a status or no event stands around it: PHP
 * writes an empty object as an empty list, and an event may have lists of its own.
 */
function listIn(payload: unknown): unknown[] | undefined {
	if (Array.isArray(payload)) return payload as unknown[];
	const outer = fieldsOf(payload);
	const inner = fieldsOf(outer.data);
	const lists = listsIn(outer);
	const isBatch = lists.length > 0 && lists.flat().every((one) => statusOf(one) !== undefined);
	const isOneMore = statusIn(inner) !== undefined && Array.isArray(outer.events);
	if (isBatch && !isOneMore) return lists.flat();
	const isEvent = [inner, outer].some(
		(place) =>
			find(idSchema, [place], 'action_sn', 'actionSn') !== undefined ||
			listedStatus(statusIn(place) ?? null) !== undefined,
	);
	return isEvent || lists.length === 0 ? undefined : lists.flat();
}

/** More than a platform sends at once. */
const MAX_EVENTS = 1_000;

/**
 * Reads the events of a payload: one, or each of a list (at the top level, under `data` or `events`).
 * Only JSON objects count as events; fields of another type than expected are left out, never the event.
 *
 * @param deliveryId what stands for an event that names no id of its own
 * @returns undefined when there is anything but events in it
 * @throws WebhookRejected when there are more events than a workflow should start with at once
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
			'The delivery holds more than 1,000 events. Have the platform send fewer at once.',
		);
	}
	if (!all.every(isFields)) return undefined;
	const around = subjectIn(list === undefined ? [] : placesOf(fieldsOf(payload)));
	return all.map((fields, index) => {
		const id = list === undefined ? deliveryId : `${deliveryId}#${index + 1}`;
		return readEvent(fields, around, id, now);
	});
}
