import type { IHttpRequestHelper } from 'n8n-workflow';
import {
	readBusinessResponse,
	readWhole,
	responseOptions,
	type Envelope,
	type ResponseReader,
	type SentRequest,
	type StreamedResponse,
} from '../nodes/SocialOpenPlatform/platform/response';
import {
	readConnectionError,
	type ConnectionError,
	type NoResponse,
} from '../nodes/SocialOpenPlatform/platform/connection';
import { paragraphOf, type Result } from '../nodes/SocialOpenPlatform/platform/outcome';
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
const EXCHANGE_MS = 20_000;

/**
 * Reads a token response. The platform may issue an earlier token again, so the token is read without
 * redaction, which does not change whether the response is accepted.
 */
const readTokenResponse: ResponseReader<Envelope> = (response, request) => {
	const read = readBusinessResponse(response, request);
	return read.kind === 'accepted'
		? readBusinessResponse(response, { ...request, secrets: [] })
		: read;
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
	const what = 'an access token';
	const request: SentRequest = { operation: 'getAccessToken', what, settings, secrets };
	const result = await sendTokenRequest(helpers, settings, body, request);
	if ('mayHaveArrived' in result) {
		throw new NoAccessToken(
			`Could not get an access token from ${settings.baseUrl.host}: ${result.reason}. ${result.advice}`,
		);
	}
	if (result.kind === 'accepted') return findAccessToken(result.value.data);
	const { reason, facts, cause } = result.failure;
	const message = `The platform did not issue an access token: ${reason}`;
	throw new NoAccessToken(
		paragraphOf({ ...result.failure, message }),
		// After a rate limit, all exchanges pause.
		cause?.cause === 'rate-limited'
			? { retryAfter: facts?.retry_after, retryAfterMs: cause.retryAfterMs }
			: undefined,
	);
}

async function sendTokenRequest(
	helpers: IHttpRequestHelper['helpers'],
	settings: Settings,
	body: TokenRequest,
	request: SentRequest,
): Promise<Result<Envelope> | NoResponse> {
	const abort = new AbortController();
	const deadline = AbortSignal.timeout(EXCHANGE_MS);
	deadline.addEventListener('abort', () => abort.abort());
	try {
		const response: unknown = await helpers.httpRequest({
			...responseOptions,
			method: 'POST',
			url: urlOf('getAccessToken', settings),
			body,
			timeout: EXCHANGE_MS,
			abortSignal: abort.signal,
		});
		return await readWhole(response as StreamedResponse, readTokenResponse, request);
	} catch (thrown) {
		const error = thrown as ConnectionError;
		if (deadline.aborted) error.code = 'ETIMEDOUT';
		return readConnectionError(error);
	} finally {
		// Without this, n8n keeps the connection of a body that was not read to its end.
		abort.abort();
	}
}
