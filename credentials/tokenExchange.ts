import type { IHttpRequestHelper } from 'n8n-workflow';
import {
	CHECK_BASE_URL,
	readAnswer,
	readHttpAnswer,
	responseOptions,
	type HttpAnswer,
	type StreamedResponse,
} from '../nodes/SocialOpenPlatform/platform/answer';
import {
	readConnectionError,
	type ConnectionError,
	type NoResponse,
} from '../nodes/SocialOpenPlatform/platform/connection';
import { explainRateLimit } from '../nodes/SocialOpenPlatform/platform/codes';
import { detailsOf } from '../nodes/SocialOpenPlatform/platform/outcome';
import { secretsIn } from '../nodes/SocialOpenPlatform/platform/redact';
import { urlOf } from '../nodes/SocialOpenPlatform/platform/endpoints';
import type { Settings } from '../nodes/SocialOpenPlatform/platform/settings';
import {
	signTokenRequest,
	type TokenRequest,
} from '../nodes/SocialOpenPlatform/platform/signature';
import { findAccessToken, NoAccessToken } from '../nodes/SocialOpenPlatform/platform/token';

/**
 * The time limit of the whole exchange. n8n's own timeout would start again with every byte. The
 * limit is long enough for a slow platform, and short enough for a credential test.
 */
const TIMEOUT_MS = 20_000;

/** The largest token response. An ordinary one has a few kilobytes. */
const MAX_ANSWER_BYTES = 2 ** 20;

/**
 * Fetches an access token from the platform (platform interface, "Get access token").
 *
 * @param earlier the stored value of an earlier token, which the platform may repeat
 * @throws NoAccessToken with a message for the user
 */
export async function exchangeToken(
	helpers: IHttpRequestHelper['helpers'],
	settings: Settings,
	earlier: unknown,
): Promise<string> {
	const body = signTokenRequest({ ...settings, timestamp: Date.now() });
	const response = await sendTokenRequest(helpers, settings, body);
	if ('mayHaveArrived' in response) {
		throw new NoAccessToken(
			`Could not get an access token from ${settings.baseUrl.host}: ${response.reason}. ${response.advice}`,
		);
	}
	const answer = readAnswer(response, [...secretsIn(settings.appSecret, earlier), body.signature]);
	if (answer.kind === 'accepted') {
		// The platform may issue an earlier token again, so the token is read without redaction, which
		// does not change whether the response is accepted.
		return findAccessToken((readAnswer(response) as typeof answer).value.data);
	}
	const refusal = answer.kind === 'refused' && explainRateLimit(answer, settings.rateLimitCodes);
	const { reason, advice } = refusal || answer;
	const why = `The platform did not issue an access token: ${reason}. ${advice}`;
	if (!refusal) throw new NoAccessToken(why);
	const { retryAfter, retryAfterMs, cause } = refusal;
	throw new NoAccessToken(
		[why, ...detailsOf(refusal)].filter(Boolean).join(' '),
		// After a rate limit, all exchanges pause.
		cause === 'rate-limited' ? { retryAfter, retryAfterMs } : undefined,
	);
}

async function sendTokenRequest(
	helpers: IHttpRequestHelper['helpers'],
	settings: Settings,
	body: TokenRequest,
): Promise<HttpAnswer | NoResponse> {
	const abort = new AbortController();
	const deadline = AbortSignal.timeout(TIMEOUT_MS);
	deadline.addEventListener('abort', () => abort.abort());
	try {
		const response: unknown = await helpers.httpRequest({
			...responseOptions,
			method: 'POST',
			url: urlOf('getAccessToken', settings),
			body,
			timeout: TIMEOUT_MS,
			abortSignal: abort.signal,
		});
		const answer = await readHttpAnswer(response as StreamedResponse, MAX_ANSWER_BYTES);
		if (answer) return answer;
		return {
			mayHaveArrived: true,
			reason: 'the platform responded with more than 1 MB',
			advice: CHECK_BASE_URL,
		};
	} catch (thrown) {
		const error = thrown as ConnectionError;
		if (deadline.aborted) error.code = 'ETIMEDOUT';
		return readConnectionError(error);
	} finally {
		// Without this, n8n keeps the connection of a body that was not read to its end.
		abort.abort();
	}
}
