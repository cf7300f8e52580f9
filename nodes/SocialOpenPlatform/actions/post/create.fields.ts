import type { INodeProperties } from 'n8n-workflow';
import { exclusiveFields } from './exclusive.fields';

const showOnlyForPosts = { show: { resource: ['post'], operation: ['create', 'validate'] } };
const showOnlyForLaterPosts = { show: { ...showOnlyForPosts.show, publishTime: ['at'] } };

/** n8n empties such a collection before the node runs, and the node cannot tell. */
const NO_WHOLE_EXPRESSION =
	'An object whose fields may be expressions. The collection itself cannot be one expression: n8n would leave it empty.';

/** The fields of a post, for creating and for validating alike. */
export const postFields: INodeProperties[] = [
	{
		displayName: 'Social Account ID',
		name: 'socialAccountId',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. acc_1024',
		displayOptions: showOnlyForPosts,
		description: 'Account on which the post appears, by the ID that the platform shows for it',
		builderHint: {
			propertyHint: 'Ask the user for it, or map it from the data. Never make one up.',
		},
	},
	{
		displayName: 'Content Type',
		name: 'contentType',
		type: 'options',
		default: 'POST',
		options: [
			{ name: 'Post', value: 'POST', description: 'Up to 10 images or videos, in the profile' },
			{ name: 'Reel', value: 'REEL', description: 'One short video, as the only media URL' },
			{
				name: 'Story',
				value: 'STORY',
				description: 'One image or video that disappears after 24 hours',
			},
		],
		displayOptions: showOnlyForPosts,
		description:
			'Where the post appears, and which media it takes. An expression can give any other type that the platform knows.',
	},
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. Our new article is out #news',
		displayOptions: showOnlyForPosts,
		description:
			'Caption of the post, hashtags included. The photo platform takes up to 2,200 characters and 30 hashtags. Left empty, the post has no caption; an expression that gives no value is refused.',
	},
	{
		displayName: 'Media URLs',
		name: 'mediaUrls',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Media URL' },
		default: [],
		placeholder: 'e.g. https://example.com/picture.jpg',
		displayOptions: showOnlyForPosts,
		description:
			'Images and videos in their order, one URL a row; an empty row is refused. The platform fetches them, so it has to reach each URL. A row can be an expression that gives several: a list, objects with a URL, or text with one URL a line.',
		builderHint: {
			propertyHint:
				'A list of public http(s) addresses of images or videos, no binary data: ["https://example.com/a.jpg"]. A row may be an expression that gives several; the field itself stays a list. A reel or a story takes exactly one.',
		},
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
				description: 'Sends no time, so the platform publishes as soon as it can',
			},
			{
				name: 'At a Set Time',
				value: 'at',
				description:
					'Sends the post now with its time; the platform publishes it then, whether n8n runs or not',
			},
		],
		displayOptions: showOnlyForPosts,
		description:
			'Whether the post goes out at once or later. Either way it is handed to the platform when this node runs.',
	},
	{
		displayName: 'Publish At',
		name: 'publishAt',
		type: 'dateTime',
		default: '',
		required: true,
		displayOptions: showOnlyForLaterPosts,
		description:
			"Date and time in the workflow's time zone, unless the value names an offset of its own such as +02:00. A time that has passed is refused, and nothing is sent.",
		builderHint: {
			propertyHint:
				"ISO 8601, such as 2026-12-31T18:00. Without an offset it is local time in the workflow's time zone: do not convert it to UTC. Ten digits are seconds since 1970, thirteen are milliseconds. Set Publish Time to 'at' with it.",
		},
	},
	{
		displayName: 'Additional Fields',
		name: 'additionalFields',
		type: 'collection',
		placeholder: 'Add Field',
		default: {},
		displayOptions: showOnlyForPosts,
		description: 'Fields that not every post needs. What you do not add is not sent.',
		builderHint: { propertyHint: NO_WHOLE_EXPRESSION },
		options: [
			{
				displayName: 'Title',
				name: 'title',
				type: 'string',
				default: '',
				placeholder: 'e.g. Spring at the harbour',
				description:
					'Title beside the text, up to 255 characters; a longer one is refused before anything is sent',
			},
			{
				displayName: 'Video Cover Image URL',
				name: 'videoCoverImageUrl',
				type: 'string',
				default: '',
				placeholder: 'e.g. https://example.com/cover.jpg',
				description:
					'Image shown before the video plays, at an address that the platform can reach. With it, Video Cover Offset has no effect.',
			},
			{
				displayName: 'Other Fields (JSON)',
				name: 'additionalBodyFields',
				type: 'json',
				default: '{}',
				description:
					'Fields that this node does not know, as a JSON object such as {"language": "en"}. They are sent as they are; numbers too long for JavaScript become text, so that no digit is lost. Names that this node fills in itself are refused.',
			},
		],
	},
	{
		displayName: 'Platform Options',
		name: 'exclusive',
		type: 'collection',
		placeholder: 'Add Platform Option',
		default: {},
		displayOptions: showOnlyForPosts,
		description:
			'Extras of the photo platform. What you do not add is not sent, and the platform decides; a switch that you add and leave off is sent as off.',
		builderHint: { propertyHint: NO_WHOLE_EXPRESSION },
		options: exclusiveFields,
	},
];
