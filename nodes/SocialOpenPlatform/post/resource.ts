import {
	NodeOperationError,
	updateDisplayOptions,
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
	type INodeProperties,
	type NodeHint,
} from 'n8n-workflow';
import { accountChoices, readAccounts } from '../platform/settings';
import { CREDENTIAL_TYPE } from '../platform/session';
import * as create from './create.operation';
import { panelFields, postOptionFields } from './fields';
import * as clear from './clearKeys.operation';
import { NO_WHOLE_EXPRESSION, sendingOptions } from './sendingOptions';
import * as validate from './validate.operation';

/** Creates a hint that n8n's editor shows before the node is executed if a condition is true. */
function hintBefore(condition: string, message: string, type: NodeHint['type'] = 'info'): NodeHint {
	const displayCondition = `={{ $parameter.resource === "post" && ${condition} }}`;
	return {
		message,
		type,
		displayCondition,
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
	};
}

const isCreate = '$parameter.operation === "create"';

const hints: NodeHint[] = [
	hintBefore(
		`${isCreate} && !$rawParameter.options?.maxPostsPerRun && $input.all().length > 1`,
		"Each input item becomes a post. To send only the first one, turn on 'Execute Once' in the node's settings. To set a limit, add the option 'Max Posts per Run'.",
	),
	hintBefore(
		'$parameter.operation !== "clear" && !$rawParameter.mediaUrls?.length && $input.all().some((item) => Object.keys(item.binary ?? {}).length > 0)',
		'The input contains a file, but Media is empty. To post the file, add it to Media, for example as {{ $binary.data }}.',
		'warning',
	),
	hintBefore(
		'$parameter.operation !== "clear" && ($rawParameter.mediaUrls ?? []).some((row) => String(row).includes("$binary"))',
		'To post a file, the node creates <a href="https://github.com/n8n-nodes-social-open-platform/n8n-nodes-social-open-platform/blob/main/docs/files.md">a link to it</a>, which requires no login and expires after 7 days (option File Link Validity). The platform must be able to reach this n8n to download the file.',
	),
	hintBefore(
		`${isCreate} && !$rawParameter.options?.oncePerKey && $input.all().some(({ json }) => Boolean(json.webhookUrl && json.headers))`,
		"The input comes from a webhook, which may be delivered twice. To publish each post only once, add the option 'Deduplication Key'.",
	),
];

/** The fields of a post, for Create and Validate. */
export const postFields = updateDisplayOptions(
	{ show: { resource: ['post'], operation: ['create', 'validate'] } },
	[
		...panelFields.map(({ property }) => property),
		{
			displayName: 'Post Options',
			name: 'postOptions',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			description:
				'Optional fields of the post. Options that you do not add are not sent. Options that do not apply to the Content Type are hidden and not sent.',
			builderHint: { propertyHint: NO_WHOLE_EXPRESSION },
			options: postOptionFields.map(({ property }) => property),
		},
	],
);

const description: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'create',
		options: [
			{
				name: 'Create',
				value: 'create',
				action: 'Publish a post',
				description:
					'Publish a post now or at a set time. The trigger reports when the platform has published it.',
			},
			{
				name: 'Validate',
				value: 'validate',
				action: 'Validate a post without publishing',
				description:
					'Check the fields of a post without sending it. The output contains the exact request and all issues found.',
			},
			{
				name: 'Clear Deduplication Keys',
				value: 'clear',
				action: 'Clear deduplication keys',
				description: 'Let posts with a key be published again',
			},
		],
		displayOptions: { show: { resource: ['post'] } },
	},
	...postFields,
	sendingOptions,
	...clear.description,
];

const NO_LISTED =
	"The credential lists no accounts. Open it, add names and IDs under 'Accounts', save it, and open this list again. Or choose 'By ID'.";

/**
 * Lists the credential's accounts for the editor.
 *
 * @param filter a part of a name or an ID
 * @throws NodeOperationError if the credential lists no accounts, or has an unusable row
 */
async function searchAccounts(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const credential = await this.getCredentials(CREDENTIAL_TYPE);
	const { accounts, issues } = readAccounts(credential.accounts);
	if (issues.length > 0) throw new NodeOperationError(this.getNode(), `${issues.join('. ')}.`);
	if (accounts.size === 0) throw new NodeOperationError(this.getNode(), NO_LISTED);
	const words = filter.trim().toLowerCase();
	const results = accountChoices(accounts).filter(({ name, value }) =>
		[name, value].some((text) => text.toLowerCase().includes(words)),
	);
	return { results };
}

/** Lists the credential's accounts after an entry for all of them. */
async function searchAccountsOrAll(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const { results } = await searchAccounts.call(this, filter);
	return { results: [{ name: 'All Accounts', value: '*' }, ...results] };
}

/** The resource Post, with its hints and the methods that list accounts in the editor. */
export const post = {
	operations: { create, clear, validate },
	description,
	hints,
	listSearch: { searchAccounts, searchAccountsOrAll },
};
