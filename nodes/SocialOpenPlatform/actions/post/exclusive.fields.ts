import type { INodeProperties } from 'n8n-workflow';

/** Options of the photo platform (platform interface, "exclusive"), as entries of a collection. */
export const exclusiveFields: INodeProperties[] = [
	{
		displayName: 'Alt Text',
		name: 'altText',
		type: 'string',
		typeOptions: { rows: 2 },
		default: '',
		description: 'Describes the picture to people who cannot see it',
	},
	{
		displayName: 'Auto-Crop Image',
		name: 'autoCropImage',
		type: 'boolean',
		default: false,
		description: 'Whether the platform cuts images to a shape it accepts',
	},
	{
		displayName: 'Auto-Fit Image',
		name: 'autoFitImage',
		type: 'boolean',
		default: false,
		description: 'Whether the platform fits images to a size it accepts, without cutting',
	},
	{
		displayName: 'Collaborators',
		name: 'collaborators',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Collaborator' },
		default: [],
		placeholder: 'e.g. anna.example',
		description:
			'Usernames invited to share the post as their own, one a row, with or without @. A row can also be an expression that gives a list.',
	},
	{
		displayName: 'Location ID',
		name: 'locationId',
		type: 'string',
		default: '',
		description: 'Place shown with the post, by its ID on the photo platform',
	},
	{
		displayName: 'Share to Feed',
		name: 'shareToFeed',
		type: 'boolean',
		default: false,
		description: 'Whether a reel or video is also shown in the profile feed',
	},
	{
		displayName: 'Trial Settings',
		name: 'trialSettings',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		default: {},
		placeholder: 'Add Trial Setting',
		description: 'Shows a reel to people who do not follow the account before everyone sees it',
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
							{ name: 'Manual', value: 'MANUAL' },
							{ name: 'By Performance', value: 'SS_PERFORMANCE' },
						],
						description: 'What ends the trial: somebody decides, or the reel does well',
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
			'Trial settings as a JSON list, for a platform that wants other items than Trial Settings sends',
	},
	{
		displayName: 'Video Cover Offset',
		name: 'videoCoverOffset',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description: 'Moment of the video that becomes its cover',
		hint: 'Milliseconds from the start of the video',
	},
	{
		displayName: 'Other Options (JSON)',
		name: 'additionalExclusiveOptions',
		type: 'json',
		default: '{}',
		description:
			'Platform options this node does not know, as a JSON object. They are sent beside the others as they are; only whole numbers beyond 2^53 are sent as text, to keep their digits.',
	},
];
