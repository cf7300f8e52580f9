import type { IHttpRequestHelper } from 'n8n-workflow';
import { callPlatform } from '../nodes/SocialOpenPlatform/platform/client';
import {
	readBusinessResponse,
	type Envelope,
	type ResponseReader,
} from '../nodes/SocialOpenPlatform/platform/response';
import { lines, paragraphOf } from '../nodes/SocialOpenPlatform/platform/outcome';
import { secretsIn } from '../nodes/SocialOpenPlatform/platform/json';
import { trimInvisible, type Settings } from '../nodes/SocialOpenPlatform/platform/settings';
import { signTokenRequest } from '../nodes/SocialOpenPlatform/platform/signature';
import { findAccessToken, NoAccessToken } from '../nodes/SocialOpenPlatform/platform/token';

/**
 * Time limit for a token exchange, in milliseconds. It is long enough for a slow platform, and
 * short enough for a credential test.
 */
const EXCHANGE_MS = 20_000;

/**
 * Reads a token response. The platform may issue an earlier token again, which redaction would
 * remove, so an accepted response is read again without redaction.
 */
const readTokenResponse: ResponseReader<Envelope> = (response, request) => {
	const read = readBusinessResponse(response, request);
	return read.kind === 'accepted'
		? readBusinessResponse(response, { ...request, secrets: [] })
		: read;
};

/** Returns advice about whitespace and invisible characters, which users cannot see in a field. */
function spacesIn({ appId, appSecret }: Settings) {
	const given = { 'App ID': appId, 'App Secret': appSecret };
	return Object.entries(given)
		.filter(([, text]) => trimInvisible(text) !== text)
		.map(
			([label]) =>
				`${label} begins or ends with a space, a line break or an invisible character: remove it.`,
		)
		.join(' ');
}

/**
 * Fetches an access token from the platform (platform interface, "Get access token").
 *
 * @param earlier the stored value of an earlier token, which is redacted in messages
 * @throws NoAccessToken with a message for the user
 */
export async function exchangeToken(
	helpers: IHttpRequestHelper['helpers'],
	settings: Settings,
	earlier: unknown,
): Promise<string> {
	const body = signTokenRequest({ ...settings, timestamp: Date.now() });
	const request = {
		operation: 'getAccessToken',
		what: 'an access token',
		settings,
		secrets: secretsIn(settings.appSecret, earlier, body.signature),
		body: { ...body },
		read: readTokenResponse,
		timeout: EXCHANGE_MS,
	} as const;
	const result = await callPlatform(
		request,
		async (options, abortSignal): Promise<unknown> =>
			await helpers.httpRequest({ ...options, abortSignal }),
	);
	if (result.kind === 'accepted') return findAccessToken(result.value.data);
	const { reason, description, facts = {}, cause, isForeign } = result.failure;
	const { http_status: status, retry_after } = facts;
	const none = `could not get an access token from ${settings.baseUrl.host}: ${reason}`;
	const message = status
		? `The platform did not issue an access token: ${reason}`
		: none.replace('could', 'Could');
	const isUnclear = result.kind === 'unknown' && (status ?? 500) >= 500;
	let failure: NoAccessToken['failure'];
	if (isUnclear || cause?.cause === 'temporarily-unavailable') {
		failure = { reason: none, description, cause: { cause: 'temporarily-unavailable' } };
	}
	if (cause?.cause === 'rate-limited') failure = { facts: { retry_after }, cause, isForeign };
	const advice = lines(!failure && spacesIn(settings), description);
	throw new NoAccessToken(paragraphOf({ message, description: advice }), failure);
}
