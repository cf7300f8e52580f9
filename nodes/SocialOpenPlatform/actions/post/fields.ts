import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';

/** Labels of the fields in the panel, by the names of the fields in the request. */
export const labels = {
	social_account_id: 'Social Account ID',
	publishTime: 'Publish Time',
	post_date: 'Publish At',
	title: 'Title',
	type: 'Content Type',
	text: 'Text',
	media_urls: 'Media',
	thumbnail: 'Video Cover Image',
	additionalFields: 'Additional Fields',
	additionalBodyFields: 'Other Fields (JSON)',
	exclusive: 'Platform Options',
	alt_text: 'Alt Text',
	share_to_feed: 'Share to Feed',
	auto_fit_image: 'Auto-Fit Image',
	thumbnail_offset: 'Video Cover Offset',
	collaborators: 'Collaborators',
	auto_crop_image: 'Auto-Crop Image',
	location_id: 'Location ID',
	trial_params: 'Trial Settings',
	trialSettingsJson: 'Trial Settings (JSON)',
	additionalExclusiveOptions: 'Other Options (JSON)',
};

export type LabelledField = keyof typeof labels;

/** The label of a request field, or its name if it has no label. */
export function labelOf(field: string): string {
	return (labels as Record<string, string>)[field] ?? field;
}

/**
 * If a whole collection is an expression, n8n empties it before the node runs, and
 * the node cannot detect it.
 */
export const NO_WHOLE_EXPRESSION =
	'An object whose fields may be expressions. The collection itself cannot be one expression: n8n would pass an empty collection to the node.';

/** Options of the photo platform (platform interface, "exclusive"), as fields of a collection. */
const exclusiveFields: INodeProperties[] = [
	{
		displayName: 'Alt Text',
		name: 'altText',
		type: 'string',
		typeOptions: { rows: 2 },
		default: '',
		placeholder: 'e.g. A red lighthouse at dusk',
		description:
			'Description of the image for people who cannot see it. The photo platform accepts up to 1,000 characters.',
	},
	{
		displayName: 'Auto-Crop Image',
		name: 'autoCropImage',
		type: 'boolean',
		default: false,
		description:
			'Whether the platform crops images to an aspect ratio that it accepts. Works only with images and cannot be combined with Auto-Fit Image.',
	},
	{
		displayName: 'Auto-Fit Image',
		name: 'autoFitImage',
		type: 'boolean',
		default: false,
		description:
			'Whether the platform fits images to a size that it accepts, without cropping. Works only with images and cannot be combined with Auto-Crop Image.',
	},
	{
		displayName: 'Collaborators',
		name: 'collaborators',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Collaborator' },
		default: [],
		placeholder: 'e.g. anna.example',
		description:
			'Usernames to invite as collaborators, one per row, with or without @; a row can be an expression that returns a list. The photo platform accepts up to 3, and none for a story.',
	},
	{
		displayName: 'Location ID',
		name: 'locationId',
		type: 'string',
		default: '',
		placeholder: 'e.g. 213385402',
		description:
			'ID of the place shown with the post, on the photo platform. A story cannot have a location.',
	},
	{
		displayName: 'Share to Feed',
		name: 'shareToFeed',
		type: 'boolean',
		default: false,
		description:
			'Whether a reel or a single video is also shown in the profile feed. Other posts cannot have this option.',
	},
	{
		displayName: 'Trial Settings',
		name: 'trialSettings',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		default: {},
		placeholder: 'Add Trial Setting',
		description:
			'Shows a reel to people who do not follow the account before everyone sees it. Works only with reels.',
		options: [
			{
				displayName: 'Setting',
				name: 'setting',
				values: [
					{
						displayName: 'Graduation',
						name: 'graduationStrategy',
						type: 'options',
						default: 'MANUAL',
						options: [
							{
								name: 'Manual',
								value: 'MANUAL',
								description: 'Someone ends the trial on the photo platform',
							},
							{
								name: 'By Performance',
								value: 'SS_PERFORMANCE',
								description: 'The photo platform ends the trial when the reel performs well',
							},
						],
						description: 'How the trial ends, so that everyone sees the reel',
					},
				],
			},
		],
	},
	{
		displayName: 'Trial Settings (JSON)',
		name: 'trialSettingsJson',
		type: 'json',
		default: '[]',
		description:
			'Trial settings as a JSON list such as [{"graduation_strategy": "MANUAL"}], for a platform that expects other settings. Use either this field or Trial Settings, not both.',
	},
	{
		displayName: 'Video Cover Offset',
		name: 'videoCoverOffset',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'Position in the video of the frame that becomes its cover: 1500 is one and a half seconds after the start. Has no effect if a Video Cover Image is set.',
		hint: 'Milliseconds from the start of the video',
	},
	{
		displayName: 'Other Options (JSON)',
		name: 'additionalExclusiveOptions',
		type: 'json',
		default: '{}',
		description:
			'Additional options as a JSON object such as {"disable_comments": true}. They are sent unchanged, except that numbers too long for JavaScript become text; fields that the node has are refused.',
	},
];

const properties: INodeProperties[] = [
	{
		displayName: 'Social Account ID',
		name: 'socialAccountId',
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description:
			'Account on which to publish the post: from the accounts in the credential, or by its ID as the platform shows it',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod: 'searchAccounts', searchable: true },
			},
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. acc_1024' },
		],
		builderHint: {
			propertyHint:
				'Ask the user for the ID, or map it from the data, and use the mode "id". Never invent one.',
		},
	},
	{
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
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. Our new article is out #news',
		description:
			'Caption of the post, including hashtags; leave empty to post without a caption. The photo platform accepts up to 2,200 characters and 30 hashtags, and an expression that returns no value is refused.',
	},
	{
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
	{
		displayName:
			'To post a file, the node creates <a href="https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/files.md">a link to it</a>, which requires no login and expires (option File Link Validity). The platform must be able to reach this n8n to download the file.',
		name: 'filesNotice',
		type: 'notice',
		default: '',
	},
	{
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
	{
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
	{
		displayName: 'Additional Fields',
		name: 'additionalFields',
		type: 'collection',
		placeholder: 'Add Field',
		default: {},
		description: 'Optional fields. Fields that you do not add are not sent.',
		builderHint: { propertyHint: NO_WHOLE_EXPRESSION },
		options: [
			{
				displayName: 'Title',
				name: 'title',
				type: 'string',
				default: '',
				placeholder: 'e.g. Spring at the harbour',
				description:
					'Title of the post, up to 255 characters. A longer title is refused before anything is sent.',
			},
			{
				displayName: 'Video Cover Image',
				name: 'videoCoverImageUrl',
				type: 'string',
				default: '',
				placeholder: 'e.g. {{ $binary.cover }} or https://example.com/a.jpg',
				description:
					'Image shown before the video plays: a public URL, a file such as {{ $binary.cover }}, or the name of a binary property of the item. If it is set, Video Cover Offset has no effect.',
			},
			{
				displayName: 'Other Fields (JSON)',
				name: 'additionalBodyFields',
				type: 'json',
				default: '{}',
				description:
					'Additional fields as a JSON object such as {"language": "en"}. They are sent unchanged, except that numbers too long for JavaScript become text; fields that the node has are refused.',
			},
		],
	},
	{
		displayName: 'Platform Options',
		name: 'exclusive',
		type: 'collection',
		placeholder: 'Add Platform Option',
		default: {},
		description:
			'Options of the photo platform. Options that you do not add are not sent; a switch that you add and leave off is sent as off.',
		builderHint: { propertyHint: NO_WHOLE_EXPRESSION },
		options: exclusiveFields,
	},
];

/** The fields of a post, for Create and Validate. */
export const postFields = updateDisplayOptions(
	{ show: { resource: ['post'], operation: ['create', 'validate'] } },
	properties,
);
