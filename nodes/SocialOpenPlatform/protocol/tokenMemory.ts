import { createHash } from 'node:crypto';
import { dropOldest, putNewest } from './newest';
import type { Settings } from './settings';

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

/** Whether this process got the refused token a moment ago: somebody else has got one since. */
export function isFresh(settings: Settings, refused: string): boolean {
	const { token, since = 0 } = entryFor(settings);
	return token === refused && Date.now() - since < STORING_MS;
}

/**
 * One exchange for all who ask at the same time. n8n takes no lock around a credential's
 * pre-authentication, and where a new token revokes the earlier ones, parallel exchanges would end
 * each other's tokens.
 *
 * @param refused the token that the platform refused, empty when there was none yet; undefined asks
 * for a fresh exchange
 * @throws whatever the exchange throws, to all who waited for it
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
	entry.pending = exchange();
	try {
		const token = await entry.pending;
		if (entry.token && entry.token !== token) entry.replaced.add(entry.token);
		Object.assign(entry, { token, since: Date.now() });
		return { token, isToBeStored: true };
	} finally {
		entry.pending = undefined;
		dropOldest(entry.replaced, MAX_REPLACED);
	}
}
