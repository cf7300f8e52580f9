import type {
	IHookFunctions,
	ILoadOptionsFunctions,
	INodeProperties,
	IWebhookFunctions,
	TriggerPanelDefinition,
} from 'n8n-workflow';
import { z } from 'zod/v4';
import { accountChoices, matchingIds, readAccounts, type Accounts } from '../platform/settings';
import { listedStatus, postStatuses, type StatusEvent } from './signature/event';
import { keysOf } from './signature/methods';

const ALL_STATUSES = '*';

// If the label were a string literal, n8n's linter would require 'Account Names or IDs'.
const ACCOUNTS = 'Accounts';

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
			...Object.entries(postStatuses).map(([value, description]) => ({
				name: value.charAt(0).toUpperCase() + value.slice(1),
				value,
				action: `On post ${value}`,
				description,
			})),
		],
		default: ['published', 'failed'],
		required: true,
		description:
			'Statuses of a post that start the workflow. A status that is not listed also starts it, with the outcome "unknown", because the post may have failed.',
	},
	{
		displayName: ACCOUNTS,
		name: 'socialAccountIds',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getAccounts' },
		// With this setting, the editor also shows selected IDs that the credential does not list.
		allowArbitraryValues: true,
		default: [],
		description:
			'Accounts whose events start the workflow; none selects all. Events without an account are selected, too. An expression can also return names. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		description: 'How webhooks are checked. Options that you do not add keep their defaults.',
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

/** Returns the credential's accounts as options. A new node without a credential has no options. */
export async function getAccounts(this: ILoadOptionsFunctions) {
	if (!this.getNode().credentials?.socialOpenPlatformApi) return [];
	const credential = await this.getCredentials('socialOpenPlatformApi');
	return accountChoices(readAccounts(credential.accounts).accounts);
}

/** Help text that n8n shows beside the trigger's fields. */
export const triggerPanel: TriggerPanelDefinition = {
	header: '',
	executionsHelp:
		"<b>While you build the workflow</b>, enter the <b>Test URL</b> (under <b>Webhook URLs</b>) in the platform's console as the URL for webhooks (callbacks), select Execute step to let this node listen, and have the platform send an event. If the webhook is refused, the output says what to change in the credential.<br /> <br /><b>Once the workflow is published</b> (active), enter the <b>Production URL</b> in the platform's console. Each event that the platform sends there starts the workflow. Those executions appear in the <a data-key='executions'>executions list</a>, but not in the editor. If nothing arrives, see <a href='https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/trigger.md#nothing-arrives'>what to check</a>.",
	activationHint:
		"Once the workflow is ready, publish (activate) it, and enter the Production URL in the platform's console.",
};

const bounded = (label: string, unit: string, least: number, most: number) => {
	const message = `'${label}' is not a number of ${unit} from ${least} to ${most}`;
	return z.number(message).min(least, message).max(most, message);
};

const parametersSchema = z.lazy(() =>
	z.object({
		events: z
			.array(
				z.enum(
					[ALL_STATUSES, ...keysOf(postStatuses)],
					"'Events' contains a status that is not listed",
				),
			)
			.min(1, "'Events' is empty, so nothing would start the workflow; choose at least one status"),
		socialAccountIds: z
			.array(
				// A number may have lost some of its digits, and would then match no account.
				z.string("'Accounts' contains something that is not text; enter numbers as text").trim(),
				"'Accounts' is not a list of IDs",
			)
			.transform((ids) => ids.filter(Boolean)),
		timeWindow: bounded('Time Window (Seconds)', 'seconds', 1, 86_400).default(300),
		duplicateWindow: bounded('Duplicate Window (Hours)', 'hours', 0, 168).default(24),
	}),
);

type TriggerParameters = z.infer<typeof parametersSchema>;

/**
 * Reads and checks the trigger's parameters.
 *
 * @throws Error with one sentence for each issue
 */
export function readTriggerParameters(context: IHookFunctions | IWebhookFunctions) {
	const parsed = parametersSchema.safeParse({
		events: context.getNodeParameter('events'),
		socialAccountIds: context.getNodeParameter('socialAccountIds'),
		...(context.getNodeParameter('options', {}) as object),
	});
	if (parsed.success) return parsed.data;
	const messages = new Set(parsed.error.issues.map(({ message }) => message));
	throw new Error(`${[...messages].join('. ')}.`);
}

/**
 * Creates the trigger's filter, which returns the reason for excluding an event, or undefined.
 * *Events* never excludes a status that is not listed, and *Accounts* never excludes an event
 * without an account, because such events may report a failure.
 */
export function filterOf({ events, socialAccountIds }: TriggerParameters, accounts: Accounts) {
	// An expression may return account names instead of IDs.
	const ids = socialAccountIds.flatMap((given) => matchingIds(accounts, given));
	return ({ status, social_account_id: id }: StatusEvent) => {
		if (id !== undefined && ids.length > 0 && !ids.includes(id)) {
			return `'Accounts' does not include '${id}'`;
		}
		const listed = listedStatus(status);
		if (!listed || events.includes(ALL_STATUSES) || events.includes(listed)) return undefined;
		return `'Events' does not include the status '${listed}'`;
	};
}
