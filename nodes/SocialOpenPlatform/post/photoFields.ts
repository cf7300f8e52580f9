import type { INodeProperties } from 'n8n-workflow';
import { isLonger, tooLong } from '../items/values';
import {
	plainText,
	readMilliseconds,
	readTrial,
	readUsernames,
	type FieldReader,
	type PostValues,
} from './readers';

const MAX_ALT_TEXT = 1000;
const MAX_COLLABORATORS = 3;

/**
 * A field of a post. The panel, the request, the checks, the messages, the settings in the
 * credential and the table in docs/operations.md depend on it.
 */
export interface PostField {
	/** The name in the request. A field without a name is not sent as a separate field. */
	name?: string;
	/**
	 * The setting in the credential that changes `name`, and the purpose of the field. The setting
	 * exists because the platform's interface does not show this name.
	 */
	setting?: [name: string, purpose: string];
	/** Maximum length of a string, in characters (platform interface, "Limits"). */
	max?: number;
	/** Reads the value. By default, boolean fields are read as switches, and others as strings. */
	read?: FieldReader;
	/** Returns a warning for each limit of the photo platform that the field exceeds. */
	limits?: (values: PostValues) => Array<string | false | undefined>;
	/**
	 * Advice for an expression that returns no value, such as null. With this advice, the result is
	 * reported as an issue. Without it, the field is left out with a warning.
	 */
	ifNothing?: string;
	/**
	 * The position in the panel. Fields without a position are in *Post Options*, sorted by label.
	 */
	position?: number;
	/** The field in the panel. Messages use its `displayName` as the label. */
	property: INodeProperties;
}

/**
 * Hides an option for the content types to which it does not apply. An expression in *Content Type*
 * hides nothing.
 */
const hiddenFor = (...contentTypes: string[]) => ({ hide: { '/contentType': contentTypes } });

/**
 * The fields in `exclusive`, in the order of the request. They apply to the photo platform, which
 * is the network on which the platform publishes.
 */
export const photoFields: PostField[] = [
	{
		name: 'alt_text',
		read: plainText(),
		limits: ({ alt_text = '' }) => [isLonger(alt_text, MAX_ALT_TEXT) && tooLong(MAX_ALT_TEXT)],
		property: {
			displayName: 'Alt Text',
			name: 'altText',
			type: 'string',
			typeOptions: { rows: 2 },
			default: '',
			placeholder: 'e.g. A red lighthouse at dusk',
			description:
				'Image description for people who cannot see it. Text Format applies to it, too. The photo platform accepts up to 1,000 characters.',
		},
	},
	{
		name: 'share_to_feed',
		property: {
			displayName: 'Share to Feed',
			name: 'shareToFeed',
			type: 'boolean',
			default: true,
			displayOptions: hiddenFor('STORY'),
			description:
				'Whether to show a reel or a single video in the profile feed, too. If you do not add this option, the platform decides.',
		},
	},
	{
		name: 'auto_fit_image',
		limits: ({ auto_fit_image, auto_crop_image }) => [
			auto_fit_image && auto_crop_image && 'cannot be combined with Auto-Crop Image',
		],
		property: {
			displayName: 'Auto-Fit Image',
			name: 'autoFitImage',
			type: 'boolean',
			default: true,
			displayOptions: hiddenFor('REEL'),
			description:
				'Whether the platform fits images to a size that it accepts, without cropping. Works only with images and cannot be combined with Auto-Crop Image.',
		},
	},
	{
		name: 'thumbnail_offset',
		setting: ['videoCoverOffsetField', "the cover's position in the video"],
		read: readMilliseconds,
		property: {
			displayName: 'Video Cover Offset',
			name: 'videoCoverOffset',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 0,
			description:
				'Position of the frame that becomes the cover of the video, for example 1500 for one and a half seconds after the start. Has no effect if a Video Cover Image is set.',
			hint: 'Milliseconds from the start of the video',
		},
	},
	{
		name: 'collaborators',
		setting: ['collaboratorsField', 'the usernames of collaborators'],
		read: readUsernames,
		limits: ({ collaborators = [] }) => [
			collaborators.length > MAX_COLLABORATORS && `has more than ${MAX_COLLABORATORS} entries`,
			collaborators.some((name) => /[^\w.]/.test(name)) &&
				'contains something other than letters, digits, dots and underscores; enter one username per row',
		],
		property: {
			displayName: 'Collaborators',
			name: 'collaborators',
			type: 'string',
			typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Collaborator' },
			default: [],
			placeholder: 'e.g. anna.example',
			displayOptions: hiddenFor('STORY'),
			description:
				'Usernames to invite as collaborators, one per row, with or without @; a row can be an expression that returns a list. The photo platform accepts up to 3.',
		},
	},
	{
		name: 'auto_crop_image',
		setting: ['autoCropImageField', 'the switch for automatic cropping'],
		property: {
			displayName: 'Auto-Crop Image',
			name: 'autoCropImage',
			type: 'boolean',
			default: true,
			displayOptions: hiddenFor('REEL'),
			description:
				'Whether the platform crops images to an aspect ratio that it accepts. Works only with images and cannot be combined with Auto-Fit Image.',
		},
	},
	{
		name: 'location_id',
		setting: ['locationIdField', 'the ID of the location'],
		max: 128,
		property: {
			displayName: 'Location ID',
			name: 'locationId',
			type: 'string',
			default: '',
			placeholder: 'e.g. 213385402',
			displayOptions: hiddenFor('STORY'),
			description: 'ID of the place that the photo platform shows with the post',
		},
	},
	{
		name: 'trial_params',
		setting: ['trialSettingsField', 'the list of trial settings'],
		read: readTrial,
		limits: ({ type }) => [type !== 'REEL' && 'works only with a reel'],
		property: {
			displayName: 'Trial Reel',
			name: 'trialReel',
			type: 'options',
			default: 'OFF',
			options: [
				{
					name: 'Graduate by Performance',
					value: 'SS_PERFORMANCE',
					description: 'The photo platform ends the trial when the reel performs well',
				},
				{
					name: 'Graduate Manually',
					value: 'MANUAL',
					description: 'Someone ends the trial on the photo platform',
				},
				{ name: 'Off', value: 'OFF', description: 'Everyone sees the reel from the start' },
			],
			displayOptions: hiddenFor('POST', 'STORY'),
			description:
				'Whether the reel is first shown only to people who do not follow the account, and how this trial ends',
		},
	},
];
