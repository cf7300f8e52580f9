import type { IHttpRequestHelper } from 'n8n-workflow';
import { readAnswer } from '../nodes/SocialOpenPlatform/protocol/answer';
import {
	toHttpAnswer,
	wholeAnswer,
	type HttpAnswer,
	type WholeResponse,
} from '../nodes/SocialOpenPlatform/protocol/httpAnswer';
import {
	readConnectionError,
	type ConnectionError,
	type NoAnswer,
} from '../nodes/SocialOpenPlatform/protocol/connection';
import { urlOf } from '../nodes/SocialOpenPlatform/protocol/endpoints';
import type { Settings } from '../nodes/SocialOpenPlatform/protocol/settings';
import {
	signTokenRequest,
	type TokenRequest,
} from '../nodes/SocialOpenPlatform/protocol/signature';
import { findAccessToken, NoAccessToken } from '../nodes/SocialOpenPlatform/protocol/token';

/** Long enough for a slow platform, short enough that a credential test does not seem to hang. */
const TIMEOUT_MS = 20_000;

/**
 * Asks the platform for an access token (platform interface, "Get access token").
 *
 * @throws NoAccessToken saying why there is none, in words for the user
 */
export async function exchangeToken(
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
	const answer = readAnswer(response, [appSecret, body.signature]);
	if (answer.kind !== 'success') {
		throw new NoAccessToken(
			`The platform gave no access token: ${answer.reason}. ${answer.advice}`,
		);
	}
	const token = findAccessToken(answer.value.data);
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
