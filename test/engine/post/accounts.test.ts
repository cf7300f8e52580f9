import type { IDataObject } from 'n8n-workflow';
import { fromAI } from '../harness/agentRun';
import { jsonOf } from '../harness/manyPosts';
import { usePosts } from './postSetup';

const { platform, created, callTool } = usePosts();

const accountsOf = () => created().map(({ body }) => (body as IDataObject).social_account_id);

/** Values of Account as n8n stores them. */
const fromList = (value: unknown) => ({
	...{ __rl: true, mode: 'list', value, cachedResultName: 'Harbour' },
});
const byId = (value: unknown) => ({ __rl: true, mode: 'id', value });

type Row = [name: string, id: string];
const harbour: Row = ['Harbour', 'acc_1'];

/** Lists accounts in the credential. */
function list(rows: Row[], onlyListedAccounts = true): void {
	const account = rows.map(([name, id]) => ({ name, id }));
	Object.assign(platform.credential, { accounts: { account }, onlyListedAccounts });
}

const create = async (socialAccountId: unknown, items: IDataObject[] = [{}]) =>
	await platform.run({ socialAccountId } as IDataObject, { items });

const validate = async (socialAccountId: unknown): Promise<IDataObject> => {
	const parameters = { operation: 'validate', socialAccountId } as IDataObject;
	return jsonOf(await platform.run(parameters))[0] as IDataObject;
};

describe('Account', () => {
	test.each([
		['plain text of an older workflow', 'acc_1', 'acc_1'],
		['an expression of an older workflow', '={{ $json.account }}', 'acc_1'],
		['an account from the list', fromList('acc_1'), 'acc_1'],
		['an ID with spaces around it', byId(' acc_1 '), 'acc_1'],
		['an expression that n8n evaluates', byId('={{ $json.account.trim() }}'), 'acc_1'],
		[
			'old text that was edited, which n8n stores without a mode',
			{ ...byId('acc_1'), mode: '' },
			'acc_1',
		],
		['the name of a listed account', byId('Harbour'), 'acc_1'],
		['an ID that is not listed', byId('acc_9'), 'acc_9'],
		['an ID that differs from a name in its case', byId('harbour'), 'harbour'],
	])('accepts %s', async (_, value, id) => {
		list([harbour], false);
		await create(value, [{ account: 'acc_1' }]);
		expect(accountsOf()).toStrictEqual([id]);
	});

	test('is read for each item', async () => {
		await create(byId('={{ $json.account }}'), [{ account: 'acc_1' }, { account: 2 }]);
		expect(accountsOf().sort()).toStrictEqual(['2', 'acc_1']);
	});

	test.each([
		[byId("={{ ' ' }}"), 'is empty'],
		[byId('={{ $json.missing }}'), 'is empty'],
		["={{ ({ __rl: true, mode: 'id', value: 'acc_1' }) }}", 'is an object, not text'],
		[byId(['acc_1']), 'is a list, not text'],
	])('is refused if it is %j', async (value, message) => {
		const { valid, problems } = await validate(value);
		expect(valid).toBe(false);
		expect(problems).toStrictEqual([
			{ field: 'Account', message: expect.stringContaining(message) },
		]);
	});

	test.each([false, true])(
		'is refused if it is the name of several accounts (Only Listed Accounts: %p)',
		async (only) => {
			list([harbour, ['Harbour', 'acc_2']], only);
			const { error } = await create(byId('Harbour'));
			expect(error!.message).toBe(
				"'Account' (Harbour) is the name of several accounts; use the ID of one of them, or give them different names in the credential",
			);
			expect(created()).toStrictEqual([]);
			await create(byId('acc_2'));
			expect(accountsOf()).toStrictEqual(['acc_2']);
		},
	);

	test('is refused if it is the ID of one account and the name of another', async () => {
		list(
			[
				['acc_2', 'acc_1'],
				['Blog', 'acc_2'],
			],
			false,
		);
		const { error } = await create(byId('acc_2'));
		expect(error!.message).toContain("'Account' (acc_2) is the name of several accounts;");
		expect(created()).toStrictEqual([]);
	});
});

describe('Only Listed Accounts', () => {
	const accounts: Row[] = [
		...([
			['Harbour', ' acc_1 '],
			[' Blog ', 'acc_2'],
			['', ''],
			['acc_3', 'acc_3'],
		] as Row[]),
		...([
			['Cafe\u0301  am\u00a0Hafen', 'acc_4'],
			['Cafe am Hafen', 'acc_5'],
		] as Row[]),
		['Caf\u00e9 am Rhein', 'acc_6'],
	];

	test.each([
		[fromList('acc_2'), 'acc_2'],
		[byId(' acc_1 '), 'acc_1'],
		[byId('Blog'), 'acc_2'],
		[byId(' Harbour '), 'acc_1'],
		[byId('acc_3'), 'acc_3'],
		[byId('Caf\u00e9 am Hafen'), 'acc_4'],
		[byId('Cafe\u0301  am\u00a0Rhein'), 'acc_6'],
	])('accepts %j', async (value, id) => {
		list(accounts);
		await create(value);
		expect(accountsOf()).toStrictEqual([id]);
	});

	test.each<[string, Row[]]>([
		...['acc_9', 'ACC_1', 'harbour', 'acc_1\nacc_2'].map((id): [string, Row[]] => [id, accounts]),
		['acc_1', []],
		['acc_1', [['', ' ']]],
	])('refuses %j before sending', async (id, rows) => {
		list(rows);
		const { error } = await create(byId(id));
		expect(error).toMatchObject({
			message: `'Account' (${id}) is not listed in the credential; add it to 'Accounts' there, or turn off 'Only Listed Accounts'`,
			context: { data: { outcome: 'invalid' } },
		});
		expect(platform.emulator.received).toStrictEqual([]);
		const { valid, problems } = await validate(byId(id));
		const ofAccount = expect.objectContaining({ field: 'Account' }) as object;
		expect([valid, problems]).toStrictEqual([false, [ofAccount]]);
	});

	test.each<[Row[], string]>([
		[[harbour, ['Blog', ' ']], "'Accounts' row 2 (Blog) has no ID."],
		[[['', 'acc_1']], "'Accounts' row 1 (acc_1) has no name."],
		[[harbour, ['Blog', 'acc_1 ']], "'Accounts' row 2 (Blog) has the same ID as 'Harbour'."],
		[
			[['Harbour', 'x'.repeat(129)]],
			"'Accounts' row 1 (Harbour) has an ID that is longer than 128 characters.",
		],
	])('refuses the credential with the rows %j', async (rows, message) => {
		list(rows);
		const { error } = await create(byId('acc_1'));
		expect(error).toMatchObject({
			message: expect.stringContaining(message),
			context: { data: { outcome: 'not_sent' } },
		});
		expect(platform.emulator.received).toStrictEqual([]);
	});
});

describe('Account in a tool', () => {
	const post = async (account: string, more: IDataObject = {}) =>
		await callTool(undefined, [[{ text: 'Hello', account }]], {
			...{ socialAccountId: byId(fromAI('account')), ...more },
		});

	test('can be a field of an older workflow that the user now leaves to the model', async () => {
		// n8n's editor stores this when a user lets the model define the parameter.
		await post('acc_2', { socialAccountId: { 0: 'a', 1: '1', value: fromAI('account') } });
		expect(accountsOf()).toStrictEqual(['acc_2']);
	});

	test('can be a name or an ID that the model provides', async () => {
		list([harbour, ['Blog', 'acc_2']]);
		await post('Blog');
		await post('acc_1');
		expect(accountsOf()).toStrictEqual(['acc_2', 'acc_1']);
	});

	const blogs: Row[] = [
		['Blog', 'acc_2'],
		['Blog', 'acc_3'],
	];
	const many = Array.from({ length: 500 }, (_, index): Row => [`Account ${index}`, `acc_${index}`]);

	test.each<[given: string, rows: Row[], message: RegExp]>([
		['Harbor', [harbour, ['Café', 'acc_2']], /; use one of these names: “Harbour”, “Café”[".]/],
		['Blog', [harbour, ...blogs], /; use one of these names: “Harbour”\. /],
		['Blog', blogs, /; no account in the credential has a unique name\. /],
		['Nobody', many, /“Account 29”\. /],
	])('learns no ID, but the names that it can use, after %j: %#', async (given, rows, message) => {
		list(rows);
		const [told] = await post(given);
		expect(told!.error).toContain(`(${given}) is not an available account; `);
		expect(told!.error).toMatch(message);
		expect(told!.error).not.toMatch(/acc_\d|Account 30/);
		const validated = JSON.stringify(await post(given, { operation: 'validate' }));
		expect(validated).toContain('is not an available account; ');
		expect(validated).not.toMatch(/acc_\d/);
		expect(platform.emulator.received).toStrictEqual([]);
	});
});
