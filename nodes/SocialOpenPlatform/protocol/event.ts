import { z } from 'zod/v4';

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

const idSchema = z.union([z.string().min(1), z.number()]);
const textSchema = z.string().trim().min(1);

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

/** Reads one event; its fields stand at the top level or under `data` (contract, "Assumed"). */
function readEvent(payload: Fields, envelope: Fields, id: string, now: Date): StatusEvent {
	const own = [fieldsOf(payload.data), payload];
	const places = [...own, envelope];
	const statuses = own.flatMap((place) => find(textSchema, [place], 'status') ?? []);
	const status = statuses.find((text) => listedStatus(text)) ?? statuses[0] ?? null;
	const outcome = outcomeOf(listedStatus(status));
	const account = find(idSchema, places, 'social_account_id');
	const reason =
		find(textSchema, own, 'error_message', 'fail_reason', 'reason', 'message', 'error') ??
		find(textSchema, [fieldsOf(fieldsOf(payload.data).error), fieldsOf(payload.error)], 'message');
	return {
		event_id: asText(find(idSchema, own, 'event_id') ?? find(idSchema, [payload], 'id')) ?? id,
		action_sn: asText(find(idSchema, own, 'action_sn')) ?? null,
		social_post_id: find(idSchema, own, 'social_post_id') ?? null,
		status,
		platform: find(textSchema, places, 'platform') ?? null,
		...(account !== undefined && { social_account_id: String(account) }),
		outcome,
		final: finals.includes(outcome),
		received_at: now.toISOString(),
		...(reason !== undefined && ['failed', 'unknown'].includes(outcome) && { message: reason }),
		payload,
	};
}

/**
 * The list of events in a payload, where it is one. Below the top level, a list counts only when it
 * holds objects and nothing else, and when no event stands around it: PHP writes an empty object as an
 * empty list, and an event may have lists of its own.
 */
function listIn(payload: unknown): unknown[] | undefined {
	if (Array.isArray(payload)) return payload as unknown[];
	const outer = fieldsOf(payload);
	const inner = fieldsOf(outer.data);
	const isEvent = [inner, outer].some(
		(place) =>
			find(idSchema, [place], 'action_sn') !== undefined ||
			listedStatus(find(textSchema, [place], 'status') ?? null) !== undefined,
	);
	if (isEvent) return undefined;
	return [outer.data, outer.events, inner.events].find(
		(list): list is unknown[] => Array.isArray(list) && list.length > 0 && list.every(isFields),
	);
}

/**
 * Reads the events of a payload: one, or each of a list (at the top level, under `data` or `events`).
 * Only JSON objects count as events; fields of another type than expected are left out, never the event.
 *
 * @param deliveryId what stands for an event that names no id of its own
 * @returns undefined when there is anything but events in it
 */
export function readEvents(
	payload: unknown,
	deliveryId: string,
	now: Date,
): StatusEvent[] | undefined {
	const list = listIn(payload);
	const all = list ?? [payload];
	if (!all.every(isFields)) return undefined;
	const envelope = list === undefined ? {} : fieldsOf(payload);
	return all.map((fields, index) => {
		const id = list === undefined ? deliveryId : `${deliveryId}#${index + 1}`;
		return readEvent(fields, envelope, id, now);
	});
}
