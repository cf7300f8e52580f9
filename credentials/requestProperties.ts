import type { INodeProperties } from 'n8n-workflow';
import { settingLabel } from '../nodes/SocialOpenPlatform/post/fieldNames';
import { fields } from '../nodes/SocialOpenPlatform/post/fields';
import { defaults } from '../nodes/SocialOpenPlatform/platform/settings';

/** The switch for changing the names of six request fields, and a setting for each name. */
export const fieldNameProperties: INodeProperties[] = [
	{
		displayName: 'Customize Field Names',
		name: 'customizeFieldNames',
		type: 'boolean',
		default: false,
		description:
			"Whether to change the names of six request fields, which the platform's public documentation <a href='https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/platform-assumptions.md'>does not show</a>. Change a name if the platform ignores that option.",
	},
	...fields.flatMap((field): INodeProperties[] => {
		const { setting, name } = field;
		if (!setting) return [];
		return [
			{
				displayName: settingLabel(field),
				name: setting[0],
				type: 'string',
				default: name,
				required: true,
				displayOptions: { show: { customizeFieldNames: [true] } },
				description: `Name of the request field for ${setting[1]}`,
			},
		];
	}),
];

/**
 * The header in which chat operations send the App Secret. The platform's interface does not show
 * it, so users can change it.
 */
export const chatProperties: INodeProperties[] = [
	{
		displayName: 'Chat Secret Header',
		name: 'chatAuthHeader',
		type: 'string',
		default: defaults.chatAuthHeader,
		description:
			"Name of the header in which chat operations send the App Secret. Change it if the platform's documentation shows another one.",
	},
	{
		displayName: 'Chat Secret Prefix',
		name: 'chatAuthPrefix',
		type: 'string',
		default: defaults.chatAuthPrefix,
		description:
			'Text before the App Secret, separated by a space. Enter a single space to send only the App Secret, because n8n may replace an empty field with its default.',
	},
];
