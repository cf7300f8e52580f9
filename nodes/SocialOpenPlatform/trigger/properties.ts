import type {
	ILoadOptionsFunctions,
	INodeProperties,
	INodePropertyOptions,
	TriggerPanelDefinition,
} from 'n8n-workflow';
import { accountChoices, readAccounts } from '../protocol/accounts';
import { ALL_STATUSES } from './parameters';

/** The most used choices. The list of nodes shows each of them as a separate trigger. */
const triggers = [
	{
		name: 'Any Status',
		value: ALL_STATUSES,
		action: 'On any post status',
		description: 'Every status of a post, so that one post may start the workflow several times',
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
		description: 'The post is published and visible',
	},
];

const otherStatuses = [
	{
		name: 'Accepted',
		value: 'accepted',
		description: 'The photo platform has accepted the post, but not published it yet',
	},
	{
		name: 'Deleted',
		value: 'deleted',
		description: 'The post was deleted',
	},
	{
		name: 'Processing',
		value: 'processing',
		description: 'The post is being published, but not visible yet',
	},
	{
		name: 'Queued',
		value: 'queued',
		description: 'The post is waiting to be published',
	},
	{
		name: 'Retrying',
		value: 'retrying',
		description: 'Publishing failed, and the platform tries again',
	},
	{
		name: 'Submitting',
		value: 'submitting',
		description: 'The post is being submitted to the photo platform',
	},
];

export const properties: INodeProperties[] = [
	{
		displayName:
			"Open <b>Webhook URLs</b> above, select <b>Production URL</b>, and enter this URL in the platform's console as the URL for webhooks (callbacks). Then publish (activate) this workflow. To test it first, enter the <b>Test URL</b> there; it works while this node listens for a test event. If nothing arrives, see <a href='https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/trigger.md#nothing-arrives'>what to check</a>.",
		name: 'urlNotice',
		type: 'notice',
		default: '',
	},
	{
		// n8n's list of nodes reads its triggers from the first field with this label, even if it is hidden.
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		options: triggers,
		default: [ALL_STATUSES],
		description: 'Statuses of a post that start the workflow',
		displayOptions: { hide: { '@version': [2] } },
	},
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		options: [...triggers, ...otherStatuses],
		default: [ALL_STATUSES],
		required: true,
		description:
			'Statuses of a post that start the workflow. A status that is not listed always starts it, with the outcome "unknown", because the post may have failed.',
	},
	{
		displayName: 'Only Final Statuses',
		name: 'onlyFinalStatuses',
		type: 'boolean',
		default: false,
		description:
			'Whether to start the workflow only when a post is published, failed or deleted. A status that is not listed under Events always starts it.',
	},
	{
		displayName: 'Social Account IDs',
		name: 'socialAccountIds',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getAccounts' },
		allowArbitraryValues: true,
		default: [],
		description:
			'Accounts whose events start the workflow; none selects all. An event without an account always starts it. An expression can also return names. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		description:
			'How webhooks are checked, and what is output. Options that you do not add keep their defaults.',
		options: [
			{
				displayName: 'Duplicate Window (Hours)',
				name: 'duplicateWindow',
				type: 'number',
				typeOptions: { minValue: 0, maxValue: 168 },
				default: 24,
				description:
					'How long repetitions of an event are ignored, 0 to 168; a change of status always starts the workflow. With 0, every repetition starts it, and a restart of n8n clears the list of events.',
			},
			{
				displayName: 'Include Headers',
				name: 'includeHeaders',
				type: 'boolean',
				default: false,
				description:
					"Whether to add 'headers' to the output: <a href='https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/trigger.md#which-headers'>those</a> that identify, time, describe or sign the webhook. Headers that may contain credentials, such as cookies and API keys, are left out.",
			},
			{
				displayName: 'Include Raw Payload',
				name: 'includeRawPayload',
				type: 'boolean',
				default: false,
				description:
					"Whether to add 'raw_payload' to the output: the unchanged body of the webhook as text",
			},
			{
				displayName: 'Time Window (Seconds)',
				name: 'timeWindow',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 86400 },
				default: 300,
				description:
					'How far the signed timestamp of a webhook may be in the past or future, 1 to 86,400; other webhooks are refused, so that nobody can send an old one again. Only signature methods with a timestamp use it.',
			},
		],
	},
];

/** What the list shows without accounts. An empty value has no effect, even if n8n lets users select it. */
const noAccounts: INodePropertyOptions = {
	name: 'No Accounts Yet',
	value: '',
	disabled: true,
	description: "Add names and IDs under 'Accounts' in the credential, and save it",
};

/** Lists the accounts in the credential, and the selected IDs that it does not list. */
export async function getAccounts(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const credential = await this.getCredentials('socialOpenPlatformApi');
	const { accounts } = readAccounts(credential.accounts);
	const selected: unknown[] = [this.getCurrentNodeParameter('socialAccountIds')].flat();
	const others = selected
		.filter((id) => typeof id === 'string' || typeof id === 'number')
		.map(String)
		.filter((id) => id.trim() !== '' && !accounts.has(id));
	const choices = [...accountChoices(accounts), ...others.map((id) => ({ name: id, value: id }))];
	return accounts.size > 0 ? choices : [noAccounts, ...choices];
}

const whileBuilding =
	'<b>While you build the workflow</b>, select Execute step to let this node listen, and have the platform send an event to the Test URL. If the webhook is refused, the output says what to change in the credential.';

const inProduction =
	"each event that the platform sends to the Production URL starts it. Those executions appear in the <a data-key='executions'>executions list</a>, but not in the editor.";

/** The text next to the node before its first event. */
export const triggerPanel: TriggerPanelDefinition = {
	header: '',
	executionsHelp: {
		inactive: `${whileBuilding}<br /> <br /><b>Once the workflow is published</b> (active), ${inProduction}`,
		active: `${whileBuilding}<br /> <br /><b>The workflow is published</b> (active): ${inProduction}`,
	},
	activationHint:
		"Once the workflow is ready, publish (activate) it, and enter the Production URL in the platform's console.",
};
