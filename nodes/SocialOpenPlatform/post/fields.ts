import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { flag, toNumber } from '../items/values';
import { accountField } from './accountSearch';
import {
	accountId,
	caption,
	hashtags,
	mediaList,
	oneMedium,
	textFormat,
	upTo,
	usernames,
} from './wire';

/**
 * A field of a post. The panel, the request, its checks and messages, the settings of the
 * credential and the table in docs/operations.md follow from it.
 */
export interface PostField {
	/** The name of the field in the request. */
	body?: string;
	/**
	 * The name of the field in `exclusive`, the options of the photo platform: the network on which
	 * the platform publishes.
	 */
	exclusive?: string;
	/**
	 * The setting of the credential that changes this name, and what the field is for. The platform's
	 * interface does not show the name.
	 */
	setting?: [name: string, purpose: string];
	/** How the value is read, if it is not sent as it is. */
	kind?:
		| 'account'
		| 'text'
		| 'files'
		| 'file'
		| 'usernames'
		| 'trial'
		| 'publishTime'
		| 'time'
		| 'others';
	/** Maximum number of characters of a text (platform interface, "Limits"). */
	max?: number;
	/** The schema of a value other than a text or a switch. */
	schema?: z.ZodType;
	/** Advice for an expression that returns no value, if the post must not be sent without this field. */
	ifNothing?: string;
	/** The field in the panel. Its `displayName` is the label in messages. */
	property: INodeProperties;
}

/**
 * If a whole collection is an expression, n8n empties it before the node runs, and
 * the node cannot detect it.
 */
export const NO_WHOLE_EXPRESSION =
	'An object whose fields may be expressions. The collection itself cannot be one expression: n8n would pass an empty collection to the node.';

/** Hides an option that does not apply to a content type. An expression in Content Type hides nothing. */
const hiddenFor = (...contentTypes: string[]) => ({ hide: { '/contentType': contentTypes } });

const milliseconds = z
	.preprocess(toNumber, z.int('is not a whole number of milliseconds').min(0, 'must be at least 0'))
	.optional();

/** The fields in the panel, in its order. */
const mainFields: PostField[] = [
	{
		body: 'social_account_id',
		kind: 'account',
		schema: accountId,
		property: {
			...accountField('searchAccounts'),
			description:
				'Account on which to publish the post: from the accounts in the credential, or by its ID as the platform shows it; an expression can also return the name that the credential lists',
			builderHint: {
				propertyHint:
					'Ask the user for the ID, or map it from the data, and use the mode "id". Never invent one.',
			},
		},
	},
	{
		body: 'text',
		kind: 'text',
		schema: caption,
		ifNothing: "leave the field empty or return empty text ('') to post without text",
		property: {
			displayName: 'Text',
			name: 'text',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			placeholder: 'e.g. Our new article is out #news',
			description:
				'Caption of the post; leave empty to post without a caption. Post Options convert HTML, add hashtags and shorten it; the photo platform accepts up to 2,200 characters and 30 hashtags.',
		},
	},
	{
		body: 'media_urls',
		kind: 'files',
		schema: mediaList,
		ifNothing: 'leave the field empty to post without media',
		property: {
			displayName: 'Media',
			name: 'mediaUrls',
			type: 'string',
			typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Media' },
			default: [],
			placeholder: 'e.g. {{ $binary.data }} or https://example.com/a.jpg',
			description:
				'Images and videos in their order, one per row: a public URL, a file such as {{ $binary.data }}, or the name of a binary property of the item. A row can be an expression that returns several, such as {{ Object.values($binary) }}.',
			builderHint: {
				propertyHint:
					'A list of public http(s) URLs of images or videos, such as ["https://example.com/a.jpg"]. A row may be an expression that returns a file of an item (its binary data), or several files and URLs; the field itself stays a list. A reel or a story requires exactly one.',
			},
		},
	},
	{
		body: 'type',
		max: 64,
		ifNothing: 'choose a type',
		property: {
			displayName: 'Content Type',
			name: 'contentType',
			type: 'options',
			default: 'POST',
			options: [
				{ name: 'Post', value: 'POST', description: 'Up to 10 images or videos, in the profile' },
				{ name: 'Reel', value: 'REEL', description: 'One short video, as the only media' },
				{
					name: 'Story',
					value: 'STORY',
					description: 'One image or video that disappears after 24 hours',
				},
			],
			description:
				'Where the post appears, and which media it can contain. An expression can return any other type that the platform knows.',
		},
	},
	{
		kind: 'publishTime',
		property: {
			displayName: 'Publish Time',
			name: 'publishTime',
			type: 'options',
			default: 'now',
			options: [
				{
					name: 'Now',
					value: 'now',
					description: 'Sends no time, so that the platform publishes as soon as possible',
				},
				{
					name: 'At a Set Time',
					value: 'at',
					description:
						'Sends the post now with its publish time; the platform publishes it then, even if n8n is not running',
				},
			],
			description:
				'Whether to publish the post immediately or later. In both cases, it is sent to the platform when this node runs.',
		},
	},
	{
		body: 'post_date',
		kind: 'time',
		max: 64,
		property: {
			displayName: 'Publish At',
			name: 'publishAt',
			type: 'dateTime',
			default: '',
			required: true,
			displayOptions: { show: { publishTime: ['at'] } },
			description:
				"Date and time in the workflow's time zone, unless the value includes an offset such as +02:00. A time in the past is refused, and nothing is sent.",
			builderHint: {
				propertyHint:
					"ISO 8601, such as 2026-12-31T18:00. Without an offset it is local time in the workflow's time zone: do not convert it to UTC. A number of ten digits is read as seconds since 1970, one of thirteen as milliseconds. Also set Publish Time to 'at'.",
			},
		},
	},
];

/** The fields of *Post Options*: what is posted besides text and media. */
const optionFields: PostField[] = [
	{
		exclusive: 'alt_text',
		kind: 'text',
		property: {
			displayName: 'Alt Text',
			name: 'altText',
			type: 'string',
			typeOptions: { rows: 2 },
			default: '',
			placeholder: 'e.g. A red lighthouse at dusk',
			description:
				'Description of the image for people who cannot see it, in the Text Format. The photo platform accepts up to 1,000 characters.',
		},
	},
	{
		exclusive: 'auto_crop_image',
		setting: ['autoCropImageField', 'the switch for automatic cropping'],
		property: {
			displayName: 'Auto-Crop Image',
			name: 'autoCropImage',
			type: 'boolean',
			default: false,
			displayOptions: hiddenFor('REEL'),
			description:
				'Whether the platform crops images to an aspect ratio that it accepts. Works only with images and cannot be combined with Auto-Fit Image.',
		},
	},
	{
		exclusive: 'auto_fit_image',
		property: {
			displayName: 'Auto-Fit Image',
			name: 'autoFitImage',
			type: 'boolean',
			default: false,
			displayOptions: hiddenFor('REEL'),
			description:
				'Whether the platform fits images to a size that it accepts, without cropping. Works only with images and cannot be combined with Auto-Crop Image.',
		},
	},
	{
		exclusive: 'collaborators',
		setting: ['collaboratorsField', 'the usernames of collaborators'],
		kind: 'usernames',
		schema: usernames,
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
		schema: hashtags,
		property: {
			displayName: 'Hashtags',
			name: 'hashtags',
			type: 'string',
			default: '',
			placeholder: 'e.g. news, self-hosting or {{ $json.tags }}',
			description:
				'Hashtags to add after the text: a list, or one text with commas or spaces. Spaces and hyphens are removed from each, tags that the text has are not repeated, and more than 30 are left out.',
		},
	},
	{
		exclusive: 'location_id',
		setting: ['locationIdField', 'the ID of the location'],
		max: 128,
		property: {
			displayName: 'Location ID',
			name: 'locationId',
			type: 'string',
			default: '',
			placeholder: 'e.g. 213385402',
			displayOptions: hiddenFor('STORY'),
			description: 'ID of the place shown with the post, on the photo platform',
		},
	},
	{
		kind: 'others',
		property: {
			displayName: 'Other Fields (JSON)',
			name: 'additionalBodyFields',
			type: 'json',
			default: '{}',
			description:
				'More fields of the request as a JSON object, such as {"language": "en", "exclusive": {"disable_comments": true}}. They are sent unchanged, except that numbers too long for JavaScript become text; a field that is also set above is refused.',
		},
	},
	{
		exclusive: 'share_to_feed',
		property: {
			displayName: 'Share to Feed',
			name: 'shareToFeed',
			type: 'boolean',
			default: false,
			displayOptions: hiddenFor('STORY'),
			description:
				'Whether a reel or a single video is also shown in the profile feed. A switch that is added and left off is sent as off.',
		},
	},
	{
		property: {
			displayName: 'Shorten Text',
			name: 'shortenText',
			type: 'boolean',
			default: false,
			description:
				'Whether to shorten text and hashtags to 2,200 characters, at the end of a sentence or word. A link at the end and the hashtags stay.',
		},
	},
	{
		schema: textFormat,
		property: {
			displayName: 'Text Format',
			name: 'textFormat',
			type: 'options',
			default: 'plain',
			options: [
				{ name: 'HTML', value: 'html', description: 'As in articles of a CMS and in feeds' },
				{ name: 'Markdown', value: 'markdown', description: 'With marks such as **bold**' },
				{ name: 'Plain Text', value: 'plain', description: 'Without any conversion' },
			],
			description: 'Format of Text and Alt Text, which are posted as plain text',
		},
	},
	{
		body: 'title',
		max: 255,
		property: {
			displayName: 'Title',
			name: 'title',
			type: 'string',
			default: '',
			placeholder: 'e.g. Spring at the harbour',
			description:
				'Title of the post, up to 255 characters. A longer title is refused before anything is sent.',
		},
	},
	{
		exclusive: 'trial_params',
		setting: ['trialSettingsField', 'the list of trial settings'],
		kind: 'trial',
		schema: z.array(z.unknown()).optional(),
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
	{
		body: 'thumbnail',
		setting: ['videoCoverImageField', 'the URL of the video cover image'],
		kind: 'file',
		schema: oneMedium,
		property: {
			displayName: 'Video Cover Image',
			name: 'videoCoverImageUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. {{ $binary.cover }} or https://example.com/a.jpg',
			description:
				'Image shown before the video plays: a public URL, a file such as {{ $binary.cover }}, or the name of a binary property of the item. If it is set, Video Cover Offset has no effect.',
		},
	},
	{
		exclusive: 'thumbnail_offset',
		setting: ['videoCoverOffsetField', "the cover's position in the video"],
		schema: milliseconds,
		property: {
			displayName: 'Video Cover Offset',
			name: 'videoCoverOffset',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 0,
			description:
				'Position in the video of the frame that becomes its cover: 1500 is one and a half seconds after the start. Has no effect if a Video Cover Image is set.',
			hint: 'Milliseconds from the start of the video',
		},
	},
];

/** The fields in the panel outside of *Post Options*. */
export const mainProperties = mainFields.map(({ property }) => property);

/** All fields of a post, in the order of the panel. */
export const fields = [...mainFields, ...optionFields].map((field) => ({
	...field,
	/** The name in the request. */
	name: field.body ?? field.exclusive,
	isOption: optionFields.includes(field),
	schema:
		field.schema ??
		(field.property.type === 'boolean' ? flag : upTo(field.max ?? Infinity)).optional(),
}));

/** The options in the panel. */
export const postOptions = optionFields.map(({ property }) => property);

/** The label of a field, by its name in the request. */
export function labelOf(name: string) {
	return fields.find((field) => field.name === name)?.property.displayName ?? name;
}

export const ACCOUNT = labelOf('social_account_id');
export const MEDIA = labelOf('media_urls');
export const COVER = labelOf('thumbnail');
export const PUBLISH_AT = labelOf('post_date');
