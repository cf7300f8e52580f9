import { createHash } from 'node:crypto';
import { dropOldest, putNewest } from '../nodes/SocialOpenPlatform/protocol/newest';
import type { Settings } from '../nodes/SocialOpenPlatform/protocol/settings';

/**
 * How long after an exchange its token is handed to callers whose own token was refused. It covers
 * requests that were under way when the token changed; later ones read the stored token.
 */
const JOIN_MS = 5 * 60_000;

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
): Promise<string> {
	const entry = entryFor(settings);
	const isKnownToBeReplaced =
		refused === '' || (refused !== undefined && entry.replaced.has(refused));
	if (refused) entry.replaced.add(refused);
	if (entry.pending) return await entry.pending;
	const { token, since = 0 } = entry;
	const isRecent = Date.now() - since < JOIN_MS;
	if (token !== undefined && token !== refused && isRecent && isKnownToBeReplaced) return token;
	entry.pending = exchange();
	try {
		if (token) entry.replaced.add(token);
		entry.token = await entry.pending;
		entry.since = Date.now();
		return entry.token;
	} finally {
		entry.pending = undefined;
		dropOldest(entry.replaced, MAX_REPLACED);
	}
}
