import type { INodeProperties } from 'n8n-workflow';
import {
	customDefaults,
	digestLabels,
	keyFormLabels,
	recipeLabels,
} from '../nodes/SocialOpenPlatform/webhook/signature/methods';

const showOnlyForCustom = { show: { signatureRecipe: ['custom'] } };

const optionsOf = (labels: Record<string, string>, descriptions: Record<string, string> = {}) =>
	Object.entries(labels).map(([value, name]) => ({
		name,
		value,
		description: descriptions[value],
	}));

const headers = [
	['Signature Header', 'signatureHeader', 'Name of the header that contains the signature'],
	[
		'Timestamp Header',
		'timestampHeader',
		'Name of the header that contains the time; used if Signed Content contains {timestamp}',
	],
	[
		'ID Header',
		'webhookIdHeader',
		'Name of the header that contains the ID of the delivery; used if Signed Content contains {id}',
	],
	[
		'Nonce Header',
		'nonceHeader',
		'Name of the header that contains the random text; used if Signed Content contains {nonce}',
	],
] as const;

/** The settings of the signature method, which the platform's documentation does not show. */
export const webhookProperties: INodeProperties[] = [
	{
		displayName: 'Webhook Signature Method',
		name: 'signatureRecipe',
		type: 'options',
		options: optionsOf(recipeLabels, {
			body: 'HMAC SHA-256 of the body',
			timestampBody: 'HMAC SHA-256 of the timestamp, a dot and the body',
			standardWebhooks: 'HMAC SHA-256 of ID, timestamp and body, with the App Secret in base64',
			bodySha512: 'HMAC SHA-512 of the body',
			sortedFields: 'MD5 of the sorted fields of the webhook and the App Secret',
			custom: 'Digest, key, signed content and headers that you enter below',
		}),
		default: 'body',
		description:
			'How the platform signs its webhooks; only the trigger uses it. If you do not know the method, <a href="https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/trigger.md#which-webhook-signature-method">let the trigger listen for a test event</a>; it then names the matching one.',
	},
	{
		displayName: 'Digest',
		name: 'signatureDigest',
		type: 'options',
		options: optionsOf(digestLabels),
		default: customDefaults.signatureDigest,
		displayOptions: showOnlyForCustom,
		description:
			'Hash function of the signature. The encoding (hex or base64, with or without a prefix such as sha256=) is detected.',
	},
	{
		displayName: 'Keyed',
		name: 'signatureKeyed',
		type: 'boolean',
		default: customDefaults.signatureKeyed,
		displayOptions: showOnlyForCustom,
		description:
			'Whether the digest is an HMAC with the App Secret as its key. If it is off, Signed Content must contain {secret} or {fields}.',
	},
	{
		displayName: 'App Secret Form',
		name: 'signatureKeyForm',
		type: 'options',
		options: optionsOf(keyFormLabels, {
			utf8: 'The characters of the App Secret',
			base64: 'The bytes that the App Secret encodes in base64',
		}),
		default: customDefaults.signatureKeyForm,
		displayOptions: { show: { ...showOnlyForCustom.show, signatureKeyed: [true] } },
		description:
			'How the key of the HMAC is derived from the App Secret. If the platform uses another form, every webhook is refused.',
	},
	{
		displayName: 'Signed Content',
		name: 'signedContent',
		type: 'string',
		default: customDefaults.signedContent,
		required: true,
		placeholder: 'e.g. {timestamp}.{body}',
		displayOptions: showOnlyForCustom,
		description:
			'Signed text, with {body}, {timestamp}, {id}, {nonce}, {secret} and {fields} (the sorted fields of the webhook and the App Secret) as placeholders and \\n for a line break. It must contain {body} or {fields}.',
	},
	...headers.map(([displayName, name, description]): INodeProperties => ({
		displayName,
		name,
		type: 'string',
		default: customDefaults[name],
		required: true,
		displayOptions: showOnlyForCustom,
		description,
	})),
];
