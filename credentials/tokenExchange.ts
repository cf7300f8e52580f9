import type { IHttpRequestHelper } from 'n8n-workflow';
import {
	readAnswer,
	readWhole,
	responseOptions,
	type Answer,
	type AnswerReader,
	type Envelope,
	type StreamedResponse,
} from '../nodes/SocialOpenPlatform/platform/response';
import {
	readConnectionError,
	type ConnectionError,
	type NoResponse,
} from '../nodes/SocialOpenPlatform/platform/connection';
import { explainRateLimit } from '../nodes/SocialOpenPlatform/platform/codes';
import { detailsOf } from '../nodes/SocialOpenPlatform/platform/outcome';
import { secretsIn } from '../nodes/SocialOpenPlatform/platform/redact';
import { urlOf, type Settings } from '../nodes/SocialOpenPlatform/platform/settings';
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

/**
 * Reads a token response. The platform may issue an earlier token again, so the token is read without
 * redaction, which does not change whether the response is accepted.
 */
const readTokenAnswer: AnswerReader<Envelope> = (answer, secrets) => {
	const read = readAnswer(answer, secrets);
	return read.kind === 'accepted' ? readAnswer(answer) : read;
};

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
	const secrets = [...secretsIn(settings.appSecret, earlier), body.signature];
	const answer = await sendTokenRequest(helpers, settings, body, secrets);
	if ('mayHaveArrived' in answer) {
		throw new NoAccessToken(
			`Could not get an access token from ${settings.baseUrl.host}: ${answer.reason}. ${answer.advice}`,
		);
	}
	if (answer.kind === 'accepted') return findAccessToken(answer.value.data);
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
	secrets: string[],
): Promise<Answer<Envelope> | NoResponse> {
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
		return await readWhole(response as StreamedResponse, readTokenAnswer, secrets);
	} catch (thrown) {
		const error = thrown as ConnectionError;
		if (deadline.aborted) error.code = 'ETIMEDOUT';
		return readConnectionError(error);
	} finally {
		// Without this, n8n keeps the connection of a body that was not read to its end.
		abort.abort();
	}
}
