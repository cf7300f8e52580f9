import type { INodeProperties } from 'n8n-workflow';
import { settingLabel } from '../nodes/SocialOpenPlatform/post/fieldNames';
import { fields } from '../nodes/SocialOpenPlatform/post/fields';
import { credentialDefaults } from '../nodes/SocialOpenPlatform/platform/settings';

/** A setting for the name of each request field that the platform's interface does not show. */
export const fieldNameProperties = fields.flatMap((field): INodeProperties[] => {
	const { setting, name } = field;
	if (!setting) return [];
	return [
		{
			displayName: settingLabel(field),
			name: setting[0],
			type: 'string',
			default: name,
			required: true,
			description: `Name of the request field for ${setting[1]}, which the platform's public documentation <a href="https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/platform-assumptions.md">does not show</a>; change it if the platform ignores this option`,
		},
	];
});

/**
 * The header in which chat operations send the App Secret. The platform's interface does not show
 * it, so users can change it.
 */
export const chatProperties: INodeProperties[] = [
	{
		displayName: 'Chat Secret Header',
		name: 'chatAuthHeader',
		type: 'string',
		default: credentialDefaults.chatAuthHeader,
		description:
			"Name of the header in which chat operations send the App Secret. Change it if the platform's documentation shows another one.",
	},
	{
		displayName: 'Chat Secret Prefix',
		name: 'chatAuthPrefix',
		type: 'string',
		default: credentialDefaults.chatAuthPrefix,
		description:
			'Text before the App Secret, separated by a space. Enter a single space to send only the App Secret, because n8n may replace an empty field with its default.',
	},
];
