import { createHash } from 'node:crypto';
import { likelyEventId, listedStatus, ownEventId, type StatusEvent } from './event';

/** What tells an event from others. Its texts are digests, so that none is long. */
export interface EventIdentity {
	/** The same for each repetition of the event. */
	key: string;
	/** A listed status, else a digest of the value in its place. */
	status: string;
	/** The post, by each of its names. */
	post: string[];
	/** The event's own ID, where it names one. */
	ownId?: string;
	/**
	 * What an event with this key repeats only while it has had no other status since: the post where
	 * the content alone tells events apart; the own ID, which might be one of the post.
	 */
	unchanged?: 'post' | 'ownId';
}

/** 128 bits, as 22 characters. */
const digest = (...parts: unknown[]): string =>
	createHash('sha256').update(JSON.stringify(parts)).digest().toString('base64url', 0, 16);

/** Spelling is no content: neither the order of names, nor 1 for "1" or true. */
function withoutSpelling(this: unknown, _: string, value: unknown): unknown {
	if (typeof value === 'boolean') return String(Number(value));
	if (typeof value === 'number') return String(value);
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Tells an event from others: by the signed ID of its delivery, else by its own ID, else by its
 * content. Status and post always take part, because a change of status must never pass for a
 * repetition, whatever an ID turns out to identify.
 */
export function identityOf(
	event: StatusEvent,
	signedId: string | undefined,
	index: number,
): EventIdentity {
	const { action_sn, social_post_id, social_account_id } = event;
	const names = { action_sn, social_post_id: social_post_id?.toString() };
	const content = () => JSON.stringify(event.payload, withoutSpelling);
	// Where no status can be read, whatever else has changed may be one.
	const status = listedStatus(event.status) ?? digest(event.status?.toLowerCase() ?? content());
	const post = Object.entries(names).flatMap(([name, value]) => (value ? digest(name, value) : []));
	const common = { status, post: post.length > 0 ? post : [digest('unnamed')] };
	const whose = [names, social_account_id];
	// Beside no post, a mere `id` might be that of the account or of the subscription.
	const id = post.length > 0 ? likelyEventId(event.payload) : ownEventId(event.payload);
	const ownId = id === undefined ? undefined : digest(id, whose);
	if (signedId !== undefined) {
		return { ...common, ownId, key: digest(signedId, index, whose, status) };
	}
	if (ownId !== undefined) {
		return { ...common, ownId, key: digest(ownId, status), unchanged: 'ownId' };
	}
	const key = digest(event.platform, whose, status, content());
	return { ...common, key, unchanged: 'post' };
}
