import type { Icon, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow';
import { credentialDefaults } from '../nodes/SocialOpenPlatform/platform/settings';
import { postOptionFields, settingLabel } from '../nodes/SocialOpenPlatform/post/fields';
import { authenticate, preAuthentication } from './authenticate';
import { webhookProperties } from './webhookProperties';

/** Settings for the names of request fields that the platform's documentation does not show. */
const fieldNameProperties = postOptionFields.flatMap((field): INodeProperties[] => {
	const { setting, name } = field;
	if (!setting) return [];
	return [
		{
			displayName: settingLabel(field),
			name: setting[0],
			type: 'string',
			default: name,
			required: true,
			description: `<a href="https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/platform-assumptions.md">Name of the request field</a> for ${setting[1]}; change it if the platform ignores this option`,
		},
	];
});

/** Settings for values that the platform's documentation omits or shows only as an example. */
const textSettings = [
	[
		'Platform Name',
		'platformName',
		"Last part of the URL that creates a post. With Photo, the node calls socialPostCreatePhoto. Change it if your platform's documentation shows another one.",
	],
	[
		'Expired-Token Codes',
		'renewalCodes',
		'Codes, separated by commas, with which the platform reports that a token has expired or is not valid. After one of them, or HTTP 401, the node fetches a new token and sends the request again.',
	],
	[
		'Rate-Limit Codes',
		'rateLimitCodes',
		'Codes, separated by commas, with which the platform reports a rate limit. After one of them, or HTTP 429, the request waits and is sent again.',
	],
	[
		'Chat Secret Header',
		'chatAuthHeader',
		"Name of the header in which chat operations send the App Secret. Change it if the platform's documentation shows another one.",
	],
	[
		'Chat Secret Prefix',
		'chatAuthPrefix',
		'Text before the App Secret, separated by a space. Enter a single space to send only the App Secret, because n8n may replace an empty field with its default.',
	],
] as const;

/** The settings below Show Advanced Settings. */
const otherSettings: INodeProperties[] = [
	...textSettings.map(([displayName, name, description]): INodeProperties => ({
		displayName,
		name,
		type: 'string',
		default: credentialDefaults[name],
		description,
	})),
	...fieldNameProperties,
	...webhookProperties,
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
 * Shows a field if Show Advanced Settings is on or its value is not the default, because n8n drops
 * the values of hidden fields. n8n hides a field if any of its `hide` conditions applies, so each
 * of the two cases needs a copy of the field. A field that depends on another field is not changed.
 */
function advanced(field: INodeProperties): INodeProperties[] {
	if (field.displayOptions) return [field];
	const isDefault = { [field.name]: [field.default as string | boolean] };
	return [{ showAdvancedSettings: [false] }, { showAdvancedSettings: [true], ...isDefault }].map(
		(hide) => ({ ...field, displayOptions: { hide } }),
	);
}

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
			displayName: 'Accounts',
			name: 'accounts',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true, sortable: true },
			default: {},
			placeholder: 'Add Account',
			description:
				'Accounts to select by name in nodes, in expressions and by AI agents. Each needs a name and the ID that the platform shows; the platform receives only the ID.',
			options: [
				{
					displayName: 'Account',
					name: 'account',
					values: [
						{
							displayName: 'Name',
							name: 'name',
							type: 'string',
							default: '',
							placeholder: 'e.g. Harbour Café',
							description: 'Name of your choice, which lists and the events of the trigger contain',
						},
						{
							displayName: 'ID',
							name: 'id',
							type: 'string',
							default: '',
							placeholder: 'e.g. acc_1024',
							description: "Social account ID from the platform's console",
						},
					],
				},
			],
		},
		{
			displayName: 'Only Listed Accounts',
			name: 'onlyListedAccounts',
			type: 'boolean',
			default: false,
			description:
				'Whether to refuse posts for accounts that are not listed above, before anything is sent. If it is off, a value that is not listed counts as an ID.',
		},
		{
			displayName: 'Show Advanced Settings',
			name: 'showAdvancedSettings',
			type: 'boolean',
			default: false,
			description:
				'Whether to show the other settings. Their values apply even if they are hidden, and a changed setting is always shown.',
		},
		...otherSettings.flatMap(advanced),
	];

	preAuthentication = preAuthentication;

	authenticate = authenticate;

	/**
	 * The token exchange before this request is the actual test (see `authenticate`), so any response
	 * to the request is accepted.
	 */
	test: ICredentialTestRequest = {
		request: {
			method: 'HEAD',
			baseURL: '={{$credentials.baseUrl.replace(/^[\\s\\p{Cf}]+|[\\s\\p{Cf}]+$/gu, "")}}',
			url: '/',
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		},
	};
}
