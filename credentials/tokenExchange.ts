import { createHash } from 'node:crypto';
import type { IHttpRequestHelper } from 'n8n-workflow';
import {
	readAnswer,
	toHttpAnswer,
	wholeAnswer,
	type HttpAnswer,
	type WholeResponse,
} from '../nodes/SocialOpenPlatform/protocol/answer';
import {
	readConnectionError,
	type ConnectionError,
	type NoAnswer,
} from '../nodes/SocialOpenPlatform/protocol/connection';
import { urlOf } from '../nodes/SocialOpenPlatform/protocol/endpoints';
import { redact } from '../nodes/SocialOpenPlatform/protocol/redact';
import type { Settings } from '../nodes/SocialOpenPlatform/protocol/settings';
import {
	signTokenRequest,
	type TokenRequest,
} from '../nodes/SocialOpenPlatform/protocol/signature';
import { findAccessToken, NoAccessToken } from '../nodes/SocialOpenPlatform/protocol/token';

/** Long enough for a slow platform, short enough that a credential test does not seem to hang. */
const TIMEOUT_MS = 20_000;

/**
 * How long after an exchange its token is handed to callers whose own token was refused. It covers
 * requests that were under way when the token changed; later ones read the stored token.
 */
const JOIN_MS = 5 * 60_000;

/** Credentials remembered at most; the oldest goes first. */
const MAX_REMEMBERED = 100;

interface Remembered {
	pending?: Promise<string>;
	token?: string;
	/** Milliseconds since 1970. */
	since?: number;
}

/** By a digest of address, id and secret, so that no secret is kept here. */
const remembered = new Map<string, Remembered>();

function entryFor({ baseUrl, appId, appSecret }: Settings): Remembered {
	const key = createHash('sha256')
		.update(JSON.stringify([baseUrl.href, appId, appSecret]))
		.digest('hex');
	const entry = remembered.get(key) ?? {};
	remembered.delete(key);
	remembered.set(key, entry);
	for (const oldest of remembered.keys()) {
		if (remembered.size <= MAX_REMEMBERED) break;
		remembered.delete(oldest);
	}
	return entry;
}

/**
 * One exchange for all who ask at the same time. n8n takes no lock around a credential's
 * pre-authentication, and where a new token revokes the earlier ones, parallel exchanges would end
 * each other's tokens.
 *
 * @param refused the token that the platform refused; undefined asks for a fresh exchange
 * @throws NoAccessToken
 */
export async function getToken(
	helpers: IHttpRequestHelper['helpers'],
	settings: Settings,
	refused: string | undefined,
): Promise<string> {
	const entry = entryFor(settings);
	if (entry.pending) return await entry.pending;
	const { token, since = 0 } = entry;
	const isRecent = Date.now() - since < JOIN_MS;
	if (token !== undefined && refused !== undefined && token !== refused && isRecent) return token;
	entry.pending = exchange(helpers, settings);
	try {
		entry.token = await entry.pending;
		entry.since = Date.now();
		return entry.token;
	} finally {
		entry.pending = undefined;
	}
}

async function exchange(
	helpers: IHttpRequestHelper['helpers'],
	settings: Settings,
): Promise<string> {
	const { appId, appSecret } = settings;
	const body = signTokenRequest({ appId, appSecret, timestamp: Date.now() });
	const response = await post(helpers, settings, body);
	if ('mayHaveArrived' in response) {
		const { reason, advice } = response;
		throw new NoAccessToken(`No access token from ${settings.baseUrl.host}: ${reason}. ${advice}`);
	}
	const answer = redact(readAnswer(response), [appSecret]);
	if (answer.kind === 'refusal') {
		throw new NoAccessToken(
			`The platform gave no access token: ${answer.reason}. ${answer.advice}`,
		);
	}
	if (answer.kind === 'unclear') {
		throw new NoAccessToken(
			`The platform gave no access token: ${answer.reason}. Check the Base URL in the credential.`,
		);
	}
	const token = findAccessToken(answer.envelope.data);
	if (token === undefined) {
		throw new NoAccessToken(
			'The platform accepted App ID and App Secret, but its answer holds no access_token.',
		);
	}
	return token;
}

async function post(
	helpers: IHttpRequestHelper['helpers'],
	settings: Settings,
	body: TokenRequest,
): Promise<HttpAnswer | NoAnswer> {
	try {
		const response: unknown = await helpers.httpRequest({
			...wholeAnswer,
			method: 'POST',
			url: urlOf('getAccessToken', settings),
			body,
			timeout: TIMEOUT_MS,
		});
		return toHttpAnswer(response as WholeResponse);
	} catch (error) {
		return readConnectionError(error as ConnectionError);
	}
}
