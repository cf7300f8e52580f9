import {
	NodeOperationError,
	type ILoadOptionsFunctions,
	type INodeProperties,
	type INodeListSearchResult,
} from 'n8n-workflow';
import { accountChoices, readAccounts } from '../platform/accounts';
import { CREDENTIAL_TYPE } from '../platform/session';

const NONE =
	"The credential lists no accounts. Open it, add names and IDs under 'Accounts', save it, and open this list again. Or choose 'By ID'.";

/**
 * Lists the accounts of the credential for the editor.
 *
 * @param filter a part of a name or an ID
 * @throws NodeOperationError if the credential lists no accounts, or has a row that cannot be used
 */
export async function searchAccounts(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const credential = await this.getCredentials(CREDENTIAL_TYPE);
	const { accounts, issues } = readAccounts(credential.accounts);
	if (issues.length > 0) throw new NodeOperationError(this.getNode(), `${issues.join('. ')}.`);
	if (accounts.size === 0) throw new NodeOperationError(this.getNode(), NONE);
	const words = filter.trim().toLowerCase();
	const results = accountChoices(accounts).filter(({ name, value }) =>
		[name, value].some((text) => text.toLowerCase().includes(words)),
	);
	return { results };
}

/** Lists the accounts of the credential, and an entry for all of them. */
export async function searchAccountsOrAll(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const { results } = await searchAccounts.call(this, filter);
	return { results: [{ name: 'All Accounts', value: '*' }, ...results] };
}

/** The field *Account*, without its description. */
export const accountField = (searchListMethod: string): INodeProperties => ({
	displayName: 'Account',
	name: 'socialAccountId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod, searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. acc_1024' },
	],
});
