import type { INodeProperties } from 'n8n-workflow';
import {
	defaultFieldNames,
	fieldLabels,
	type FieldNames,
} from '../nodes/SocialOpenPlatform/protocol/fieldNames';

const showOnlyWhenCustomized = { show: { customizeFieldNames: [true] } };

/** A field whose name on the wire the platform's interface does not show. */
function fieldName(field: keyof FieldNames, name: string, what: string): INodeProperties {
	return {
		displayName: fieldLabels[field],
		name,
		type: 'string',
		default: defaultFieldNames[field],
		required: true,
		displayOptions: showOnlyWhenCustomized,
		description: `Name under which the request carries ${what}`,
	};
}

/** The switch and the six names behind it. */
export const fieldNameProperties: INodeProperties[] = [
	{
		displayName: 'Customize Field Names',
		name: 'customizeFieldNames',
		type: 'boolean',
		default: false,
		description:
			"Whether to change the names of six request fields. The platform's public interface does not show them; the defaults are the likely ones. Change one when the platform ignores that option.",
	},
	fieldName('thumbnail', 'videoCoverImageField', 'the URL of the video cover image'),
	fieldName('thumbnail_offset', 'videoCoverOffsetField', "the cover's position in the video"),
	fieldName('collaborators', 'collaboratorsField', 'the usernames of collaborators'),
	fieldName('auto_crop_image', 'autoCropImageField', 'the switch for automatic cropping'),
	fieldName('location_id', 'locationIdField', 'the ID of the location'),
	fieldName('trial_params', 'trialSettingsField', 'the list of trial settings'),
];
