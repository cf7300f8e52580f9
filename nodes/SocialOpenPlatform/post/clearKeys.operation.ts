import { updateDisplayOptions, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';
import { nameOf, type Run, type Summary } from '../items/run';
import { check, withoutLocator } from '../items/values';
import { findAccount, type Accounts } from '../platform/accounts';
import { type Failed, failed, type Issue, type Outcome } from '../platform/outcome';
import { openSession } from '../platform/session';
import { ACCOUNT, accountField } from './fields';
import { digestOf } from './identity';
import { CONTENT_TYPES, clearKeys, postKey } from './keys/keys';
import { readAccount } from './readers';
import { keyText } from './sendingOptions';

const properties: INodeProperties[] = [
	{
		displayName:
			'Clears only the key below, so that its post can be published again. Add this node to the workflow that has published the post.',
		name: 'clearNotice',
		type: 'notice',
		default: '',
	},
	{
		...accountField,
		description: 'Account of the post whose key is cleared',
	},
	{
		displayName: 'Key',
		name: 'key',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.slug }}',
		description:
			"Key as it was given in 'Deduplication Key', with the same capital letters; the error and the output of Create contain it. It is cleared for the content types POST, REEL and STORY, not for a type from an expression.",
	},
];

export const description = updateDisplayOptions(
	{ show: { resource: ['post'], operation: ['clear'] } },
	properties,
);

class ClearRun implements Run {
	/** The number of keys that were cleared. */
	cleared = 0;

	/** The keys that were not there. */
	readonly missing: string[] = [];

	/** @param app identifies the application */
	constructor(
		readonly app: string,
		readonly accounts: Accounts,
	) {}

	summary(): Summary {
		const [key] = this.missing;
		const warnings =
			key &&
			`No key was cleared: this workflow has no key '${key}' for this account. Check the spelling, and that this node is in the workflow that has published the post.`;
		return { text: `Keys cleared: ${this.cleared}.`, warnings };
	}
}

export async function begin(context: IExecuteFunctions): Promise<ClearRun | Failed> {
	const session = await openSession(context, 'clearing keys');
	if ('failure' in session) return session;
	const { appId, accounts } = session.settings;
	return new ClearRun(digestOf(appId), accounts);
}

/**
 * Clears the key of an item for all content types.
 *
 * @returns the `key`, and whether it was there and is `cleared`
 */
export async function execute(
	context: IExecuteFunctions,
	itemIndex: number,
	run: ClearRun,
): Promise<Outcome<object>> {
	const { app, accounts } = run;
	const read = (name: string) => context.getNodeParameter(name, itemIndex, '') as unknown;
	const account = readAccount(withoutLocator(read('socialAccountId')), {
		findAccount: (given) => findAccount({ accounts, onlyListedAccounts: false }, given),
	});
	const { value: key = '', issue: keyIssue } = check(keyText('is empty'), read('key'));
	const issues: Issue[] = [];
	if (account.issue) issues.push({ field: ACCOUNT, message: account.issue });
	if (keyIssue) issues.push({ field: 'Key', message: keyIssue });
	if (issues.length > 0) {
		return failed.invalid(nameOf('item', itemIndex, context.getInputData().length), issues);
	}
	const keys = CONTENT_TYPES.map((type) => postKey(app, account.value, type, key));
	const found = await clearKeys(context, keys);
	if ('failure' in found) return found;
	const cleared = found.includes(true);
	if (cleared) run.cleared++;
	else run.missing.push(key);
	return { kind: 'accepted', value: { key, cleared } };
}
