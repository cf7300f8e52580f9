import { createHash } from 'node:crypto';
import { z } from 'zod/v4';
import { isJsonObject } from '../platform/json';
import { WebhookRejected } from './recipes/verifySignature';

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

const finals: readonly string[] = ['published', 'failed', 'deleted'] satisfies PostStatus[];

/** Maximum number of events in a delivery. No platform sends more. */
const MAX_EVENTS = 1_000;

/**
 * Maximum length of an ID or a name. Fields around a list are repeated in each event of the list.
 */
const MAX_NAME_LENGTH = 1_000;

/** Names of fields that may contain the reason of a failure. */
const REASONS = ['error_message', 'fail_reason', 'reason', 'message', 'error'];

const fieldsOf = (value: unknown): Fields => (isJsonObject(value) ? value : {});

const idSchema = z.union([z.string().min(1).max(MAX_NAME_LENGTH), z.number()]);
const textSchema = z.string().trim().min(1);
const nameSchema = textSchema.max(MAX_NAME_LENGTH);
const statusSchema = z.union([textSchema, z.number().transform(String)]);

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
			if (place[name] === undefined) continue;
			const parsed = schema.safeParse(place[name]);
			if (parsed.success) return parsed.data;
		}
	}
	return undefined;
}

const findText = (places: Fields[], name: string) => find(idSchema, places, name)?.toString();

/**
 * The places where a payload can have its fields: first under `data`, then at the top level
 * (contract, "Assumed").
 */
const placesOf = (payload: Fields): Fields[] => [fieldsOf(payload.data), payload];

/**
 * The status of a payload; null if it is not readable. A status under `data` takes precedence,
 * because the other one may be the status of the delivery.
 */
function statusOf(payload: Fields): string | null {
	const place = placesOf(payload).find(({ status }) => status !== undefined && status !== null);
	return find(statusSchema, [place ?? {}], 'status') ?? null;
}

const hasStatus = (payload: Fields) => placesOf(payload).some(({ status }) => status !== undefined);

/** The ID that an event has by itself. Without a post, `id` may identify something else. */
const ownId = (payload: Fields, hasPost: boolean): string | undefined =>
	findText(placesOf(payload), 'event_id') ?? (hasPost ? findText([payload], 'id') : undefined);

/**
 * Finds the events of a payload: the entries of its lists that contain an object with a status (the
 * payload itself, or `data` or `events` in it), and the payload itself if it has a listed status or
 * no such list.
 */
function eventsIn(payload: unknown): unknown[] {
	if (Array.isArray(payload)) return payload as unknown[];
	const outer = fieldsOf(payload);
	const events = [outer.data, outer.events, fieldsOf(outer.data).events]
		.filter((list): list is unknown[] => Array.isArray(list))
		.filter((list) => list.some((one) => hasStatus(fieldsOf(one))))
		.flat();
	const isEvent = events.length === 0 || listedStatus(statusOf(outer)) !== undefined;
	return isEvent ? [payload, ...events] : events;
}

type Post = Pick<StatusEvent, 'action_sn' | 'social_post_id' | 'platform' | 'social_account_id'>;

/** The post that a payload is about. Fields that it does not have are those around its list. */
function postOf(payload: Fields, around?: Post): Post {
	const places = placesOf(payload);
	const account = findText(places, 'social_account_id') ?? around?.social_account_id;
	return {
		action_sn: findText(places, 'action_sn') ?? around?.action_sn ?? null,
		social_post_id: find(idSchema, places, 'social_post_id') ?? around?.social_post_id ?? null,
		platform: find(nameSchema, places, 'platform') ?? around?.platform ?? null,
		...(account !== undefined && { social_account_id: account }),
	};
}

function readEvent(payload: Fields, around: Post, id: string, now: Date): StatusEvent {
	const status = statusOf(payload);
	const outcome = outcomeOf(listedStatus(status));
	const reason = find(textSchema, placesOf(payload), ...REASONS);
	const { action_sn, social_post_id, ...others } = postOf(payload, around);
	return {
		event_id: ownId(payload, true) ?? id,
		action_sn,
		social_post_id,
		status,
		...others,
		outcome,
		final: finals.includes(outcome),
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
	const around = postOf(fieldsOf(payload));
	return all.map((fields, index) => {
		const id = fields === payload ? deliveryId : `${deliveryId}#${index + 1}`;
		return readEvent(fields, around, id, now);
	});
}

/** A digest with 128 bits, as 22 characters. */
const digest = (...parts: unknown[]): string =>
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
