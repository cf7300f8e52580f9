import type { INodeProperties } from 'n8n-workflow';
import {
	customDefaults,
	digestLabels,
	keyFormLabels,
	recipeLabels,
	type RecipeName,
} from '../nodes/SocialOpenPlatform/protocol/webhook/settings';

const showOnlyForCustom = { show: { signatureRecipe: ['custom'] } };

const what: Record<RecipeName, string> = {
	body: 'HMAC SHA-256 of the body',
	timestampBody: 'HMAC SHA-256 of the timestamp, a dot and the body',
	standardWebhooks: 'HMAC SHA-256 of ID, timestamp and body; the App Secret is base64',
	bodySha512: 'HMAC SHA-512 of the body',
	sortedFields: "MD5 of the callback's fields, sorted, with the App Secret among them",
	custom: 'Digest, key, content and headers, set by hand below',
};

const keyForms: Record<keyof typeof keyFormLabels, string> = {
	utf8: 'The characters of the App Secret',
	base64: 'The bytes that the App Secret stands for in base64',
};

const optionsOf = <Value extends string>(
	labels: Record<Value, string>,
	descriptions?: Record<Value, string>,
) =>
	(Object.entries(labels) as Array<[Value, string]>).map(([value, name]) => ({
		name,
		value,
		...(descriptions && { description: descriptions[value] }),
	}));

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

/** How the platform signs its webhooks. Its interface does not show it. */
export const webhookProperties: INodeProperties[] = [
	{
		displayName: 'Signature Recipe',
		name: 'signatureRecipe',
		type: 'options',
		options: optionsOf(recipeLabels, what),
		default: 'body',
		description:
			'What the platform signs in its webhooks; only the trigger needs it. Not sure? Let the trigger listen for a test event: it says which recipe the delivery matches.',
	},
	{
		displayName: 'Digest',
		name: 'signatureDigest',
		type: 'options',
		options: optionsOf(digestLabels),
		default: customDefaults.signatureDigest,
		displayOptions: showOnlyForCustom,
		description:
			'How the platform computes the signature. Whether it is written in hex or base64, behind a word such as sha256= or not, is detected.',
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
		options: optionsOf(keyFormLabels, keyForms),
		default: customDefaults.signatureKeyForm,
		displayOptions: { show: { signatureRecipe: ['custom'], signatureKeyed: [true] } },
		description:
			'What the key of the HMAC is. With another than the platform uses, every delivery is refused.',
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
	header(
		'Timestamp Header',
		'timestampHeader',
		'the time; used when Signed Content holds {timestamp}',
	),
	header(
		'ID Header',
		'webhookIdHeader',
		'the ID of the delivery; used when Signed Content holds {id}',
	),
	header('Nonce Header', 'nonceHeader', 'the random text; used when Signed Content holds {nonce}'),
];
