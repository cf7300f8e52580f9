import type { INodeProperties, TriggerPanelDefinition } from 'n8n-workflow';
import { ALL_STATUSES } from './parameters';

/** The most used ones come first. The list of nodes shows each as a separate trigger. */
const statuses = [
	{
		name: 'Any Status',
		value: ALL_STATUSES,
		action: 'On any post status',
		description:
			"Every status on a post's way, so that one post may start the workflow several times",
	},
	{
		name: 'Failed',
		value: 'failed',
		action: 'On post failed',
		description: "The post could not be published; 'message' may say why",
	},
	{
		name: 'Published',
		value: 'published',
		action: 'On post published',
		description: 'The post is out and can be seen',
	},
	{
		name: 'Accepted',
		value: 'accepted',
		action: 'On post accepted',
		description: 'The photo platform has taken the post; it is not out yet',
	},
	{
		name: 'Deleted',
		value: 'deleted',
		action: 'On post deleted',
		description: 'The post was taken down',
	},
	{
		name: 'Processing',
		value: 'processing',
		action: 'On post processing',
		description: 'The post is being published; it is not out yet',
	},
	{
		name: 'Queued',
		value: 'queued',
		action: 'On post queued',
		description: 'The post waits for its turn or time',
	},
	{
		name: 'Retrying',
		value: 'retrying',
		action: 'On post retrying',
		description: 'Publishing did not work and is tried again',
	},
	{
		name: 'Submitting',
		value: 'submitting',
		action: 'On post submitting',
		description: 'The post is being handed to the photo platform',
	},
];

export const properties: INodeProperties[] = [
	{
		displayName:
			"Open <b>Webhook URLs</b> above, press <b>Production URL</b>, and copy the address into the platform's console, as the one for webhooks (callbacks). Then publish (activate) this workflow. To try it first, enter the <b>Test URL</b> there: it works while this node listens for a test event.",
		name: 'urlNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		options: statuses,
		default: [ALL_STATUSES],
		required: true,
		description:
			'Statuses of a post that start the workflow. A status that is not in this list always does, with the outcome "unknown", because it might be a failure.',
	},
	{
		displayName: 'Only Final Statuses',
		name: 'onlyFinalStatuses',
		type: 'boolean',
		default: false,
		description:
			'Whether to start the workflow only when the post is published, failed or deleted, and not on the way there. A status that is not listed under Events starts it all the same.',
	},
	{
		displayName: 'Social Account IDs',
		name: 'socialAccountIds',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Account' },
		default: [],
		placeholder: 'e.g. acc_1024',
		description:
			'Only events of these accounts start the workflow. Without any, events of all accounts do. An event that names no account always does.',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		description:
			'How deliveries are checked, and what comes out. What you do not add keeps its default.',
		options: [
			{
				displayName: 'Duplicate Window (Hours)',
				name: 'duplicateWindow',
				type: 'number',
				typeOptions: { minValue: 0, maxValue: 168 },
				default: 24,
				description:
					'How long an event is remembered, so that its repetition does not start the workflow again. A change of status always does. 0 lets every repetition through. n8n forgets them when it restarts.',
			},
			{
				displayName: 'Include Headers',
				name: 'includeHeaders',
				type: 'boolean',
				default: false,
				description:
					"Whether to add 'headers' to the output: those that identify, time or describe the delivery, and its signature. Headers that may hold a login, such as cookies and API keys, are left out.",
			},
			{
				displayName: 'Include Raw Payload',
				name: 'includeRawPayload',
				type: 'boolean',
				default: false,
				description:
					"Whether to add 'raw_payload' to the output: the body of the delivery as text, as it was signed",
			},
			{
				displayName: 'Time Window (Seconds)',
				name: 'timeWindow',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 86400 },
				default: 300,
				description:
					'How far the time of a delivery may be from now, before and after. Outside it the delivery is refused, so that nobody can send an old one again. Only signature recipes that sign a timestamp use it.',
			},
		],
	},
];

const whileBuilding =
	'<b>While you build the workflow</b>, let this node listen (Execute step) and have the platform send an event to the Test URL. If that delivery is refused, the output says what to change in the credential.';

const inProduction =
	"the platform starts it by each event it sends to the Production URL. Those executions show up in the <a data-key='executions'>executions list</a>, not in the editor.";

/** The text beside the node before its first event. */
export const triggerPanel: TriggerPanelDefinition = {
	header: '',
	executionsHelp: {
		inactive: `${whileBuilding}<br /> <br /><b>Once the workflow is published</b> (active), ${inProduction}`,
		active: `${whileBuilding}<br /> <br /><b>The workflow is published</b> (active): ${inProduction}`,
	},
	activationHint:
		"Once the workflow is ready, publish (activate) it, and enter the Production URL in the platform's console.",
};
