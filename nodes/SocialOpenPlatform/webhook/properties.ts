import type { ILoadOptionsFunctions, INodeProperties, TriggerPanelDefinition } from 'n8n-workflow';
import { accountChoices, readAccounts } from '../platform/accounts';
import type { PostStatus } from './signature/event';
import { ALL_STATUSES } from './parameters';

/** n8n's list of nodes shows a trigger for each status. */
const statuses: Record<PostStatus, string> = {
	accepted: 'The photo platform has accepted the post, but not published it yet',
	deleted: 'The post was deleted',
	failed: "The post could not be published; 'message' may say why",
	processing: 'The post is being published, but not visible yet',
	published: 'The post is published and visible',
	queued: 'The post is waiting to be published',
	retrying: 'Publishing failed, and the platform tries again',
	submitting: 'The post is being submitted to the photo platform',
};

export const triggerProperties: INodeProperties[] = [
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		options: [
			{
				name: 'Any Status',
				value: ALL_STATUSES,
				action: 'On any post status',
				description:
					'Every status of a post, so that one post may start the workflow several times',
			},
			...Object.entries(statuses).map(([value, description]) => ({
				name: value.charAt(0).toUpperCase() + value.slice(1),
				value,
				action: `On post ${value}`,
				description,
			})),
		],
		default: ['published', 'failed'],
		required: true,
		description:
			'Statuses of a post that start the workflow. A status that is not listed always starts it, with the outcome "unknown", because the post may have failed.',
	},
	{
		displayName: 'Accounts',
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
					'How long repetitions of an event are ignored, 0 to 168; with 0, every repetition starts the workflow. A change of status is never a repetition.',
			},
			{
				displayName: 'Include Headers',
				name: 'includeHeaders',
				type: 'boolean',
				default: false,
				description:
					"Whether to add 'headers' to the output: <a href='https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/trigger.md#which-headers'>those</a> that identify, time or describe the webhook",
			},
			{
				displayName: 'Time Window (Seconds)',
				name: 'timeWindow',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 86400 },
				default: 300,
				description:
					'How far the signed timestamp of a webhook may be in the past or future, 1 to 86,400; other webhooks are refused. Only signature methods with a timestamp use it.',
			},
		],
	},
];

/** Lists the accounts in the credential, and the selected IDs that it does not list. */
export async function getAccounts(this: ILoadOptionsFunctions) {
	const credential = await this.getCredentials('socialOpenPlatformApi');
	const { accounts } = readAccounts(credential.accounts);
	const selected = [
		this.getCurrentNodeParameter('socialAccountIds') as Array<string | null>,
	].flat();
	const others = selected
		.map((id) => String(id ?? '').trim())
		.filter((id) => id && !accounts.has(id));
	return [...accountChoices(accounts), ...others.map((id) => ({ name: id, value: id }))];
}

const whileBuilding =
	"<b>While you build the workflow</b>, enter the <b>Test URL</b> (under <b>Webhook URLs</b>) in the platform's console as the URL for webhooks (callbacks), select Execute step to let this node listen, and have the platform send an event. If the webhook is refused, the output says what to change in the credential.";

const inProduction =
	"enter the <b>Production URL</b> in the platform's console. Each event that the platform sends there starts the workflow. Those executions appear in the <a data-key='executions'>executions list</a>, but not in the editor. If nothing arrives, see <a href='https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/trigger.md#nothing-arrives'>what to check</a>.";

/** The text next to the node before its first event. */
export const triggerPanel: TriggerPanelDefinition = {
	header: '',
	executionsHelp: {
		inactive: `${whileBuilding}<br /> <br /><b>Once the workflow is published</b> (active), ${inProduction}`,
		active: `${whileBuilding}<br /> <br /><b>Now that the workflow is published</b> (active), ${inProduction}`,
	},
	activationHint:
		"Once the workflow is ready, publish (activate) it, and enter the Production URL in the platform's console.",
};
