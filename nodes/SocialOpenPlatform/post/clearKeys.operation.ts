import { updateDisplayOptions, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';
import { nameOf, type Run, type Summary } from '../items/run';
import { check, withoutLocator } from '../items/values';
import { type Failed, failed, type Issue, type Outcome } from '../platform/outcome';
import { openSession } from '../platform/session';
import { findAccount, type Settings } from '../platform/settings';
import { ACCOUNT, accountField } from './fields';
import { digestOf } from './ledger';
import { CONTENT_TYPES, clearKeys, postKey } from './keys/claim';
import { keyText, readAccount } from './readers';

/** The value of *Account* for all accounts in the credential. */
const ALL_ACCOUNTS = '*';

const NO_ACCOUNTS =
	"is 'All Accounts', but the credential lists no accounts; choose 'By ID', or add the accounts to the credential";

const properties: INodeProperties[] = [
	{
		displayName:
			'Clears only the key below, so that its post can be published again. Add this node to the workflow that published the post.',
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
			"Key exactly as in 'Deduplication Key'; the output and the error of Create contain it. Keys of posts of the types POST, REEL and STORY are cleared, but not those of another type from an expression.",
	},
];

export const description = updateDisplayOptions(
	{ show: { resource: ['post'], operation: ['clear'] } },
	properties,
);

class ClearRun implements Run {
	/** Number of items whose key was cleared. */
	cleared = 0;

	/** The first key that was not found. */
	missing?: string;

	constructor(readonly settings: Settings) {}

	summary(): Summary {
		const { missing } = this;
		const warnings =
			missing &&
			`Nothing was cleared for '${missing}': this workflow has no such key for this account. Check the spelling, and that this node is in the workflow that published the post.`;
		return { text: `Keys cleared: ${this.cleared}.`, warnings };
	}
}

export async function begin(context: IExecuteFunctions): Promise<ClearRun | Failed> {
	const session = await openSession(context, 'clearing keys');
	return 'failure' in session ? session : new ClearRun(session.settings);
}

/**
 * Clears the key of an item for one account, or for all accounts that the credential lists.
 *
 * @returns the `key`, and `cleared`, which is true if the key was found
 */
export async function execute(
	context: IExecuteFunctions,
	itemIndex: number,
	run: ClearRun,
): Promise<Outcome<object>> {
	const { appId, accounts } = run.settings;
	const read = (name: string) => context.getNodeParameter(name, itemIndex, '') as unknown;
	const account = readAccount(withoutLocator(read('socialAccountId')), {
		findAccount: (given) => findAccount({ accounts, onlyListedAccounts: false }, given),
	});
	const { value: key = '', issue: keyIssue } = check(keyText('is empty'), read('key'));
	const ids = account.value === ALL_ACCOUNTS ? [...accounts.keys()] : [account.value];
	const issues = [
		{ field: ACCOUNT, message: ids.length === 0 ? NO_ACCOUNTS : account.issue },
		{ field: 'Key', message: keyIssue },
	].filter((one): one is Issue => one.message !== undefined);
	if (issues.length > 0) {
		return failed.invalid(nameOf('item', itemIndex, context.getInputData().length), issues);
	}
	const keys = ids.flatMap((id) =>
		CONTENT_TYPES.map((type) => postKey(digestOf(appId), id, type, key)),
	);
	const found = await clearKeys(context, keys);
	if ('failure' in found) return found;
	const cleared = found.includes(true);
	if (cleared) run.cleared++;
	else run.missing ??= key;
	return { kind: 'accepted', value: { key, cleared } };
}
