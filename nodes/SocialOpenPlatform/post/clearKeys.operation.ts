import { updateDisplayOptions, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { checkFields, invalid, type Issue } from '../items/parameters';
import { text, toText, withoutLocator } from '../items/values';
import { findAccount, type Accounts } from '../platform/accounts';
import type { Failed, Outcome } from '../platform/outcome';
import { openSession } from '../platform/session';
import { nameOf, type Run } from '../items/run';
import { accountField } from './fields';
import { digestOf } from './identity';
import { CONTENT_TYPES, clearKeys, postKey } from './keys/keys';
import { keyText } from './sendingOptions';

/** The value of Account that means all accounts that the credential lists. */
const ALL_ACCOUNTS = '*';

const NO_ACCOUNTS =
	"is 'All Accounts', but the credential lists no accounts; choose 'By ID', or add the accounts to the credential";

const properties: INodeProperties[] = [
	{
		displayName:
			'Add this node to the workflow whose keys you want to clear. It clears keys of all nodes of the workflow, so that their posts can be published again.',
		name: 'clearNotice',
		type: 'notice',
		default: '',
	},
	{
		...accountField('searchAccountsOrAll'),
		default: { mode: 'list', value: ALL_ACCOUNTS, cachedResultName: 'All Accounts' },
		description: 'Account of the posts, or All Accounts for the accounts that the credential lists',
	},
	{
		displayName: 'Key',
		name: 'key',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.slug }}',
		description:
			"Key exactly as it was given in 'Deduplication Key', including spaces and capital letters. It is cleared for the content types POST, REEL and STORY, not for a type from an expression.",
	},
];

export const description = updateDisplayOptions(
	{ show: { resource: ['post'], operation: ['clear'] } },
	properties,
);

/** The fields of an item by their labels. */
const fieldsSchema = z.object({
	Account: z.preprocess(
		toText,
		text
			.max(1000, 'is longer than 1000 characters')
			.trim()
			.refine((account) => account !== '', 'is empty'),
	),
	Key: keyText('is empty'),
});

interface ClearRun extends Run {
	/** Identifies the application. */
	app: string;
	accounts: Accounts;
}

export async function begin(context: IExecuteFunctions): Promise<ClearRun | Failed> {
	const session = await openSession(context, 'clearing keys');
	if ('failure' in session) return session;
	const { appId, accounts } = session.settings;
	return { app: digestOf(appId), accounts };
}

/**
 * Clears the key of an item for one account, or for all accounts that the credential lists.
 *
 * @returns the `key`, whether it was `cleared`, and the account and type of each key that was there
 */
export async function execute(
	context: IExecuteFunctions,
	itemIndex: number,
	{ app, accounts }: ClearRun,
): Promise<Outcome<object>> {
	const read = (name: string) => context.getNodeParameter(name, itemIndex, '') as unknown;
	const fields = { Account: withoutLocator(read('socialAccountId')), Key: read('key') };
	const { values, issues } = checkFields(fieldsSchema, fields, {});
	const { Account: account = '', Key: key = '' } = values;
	const issuesOf = (all: Issue[]) =>
		invalid(nameOf('item', itemIndex, context.getInputData().length), all);
	if (issues.length > 0) return issuesOf(issues);
	const found = findAccount({ accounts, onlyListedAccounts: false }, account);
	if ('issue' in found) return issuesOf([{ field: 'Account', message: found.issue }]);
	const ids = account === ALL_ACCOUNTS ? [...accounts.keys()] : [found.id];
	if (ids.length === 0) return issuesOf([{ field: 'Account', message: NO_ACCOUNTS }]);
	const places = ids.flatMap((id) =>
		CONTENT_TYPES.map((type) => ({ social_account_id: id, content_type: type })),
	);
	const cleared = await clearKeys(
		context,
		places.map((place) => postKey(app, place.social_account_id, place.content_type, key)),
	);
	if ('failure' in cleared) return cleared;
	const found_for = places.filter((_, index) => cleared[index]);
	return { kind: 'accepted', value: { key, cleared: found_for.length > 0, found_for } };
}
