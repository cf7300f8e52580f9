import type { INodeProperties } from 'n8n-workflow';
import { defaultFieldNames } from '../nodes/SocialOpenPlatform/protocol/fieldNames';

const showOnlyWhenCustomized = { show: { customizeFieldNames: [true] } };

/** A field whose name on the wire the platform's interface does not show. */
function fieldName(
	displayName: string,
	name: string,
	wireName: string,
	what: string,
): INodeProperties {
	return {
		displayName,
		name,
		type: 'string',
		default: wireName,
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
	fieldName(
		'Video Cover Image Field',
		'videoCoverImageField',
		defaultFieldNames.thumbnail,
		'the URL of the video cover image',
	),
	fieldName(
		'Video Cover Offset Field',
		'videoCoverOffsetField',
		defaultFieldNames.thumbnail_offset,
		"the cover's position in the video",
	),
	fieldName(
		'Collaborators Field',
		'collaboratorsField',
		defaultFieldNames.collaborators,
		'the usernames of collaborators',
	),
	fieldName(
		'Auto-Crop Image Field',
		'autoCropImageField',
		defaultFieldNames.auto_crop_image,
		'the switch for automatic cropping',
	),
	fieldName(
		'Location ID Field',
		'locationIdField',
		defaultFieldNames.location_id,
		'the ID of the location',
	),
	fieldName(
		'Trial Settings Field',
		'trialSettingsField',
		defaultFieldNames.trial_params,
		'the list of trial settings',
	),
];
