import type { INodeProperties } from 'n8n-workflow';
import { captionLimits } from './caption';
import { photoFields, type PostField } from './photoFields';
import { readPublishAt } from './publishTime';
import {
	oneOf,
	plainText,
	readAccount,
	readCaption,
	readHashtags,
	readMediaList,
	readMedium,
	readSwitch,
	readText,
	type FieldReader,
} from './readers';

/** Creates the field *Account* without a description. */
export const accountField = (searchListMethod: string): INodeProperties => ({
	displayName: 'Account',
	name: 'socialAccountId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod, searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. acc_1024' },
	],
});

/**
 * The fields outside `exclusive`, in the order of the request. `exclusive` contains the photo
 * platform's options.
 */
const mainFields: PostField[] = [
	{
		name: 'social_account_id',
		position: 1,
		read: readAccount,
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
		position: 5,
		read: oneOf(['now', 'at'], "must be 'now' or 'at'"),
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
		name: 'post_date',
		position: 6,
		read: (given, context, raw) =>
			context.parameters.publishTime === 'at' ? readPublishAt(given, context, raw) : {},
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
	{
		name: 'title',
		read: plainText(255),
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
		name: 'type',
		max: 64,
		ifNothing: 'choose a type',
		position: 4,
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
		name: 'text',
		ifNothing: "leave the field empty or return empty text ('') to post without text",
		position: 2,
		read: readCaption,
		limits: ({ text = '' }) => captionLimits(text),
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
		name: 'media_urls',
		ifNothing: 'leave the field empty to post without media',
		position: 3,
		read: readMediaList,
		property: {
			displayName: 'Media',
			name: 'mediaUrls',
			type: 'string',
			typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Media' },
			default: [],
			placeholder: 'e.g. {{ $binary.data }} or https://example.com/a.jpg',
			description:
				'Images and videos, one per row: a public URL, a file such as {{ $binary.data }}, or the name of a file of the item, such as data. For all files of the item, enter {{ Object.values($binary) }} as an expression.',
			builderHint: {
				propertyHint:
					'A list of public http(s) URLs of images or videos, such as ["https://example.com/a.jpg"]. A row may be an expression that returns a file of an item (its binary data), or several files and URLs; the field itself stays a list. A reel or a story requires exactly one.',
			},
		},
	},
	{
		name: 'thumbnail',
		setting: ['videoCoverImageField', 'the URL of the video cover image'],
		read: readMedium,
		property: {
			displayName: 'Video Cover Image',
			name: 'videoCoverImageUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. {{ $binary.cover }} or https://example.com/a.jpg',
			description:
				'Image shown before the video plays: a public URL, a file such as {{ $binary.cover }}, or the name of a file of the item. If it is set, Video Cover Offset has no effect.',
		},
	},
	{
		// This field is read after all others, because it must not repeat any of them.
		read: () => ({}),
		property: {
			displayName: 'Other Fields (JSON)',
			name: 'additionalBodyFields',
			type: 'json',
			default: '{}',
			description:
				'More fields of the request as a JSON object, such as {"language": "en", "exclusive": {"disable_comments": true}}. They are sent unchanged; a field that is also set above is refused.',
		},
	},
	{
		read: readHashtags,
		property: {
			displayName: 'Hashtags',
			name: 'hashtags',
			type: 'string',
			default: '',
			placeholder: 'e.g. news, self-hosting or {{ $json.tags }}',
			description:
				'Hashtags to add after the text: a list, or one text with commas or spaces. Spaces and hyphens within a hashtag are removed. Hashtags that the text already contains, and those beyond 30, are left out.',
		},
	},
	{
		property: {
			displayName: 'Shorten Text',
			name: 'shortenText',
			type: 'boolean',
			default: true,
			description:
				'Whether to shorten text and hashtags to 2,200 characters, at the end of a sentence or word. A link at the end and the hashtags stay.',
		},
	},
	{
		read: oneOf(
			[undefined, null, '', 'html', 'markdown', 'plain'],
			'must be html, markdown or plain',
		),
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
			description: 'Format of Text, Title and Alt Text, which are posted as plain text',
		},
	},
];

/** All fields of a post, in the order of the request. */
export const fields = [...mainFields, ...photoFields].map((field) => ({
	...field,
	isExclusive: photoFields.includes(field),
	read: field.read ?? defaultReader(field),
}));

function defaultReader({ property, max }: PostField): FieldReader {
	return property.type === 'boolean' ? readSwitch : (given) => readText(given, max);
}

/** The fields in the panel outside *Post Options*, in the order of the panel. */
export const panelFields = fields
	.filter(({ position }) => position)
	.sort((a, b) => a.position! - b.position!);

/** The fields in *Post Options*, sorted by label. */
export const postOptionFields = fields
	.filter(({ position }) => !position)
	// Sorting with `localeCompare` would take longer than all other work while the nodes are loaded.
	.sort((a, b) => (a.property.displayName < b.property.displayName ? -1 : 1));

/** Returns a field's label by its name in the request or in the panel. */
export const labelOf = (name: string) =>
	fields.find((field) => field.name === name || field.property.name === name)!.property.displayName;

export const ACCOUNT = labelOf('social_account_id');
export const MEDIA = labelOf('media_urls');
export const COVER = labelOf('thumbnail');
export const PUBLISH_AT = labelOf('post_date');

/** Returns the label of the credential's setting that changes the name of a field. */
export const settingLabel = ({ property }: PostField) => `${property.displayName} Field`;

/**
 * Reads the names of request fields from the credential.
 *
 * @returns these names by their default names, and a sentence without a period for each name that
 * cannot be used
 */
export function readFieldNames(credential: object) {
	const names: Record<string, string> = {};
	const issues: string[] = [];
	const fixed = fields.filter(({ setting }) => !setting).map(({ name }) => name);
	const taken = new Set<unknown>([...fixed, 'exclusive']);
	for (const field of postOptionFields) {
		const { setting: [setting] = [], name } = field;
		if (!setting || !name) continue;
		const given: unknown = credential[setting as keyof typeof credential] ?? name;
		const own = typeof given === 'string' ? given.trim() : '';
		const issue =
			own === '' ? 'is empty' : taken.has(own) && `is '${own}', which another field already uses`;
		if (issue) issues.push(`'${settingLabel(field)}' ${issue}`);
		taken.add(own);
		names[name] = own;
	}
	return { names, issues };
}
