import {
	sleep,
	type Icon,
	type ICredentialDataDecryptedObject,
	type ICredentialTestRequest,
	type ICredentialType,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INodeProperties,
} from 'n8n-workflow';
import { defaults, readSettings } from '../nodes/SocialOpenPlatform/protocol/settings';
import { getToken } from '../nodes/SocialOpenPlatform/transport/tokenCache';
import { authenticateRequest, settingsOf } from './authenticate';
import { chatProperties, fieldNameProperties } from './requestProperties';
import { exchangeToken } from './tokenExchange';
import { webhookProperties } from './webhookProperties';

/** n8n usually takes less than this time to store a token, in milliseconds. */
const STORING_MS = 50;

/** Credentials whose requests `authenticate` refused. Nothing was sent with them. */
const refused = new WeakSet<ICredentialDataDecryptedObject>();

export class SocialOpenPlatformApi implements ICredentialType {
	name = 'socialOpenPlatformApi';

	displayName = 'Social Open Platform API';

	icon: Icon = {
		light: 'file:../nodes/SocialOpenPlatform/socialOpenPlatform.svg',
		dark: 'file:../nodes/SocialOpenPlatform/socialOpenPlatform.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://api.example.com',
			description:
				"URL of the platform's server, with or without /api/v1 at the end. App Secret and access token are sent only to this server.",
		},
		{
			displayName: 'App ID',
			name: 'appId',
			type: 'string',
			default: '',
			required: true,
			description: "APP_ID of your application, as the platform's console shows it",
		},
		{
			displayName: 'App Secret',
			name: 'appSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				"Secret of your application, as the platform's console shows it. It signs token requests and verifies webhooks without being sent; only chat operations send it, in a header.",
		},
		{
			displayName: 'Access Token',
			name: 'accessToken',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
		{
			displayName: 'Platform Name',
			name: 'platformName',
			type: 'string',
			default: defaults.platformName,
			required: true,
			description:
				"Last part of the URL that creates a post. With Photo, the node calls socialPostCreatePhoto. Change it if your platform's documentation shows another one.",
		},
		{
			displayName: 'Expired-Token Codes',
			name: 'renewalCodes',
			type: 'string',
			default: defaults.renewalCodes,
			description:
				'Codes, separated by commas, with which the platform reports that a token has expired or is not valid. After one of them, or HTTP 401, the node fetches a new token and sends the request again.',
		},
		{
			displayName: 'Rate-Limit Codes',
			name: 'rateLimitCodes',
			type: 'string',
			default: defaults.rateLimitCodes,
			description:
				'Codes, separated by commas, with which the platform reports a rate limit. After one of them, HTTP 429, or a message that says "too many requests" in English or Chinese, the request waits and is sent again.',
		},
		...fieldNameProperties,
		...webhookProperties,
		...chatProperties,
		{
			displayName: 'Allow Plain HTTP',
			name: 'allowPlainHttp',
			type: 'boolean',
			default: false,
			description:
				'Whether to allow a Base URL that starts with http://; localhost is always allowed. Anyone on the network path can then read the access token and, with chat operations, the App Secret.',
		},
	];

	/**
	 * Fetches an access token if there is none, if the stored one was rejected, and for a credential test.
	 *
	 * @returns the fields that n8n stores
	 */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<{ accessToken?: string }> {
		// n8n's older helper requests another token after any error, even after a refused request.
		if (refused.delete(credentials)) return {};
		const { accessToken, refusedToken } = credentials;
		// The nodes set `refusedToken` for one request only. n8n would store it.
		delete credentials.refusedToken;
		const settings = readSettings(credentials);
		const rejected = (refusedToken ?? (accessToken || undefined)) as string | undefined;
		const tokens = [accessToken, rejected].filter((one) => typeof one === 'string');
		const exchange = async () => await exchangeToken(this.helpers, settings, tokens);
		const { token, isToBeStored } = await getToken(settings, rejected, exchange);
		// After a rejected token, n8n's HTTP Request node resends only if n8n stores a new token.
		if (isToBeStored || accessToken) return { accessToken: token };
		// This request uses the token without storing it, because another request stores it.
		credentials.accessToken = token;
		await sleep(STORING_MS);
		return {};
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const isOlderHelper = 'uri' in requestOptions;
		if (isOlderHelper) refused.add(credentials);
		const authenticated = authenticateRequest(requestOptions, settingsOf(credentials));
		refused.delete(credentials);
		return authenticated;
	}

	/**
	 * The actual test is the token exchange that n8n makes before this request. Any response to this
	 * request is accepted.
	 */
	test: ICredentialTestRequest = {
		request: {
			method: 'HEAD',
			baseURL: '={{$credentials.baseUrl}}',
			url: '/',
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			timeout: 20_000,
		},
	};
}
