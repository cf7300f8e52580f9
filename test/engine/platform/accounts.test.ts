import '../harness/engine';
import { LoadOptionsContext } from 'n8n-core';
import {
	Workflow,
	type INode,
	type INodeListSearchResult,
	type INodeTypes,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { SocialOpenPlatform } from '../../../nodes/SocialOpenPlatform/SocialOpenPlatform.node';
import { SocialOpenPlatformTrigger } from '../../../nodes/SocialOpenPlatform/SocialOpenPlatformTrigger.node';
import { CredentialStore } from '../harness/credentialStore';

const action = new SocialOpenPlatform();
const trigger = new SocialOpenPlatformTrigger();

/** The context in which n8n's editor loads a list, with a credential that lists accounts. */
function editor(
	type: SocialOpenPlatform | SocialOpenPlatformTrigger,
	accounts: unknown,
	credentials: INode['credentials'] = { socialOpenPlatformApi: { id: '1', name: 'Platform' } },
) {
	const { name, version } = type.description;
	const node = {
		...{ id: '1', name: 'Node', type: name, typeVersion: version, position: [0, 0] },
		...{ parameters: {}, credentials },
	} as INode;
	const store = new CredentialStore();
	// The other fields are still empty.
	store.stored.set('1', { accounts } as never);
	const nodeTypes = { getByNameAndVersion: () => type } as unknown as INodeTypes;
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const data = { credentialsHelper: store } as unknown as IWorkflowExecuteAdditionalData;
	return new LoadOptionsContext(workflow, node, data, '');
}

const account = (name: string, id: string) => ({ name, id });

describe('The list of Account', () => {
	const search = async (rows: unknown, filter?: string): Promise<INodeListSearchResult> =>
		await action.methods.listSearch.searchAccounts.call(editor(action, rows), filter);

	test('contains the accounts in their order, with the ID of a name that several have', async () => {
		const rows = [
			...[account('Harbour', ' acc_1 '), account('', ''), account(' Blog', 'acc_2')],
			account('Harbour', 'acc_3'),
		];
		expect(await search({ account: rows })).toStrictEqual({
			results: [
				{ name: 'Harbour (acc_1)', value: 'acc_1' },
				{ name: 'Blog', value: 'acc_2' },
				{ name: 'Harbour (acc_3)', value: 'acc_3' },
			],
		});
	});

	test.each([
		['HARB', ['acc_1']],
		[' blog ', ['acc_2', 'acc_3']],
		['acc_3', ['acc_3']],
		[undefined, ['acc_1', 'acc_2', 'acc_3']],
	])('contains the accounts found by %j', async (filter, ids) => {
		const rows = [
			account('Harbour', 'acc_1'),
			account('Blog', 'acc_2'),
			account('Blog 2', 'acc_3'),
		];
		const { results } = await search({ account: rows }, filter);
		expect(results.map(({ value }) => value)).toStrictEqual(ids);
	});

	test.each([undefined, { account: [account(' ', '')] }])(
		'explains how to fill it when the credential has the accounts %j',
		async (accounts) => {
			await expect(search(accounts)).rejects.toThrow(
				"The credential lists no accounts. Open it, add names and IDs under 'Accounts', save it, and open this list again. Or choose 'By ID'.",
			);
		},
	);

	test('names a row that cannot be used', async () => {
		const rows = [account('Harbour', 'acc_1'), account('Blog', ''), account('', 'acc_3')];
		await expect(search({ account: rows })).rejects.toThrow(
			"'Accounts' row 2 (Blog) has no ID. 'Accounts' row 3 (acc_3) has no name.",
		);
	});

	test('fails when a row is not text', async () => {
		await expect(search({ account: [{ name: {}, id: [] }] })).rejects.toThrow(
			"'Accounts' is not a list of rows with a name and an ID.",
		);
	});
});

describe('The list of Accounts in the trigger', () => {
	const rows = [account('Blog', 'acc_1'), account('', 'acc_9'), account('Blog', 'acc_2')];

	test('contains the usable accounts', async () => {
		const context = editor(trigger, { account: rows });
		expect(await trigger.methods.loadOptions.getAccounts.call(context)).toStrictEqual([
			{ name: 'Blog (acc_1)', value: 'acc_1' },
			{ name: 'Blog (acc_2)', value: 'acc_2' },
		]);
	});

	test('is empty while n8n has not added the credential to a new node', async () => {
		const context = editor(trigger, { account: rows }, {});
		expect(await trigger.methods.loadOptions.getAccounts.call(context)).toStrictEqual([]);
	});
});
