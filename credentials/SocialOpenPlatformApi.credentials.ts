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
import { getToken } from '../nodes/SocialOpenPlatform/protocol/tokenMemory';
import { authenticateRequest } from './authenticateRequest';
import { chatProperties } from './chatProperties';
import { fieldNameProperties } from './fieldNameProperties';
import { exchangeToken } from './tokenExchange';
import { knownSettings } from './knownSettings';
import { webhookProperties } from './webhookProperties';

/** As long as n8n mostly takes to store a token, in milliseconds. */
const STORING_MS = 50;

/** Credentials of requests that were refused before anything was sent. */
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
				"Address of the platform's server, with or without /api/v1 at its end. App Secret and access token are sent to this server and nowhere else.",
		},
		{
			displayName: 'App ID',
			name: 'appId',
			type: 'string',
			default: '',
			required: true,
			description: "The APP_ID that the platform's console shows for your application",
		},
		{
			displayName: 'App Secret',
			name: 'appSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				"From the platform's console, like the App ID. It signs the request for an access token and verifies webhooks without being sent. Only chats send it, in a header.",
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
				"The last word of the create-post address: Photo calls socialPostCreatePhoto. Change it when your platform's documentation shows another word there.",
		},
		{
			displayName: 'Token-Rejected Codes',
			name: 'renewalCodes',
			type: 'string',
			default: defaults.renewalCodes,
			description:
				'Codes by which the platform says that a token has expired or is not valid, with commas between. On one of them, or HTTP 401, a new token is fetched and the request sent again.',
		},
		{
			displayName: 'Rate-Limit Codes',
			name: 'rateLimitCodes',
			type: 'string',
			default: defaults.rateLimitCodes,
			description:
				'Codes by which the platform says that requests come too fast, with commas between. HTTP 429 counts too, and so does a message that says "too many requests", in English or Chinese. The request then waits and is sent again.',
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
				'Whether a Base URL that starts with http:// may be used. Anyone on the way can then read the access token and, in chat operations, the App Secret. This machine itself (localhost) is always allowed.',
		},
	];

	/**
	 * Fetches an access token when there is none, when the stored one was refused, and in a test.
	 *
	 * @returns what n8n is to store
	 */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<{ accessToken?: string }> {
		// n8n's older helper asks for another token after any error.
		if (refused.delete(credentials)) return {};
		const { accessToken, refusedToken } = credentials;
		// A marker of the nodes' own requests; n8n would store it.
		delete credentials.refusedToken;
		const settings = readSettings(credentials);
		const replaced = (refusedToken ?? (accessToken || undefined)) as string | undefined;
		const exchange = async () => await exchangeToken(this.helpers, settings);
		const { token, isToBeStored } = await getToken(settings, replaced, exchange);
		// n8n's HTTP Request node sends a refused request once more only with what is to be stored.
		if (isToBeStored || accessToken) return { accessToken: token };
		// The request goes on with this, behind the one that has it stored.
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
		const authenticated = authenticateRequest(requestOptions, knownSettings(credentials));
		refused.delete(credentials);
		return authenticated;
	}

	/** The token exchange before it is the test; this asks for nothing but an answer. */
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
