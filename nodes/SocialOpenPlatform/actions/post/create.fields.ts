import type { INodeProperties } from 'n8n-workflow';
import { exclusiveFields } from './exclusive.fields';

const showOnlyForPosts = { show: { resource: ['post'], operation: ['create', 'validate'] } };
const showOnlyForLaterPosts = { show: { ...showOnlyForPosts.show, publishTime: ['at'] } };

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
		description: 'Account that publishes the post, by the ID the platform shows for it',
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
			{ name: 'Post', value: 'POST', description: 'Images or one video in the profile' },
			{ name: 'Reel', value: 'REEL', description: 'One short video' },
			{ name: 'Story', value: 'STORY', description: 'One image or video that disappears' },
		],
		displayOptions: showOnlyForPosts,
		description: 'What is published. An expression can give any other type the platform knows.',
	},
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. Our new article is out #news',
		displayOptions: showOnlyForPosts,
		description: 'Caption of the post, hashtags included',
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
			'Images and videos in their order, each at an address the platform can reach. Write one URL a row. A row can also be an expression that gives a list, objects with a URL, or text with one URL a line.',
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
			{ name: 'Now', value: 'now', description: 'Publishes as soon as the platform can' },
			{
				name: 'At a Set Time',
				value: 'at',
				description: 'Hands the post over now, to be published later',
			},
		],
		displayOptions: showOnlyForPosts,
		description: 'When the platform publishes the post',
	},
	{
		displayName: 'Publish At',
		name: 'publishAt',
		type: 'dateTime',
		default: '',
		required: true,
		displayOptions: showOnlyForLaterPosts,
		description:
			"Date and time in the workflow's time zone, unless the value names an offset of its own. A time that has passed is refused.",
		builderHint: {
			propertyHint:
				"ISO 8601, such as 2026-12-31T18:00. Without an offset it is local time in the workflow's time zone: do not convert it to UTC. Set Publish Time to 'at' with it.",
		},
	},
	{
		displayName: 'Additional Fields',
		name: 'additionalFields',
		type: 'collection',
		placeholder: 'Add Field',
		default: {},
		displayOptions: showOnlyForPosts,
		options: [
			{
				displayName: 'Title',
				name: 'title',
				type: 'string',
				default: '',
				description: 'Title of the post, up to 255 characters',
			},
			{
				displayName: 'Video Cover Image URL',
				name: 'videoCoverImageUrl',
				type: 'string',
				default: '',
				placeholder: 'e.g. https://example.com/cover.jpg',
				description: 'Image shown before the video plays. It wins over Video Cover Offset.',
			},
			{
				displayName: 'Other Fields (JSON)',
				name: 'additionalBodyFields',
				type: 'json',
				default: '{}',
				description:
					'Fields this node does not know, as a JSON object. They are sent beside the others as they are; only whole numbers beyond 2^53 are sent as text, to keep their digits.',
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
		description: 'Options of the photo platform. What is not added here is not sent.',
		options: exclusiveFields,
	},
];
