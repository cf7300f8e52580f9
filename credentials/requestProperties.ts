import type { INodeProperties } from 'n8n-workflow';
import {
	defaultFieldNames,
	fieldLabels,
	type FieldNames,
} from '../nodes/SocialOpenPlatform/platform/fieldNames';
import { defaults } from '../nodes/SocialOpenPlatform/platform/settings';

const showOnlyWhenCustomized = { show: { customizeFieldNames: [true] } };

/** The setting for the name of a request field that the platform's interface does not show. */
function fieldName(field: keyof FieldNames, name: string, what: string): INodeProperties {
	return {
		displayName: fieldLabels[field],
		name,
		type: 'string',
		default: defaultFieldNames[field],
		required: true,
		displayOptions: showOnlyWhenCustomized,
		description: `Name of the request field for ${what}`,
	};
}

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
	fieldName('thumbnail', 'videoCoverImageField', 'the URL of the video cover image'),
	fieldName('thumbnail_offset', 'videoCoverOffsetField', "the cover's position in the video"),
	fieldName('collaborators', 'collaboratorsField', 'the usernames of collaborators'),
	fieldName('auto_crop_image', 'autoCropImageField', 'the switch for automatic cropping'),
	fieldName('location_id', 'locationIdField', 'the ID of the location'),
	fieldName('trial_params', 'trialSettingsField', 'the list of trial settings'),
];

/**
 * How chat operations send the App Secret in a header. The platform's interface does not show it.
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
