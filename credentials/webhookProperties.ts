import type { INodeProperties } from 'n8n-workflow';
import {
	customDefaults,
	digestLabels,
	keyFormLabels,
	recipeLabels,
	type RecipeName,
} from '../nodes/SocialOpenPlatform/protocol/webhookSettings';

const showOnlyForCustom = { show: { signatureRecipe: ['custom'] } };

const what: Record<RecipeName, string> = {
	body: 'HMAC SHA-256 of the body',
	timestampBody: 'HMAC SHA-256 of the timestamp, a dot and the body',
	standardWebhooks: 'HMAC SHA-256 of ID, timestamp and body; the App Secret is base64',
	bodySha512: 'HMAC SHA-512 of the body',
	sortedFields: "MD5 of the callback's fields, sorted, with the App Secret among them",
	custom: 'Everything set by hand',
};

const optionsOf = (labels: Record<string, string>) =>
	Object.entries(labels).map(([value, name]) => ({ name, value }));

function header(
	displayName: string,
	name: keyof typeof customDefaults,
	holds: string,
): INodeProperties {
	return {
		displayName,
		name,
		type: 'string',
		default: customDefaults[name],
		required: true,
		displayOptions: showOnlyForCustom,
		description: `Header of a delivery that carries ${holds}`,
	};
}

/** How the platform signs its webhooks; its interface does not show it. */
export const webhookProperties: INodeProperties[] = [
	{
		displayName: 'Signature Recipe',
		name: 'signatureRecipe',
		type: 'options',
		options: Object.entries(recipeLabels).map(([value, name]) => ({
			name,
			value,
			description: what[value as RecipeName],
		})),
		default: 'body',
		description:
			'What the platform signs in its webhooks. Not sure? Let the trigger listen for a test event: it says which recipe the delivery matches.',
	},
	{
		displayName: 'Digest',
		name: 'signatureDigest',
		type: 'options',
		options: optionsOf(digestLabels),
		default: customDefaults.signatureDigest,
		displayOptions: showOnlyForCustom,
		description: 'Kind of the digest. In which form it is written is detected.',
	},
	{
		displayName: 'Keyed',
		name: 'signatureKeyed',
		type: 'boolean',
		default: customDefaults.signatureKeyed,
		displayOptions: showOnlyForCustom,
		description:
			'Whether the digest is an HMAC with the App Secret as its key. If not, the App Secret has to be part of the signed content.',
	},
	{
		displayName: 'App Secret Form',
		name: 'signatureKeyForm',
		type: 'options',
		options: optionsOf(keyFormLabels),
		default: customDefaults.signatureKeyForm,
		displayOptions: { show: { signatureRecipe: ['custom'], signatureKeyed: [true] } },
		description:
			'Whether the key is the App Secret as it is written, or what it stands for in base64',
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
			"What is signed, with {body}, {timestamp}, {id}, {nonce}, {secret} and {fields} (the callback's fields, sorted, with the App Secret) where they stand, and \\n for a line break. It has to hold {body} or {fields}.",
	},
	header('Signature Header', 'signatureHeader', 'the signature'),
	header('Timestamp Header', 'timestampHeader', 'the time, where {timestamp} is signed'),
	header('ID Header', 'webhookIdHeader', 'the ID of the delivery, where {id} is signed'),
	header('Nonce Header', 'nonceHeader', 'the random text, where {nonce} is signed'),
];
