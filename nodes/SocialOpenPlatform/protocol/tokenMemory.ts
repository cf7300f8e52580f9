import { createHash } from 'node:crypto';
import { dropOldest, putNewest } from './newest';
import { waitBefore } from './rateLimit';
import type { Settings } from './settings';
import type { NoAccessToken } from './token';

/**
 * How long after an exchange its token is handed to callers whose own token was refused. It covers
 * requests that were under way when the token changed; later ones read the stored token.
 */
const JOIN_MS = 5 * 60_000;

/**
 * The same for callers with a token that this process never had: it may come from the store, and be the
 * older of the two, because n8n had not stored the newer one yet, or stored the two in the wrong order.
 */
const STORING_MS = 5_000;

/** How long n8n may take to store a token for whoever exchanged it, so that no other has it stored. */
const STORED_MS = 1_000;

/** No exchange is made for at most this long, however long the platform asks to wait. */
const MAX_HELD_MS = 60 * 60_000;

/** Credentials remembered at most; the oldest goes first. */
const MAX_REMEMBERED = 100;

/** Replaced tokens remembered for each credential; the oldest goes first. */
const MAX_REPLACED = 20;

interface Remembered {
	pending?: Promise<string>;
	token?: string;
	/** Tokens that `token` came to replace: who was refused with one of them can have it. */
	replaced: Set<string>;
	/** Milliseconds since 1970. */
	since?: number;
	/** The platform's last word that exchanges come too fast; a token ends it. */
	hold?: Hold;
}

interface Hold {
	/** What the platform said. */
	error: NoAccessToken;
	/** By `performance.now()`: a clock that is set neither lengthens nor ends it. */
	since: number;
	/** Milliseconds to wait, and how many of them the platform asks for. */
	ms: number;
	asked: number;
	/** How often it said so, one after the other. */
	times: number;
}

/** A token for a caller, and whether n8n is to store it: each storing may undo another process's. */
export interface Handed {
	token: string;
	isToBeStored: boolean;
}

/** By a digest of address, id and secret, so that no secret is kept here. */
const remembered = new Map<string, Remembered>();

function entryFor({ baseUrl, appId, appSecret }: Settings): Remembered {
	const key = createHash('sha256')
		.update(JSON.stringify([baseUrl.href, appId, appSecret]))
		.digest('hex');
	const entry = remembered.get(key) ?? { replaced: new Set<string>() };
	putNewest(remembered, key, entry, MAX_REMEMBERED);
	return entry;
}

/** What this process has for a caller whose token was refused, without an exchange. */
function newest(entry: Remembered, refused: string): Handed | undefined {
	const { token, since = 0, replaced } = entry;
	const isKnown = refused === '' || replaced.has(refused);
	const age = Date.now() - since;
	if (token === undefined || token === refused || replaced.has(token)) return undefined;
	if (age >= (isKnown ? JOIN_MS : STORING_MS)) return undefined;
	return { token, isToBeStored: !isKnown || age >= STORED_MS };
}

/** Whether this process has, or is about to have, a newer token than the one that was refused. */
export function hasNewerToken(settings: Settings, refused: string): boolean {
	const entry = entryFor(settings);
	return entry.pending !== undefined || newest(entry, refused) !== undefined;
}

/**
 * Keeps everyone who uses the same application from exchanging for a while, because the platform has
 * just refused an exchange as one too many.
 *
 * @param error what all of them are told
 * @param asked milliseconds that the platform asks to wait, if it does
 */
export function holdExchanges(
	settings: Settings,
	error: NoAccessToken,
	asked: number | undefined,
): void {
	const entry = entryFor(settings);
	const times = (entry.hold?.times ?? 0) + 1;
	const ms = waitBefore(asked, times, Math.random());
	entry.hold = { error, since: performance.now(), ms, asked: asked ?? ms, times };
}

/** When exchanges can be tried again, and how long the platform asks to wait from now on. */
export interface HeldExchange {
	/** By `performance.now()`. */
	until: number;
	/** Milliseconds. */
	asked: number;
	/** The Retry-After header. */
	retryAfter?: string;
}

/** Whether exchanges are held back just now. */
export function heldExchange(settings: Settings): HeldExchange | undefined {
	const { hold } = entryFor(settings);
	if (!hold || !isHeld(hold)) return undefined;
	const { since, ms, asked, error } = hold;
	const left = Math.max(0, since + asked - performance.now());
	return { until: since + ms, asked: left, retryAfter: error.retryAfter };
}

function isHeld({ since, ms }: Hold): boolean {
	return performance.now() - since < Math.min(ms, MAX_HELD_MS);
}

/**
 * One exchange for all who ask at the same time. n8n takes no lock around a credential's
 * pre-authentication, and where a new token revokes the earlier ones, parallel exchanges would end
 * each other's tokens.
 *
 * @param refused the token that the platform refused, empty when there was none yet; undefined asks
 * for a fresh exchange
 * @throws whatever the exchange throws, to all who waited for it; without an exchange, what the platform
 * said while it asks to wait
 */
export async function getToken(
	settings: Settings,
	refused: string | undefined,
	exchange: () => Promise<string>,
): Promise<Handed> {
	const entry = entryFor(settings);
	const known = refused === undefined ? undefined : newest(entry, refused);
	if (refused) entry.replaced.add(refused);
	if (entry.pending) return { token: await entry.pending, isToBeStored: false };
	if (known) return known;
	if (entry.hold && isHeld(entry.hold)) throw entry.hold.error;
	entry.pending = exchange();
	try {
		const token = await entry.pending;
		if (entry.token && entry.token !== token) entry.replaced.add(entry.token);
		Object.assign(entry, { token, since: Date.now(), hold: undefined });
		return { token, isToBeStored: true };
	} finally {
		entry.pending = undefined;
		dropOldest(entry.replaced, MAX_REPLACED);
	}
}
