import type { INodeProperties } from 'n8n-workflow';

/** Options of the photo platform (platform interface, "exclusive"), as entries of a collection. */
export const exclusiveFields: INodeProperties[] = [
	{
		displayName: 'Alt Text',
		name: 'altText',
		type: 'string',
		typeOptions: { rows: 2 },
		default: '',
		placeholder: 'e.g. A red lighthouse at dusk',
		description:
			'Read aloud to people who cannot see the picture. The photo platform takes up to 1,000 characters.',
	},
	{
		displayName: 'Auto-Crop Image',
		name: 'autoCropImage',
		type: 'boolean',
		default: false,
		description:
			'Whether the platform cuts images to a shape it accepts. For images only, and not together with Auto-Fit Image.',
	},
	{
		displayName: 'Auto-Fit Image',
		name: 'autoFitImage',
		type: 'boolean',
		default: false,
		description:
			'Whether the platform fits images to a size it accepts, without cutting. For images only, and not together with Auto-Crop Image.',
	},
	{
		displayName: 'Collaborators',
		name: 'collaborators',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Collaborator' },
		default: [],
		placeholder: 'e.g. anna.example',
		description:
			'Usernames invited to share the post as their own, one a row, with or without @. The photo platform takes up to 3, and none for a story. A row can be an expression that gives a list.',
	},
	{
		displayName: 'Location ID',
		name: 'locationId',
		type: 'string',
		default: '',
		placeholder: 'e.g. 213385402',
		description: 'Place shown with the post, by its ID on the photo platform. A story takes none.',
	},
	{
		displayName: 'Share to Feed',
		name: 'shareToFeed',
		type: 'boolean',
		default: false,
		description:
			'Whether a reel or a single video is also shown in the profile feed. Other posts do not take this option.',
	},
	{
		displayName: 'Trial Settings',
		name: 'trialSettings',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		default: {},
		placeholder: 'Add Trial Setting',
		description:
			'Shows a reel to people who do not follow the account before everyone sees it. For reels only.',
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
								description: 'Somebody ends it on the photo platform',
							},
							{
								name: 'By Performance',
								value: 'SS_PERFORMANCE',
								description: 'The photo platform ends it when the reel does well',
							},
						],
						description: 'What ends the trial, so that everyone sees the reel',
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
			'The same as a JSON list such as [{"graduation_strategy": "MANUAL"}], for a platform that wants other items than Trial Settings sends. Fill in one of the two; both are refused.',
	},
	{
		displayName: 'Video Cover Offset',
		name: 'videoCoverOffset',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'Moment of the video that becomes its cover: 1500 is one and a half seconds after its start. Without effect where a Video Cover Image URL is given.',
		hint: 'Milliseconds from the start of the video',
	},
	{
		displayName: 'Other Options (JSON)',
		name: 'additionalExclusiveOptions',
		type: 'json',
		default: '{}',
		description:
			'Options that this node does not know, as a JSON object such as {"disable_comments": true}. They are sent as they are; numbers too long for JavaScript become text, so that no digit is lost. Names that this node fills in itself are refused.',
	},
];
