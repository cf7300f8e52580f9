import type { IDataObject } from 'n8n-workflow';
import { agents, fromAI, runAgent } from '../harness/agentRun';
import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

const created = () => platform.received('createPost');
const accountsOf = () => created().map(({ body }) => (body as IDataObject).social_account_id);

/** Values of Account as n8n stores them. */
const fromList = (value: unknown, name = 'Harbour') => ({
	...{ __rl: true, mode: 'list', value, cachedResultName: name },
});
const byId = (value: unknown) => ({ __rl: true, mode: 'id', value });

const account = (name: string, id: string) => ({ name, id });

/** Lists accounts in the credential. */
function list(accounts: object[], only = true): void {
	Object.assign(platform.credential, {
		accounts: { account: accounts },
		onlyListedAccounts: only,
	});
}

const create = async (socialAccountId: unknown, items: IDataObject[] = [{}], more: object = {}) =>
	await platform.run({ socialAccountId, ...more } as IDataObject, { items });

const validate = async (socialAccountId: unknown): Promise<IDataObject> => {
	const result = await create(socialAccountId, [{}], { operation: 'validate' });
	return jsonOf(result)[0] as IDataObject;
};

describe('Account', () => {
	test.each([
		['plain text of an older workflow', 'acc_1'],
		['an expression of an older workflow', '={{ $json.account }}'],
		['an evaluated expression of an older workflow', '={{ $json.account.trim() }}'],
		['an account from the list', fromList('acc_1')],
		['an ID', byId('acc_1')],
		['an ID with spaces around it', byId(' acc_1 ')],
		['an expression that names a field', byId('={{ $json.account }}')],
		['an expression that n8n evaluates', byId('={{ $json.account.trim() }}')],
		[
			'a value without a mode, as n8n stores it when old text is edited',
			{ ...byId('acc_1'), mode: '' },
		],
	])('accepts %s', async (_, value) => {
		await create(value, [{ account: 'acc_1' }]);
		expect(accountsOf()).toStrictEqual(['acc_1']);
	});

	test('gets a warning in Validate if the credential lists other accounts', async () => {
		list([account('Harbour', 'acc_1')], false);
		const message =
			"(acc_2) is not listed in the credential; check the ID, or add it to 'Accounts' there";
		const warning = { field: 'Account', message };
		expect((await validate(byId('acc_2'))).warnings).toContainEqual(warning);
		expect(JSON.stringify(await validate(byId('acc_1')))).not.toContain('is not listed');
		list([], false);
		expect(JSON.stringify(await validate(byId('acc_2')))).not.toContain('is not listed');
	});

	test.each([
		[
			'a name of several accounts',
			[account('Harbour', 'acc_1'), account('Harbour', 'acc_2')],
			false,
		],
		['an account that is not allowed', [account('Blog', 'acc_1')], true],
	])('gets no warning in addition to the issue of %s', async (_, accounts, only) => {
		list(accounts, only);
		const { problems, warnings = [] } = await validate(byId('Harbour'));
		expect(problems).toStrictEqual([expect.objectContaining({ field: 'Account' })]);
		expect(warnings).not.toContainEqual(expect.objectContaining({ field: 'Account' }));
	});

	test('is read for each item', async () => {
		await create(byId('={{ $json.account }}'), [{ account: 'acc_1' }, { account: 2 }]);
		expect(accountsOf().sort()).toStrictEqual(['2', 'acc_1']);
	});

	test.each([
		["={{ '' }}", 'is empty'],
		[byId("={{ ' ' }}"), 'is empty'],
		[byId('={{ $json.missing }}'), 'is empty'],
		[
			"={{ ({ __rl: true, mode: 'id', value: 'acc_1' }) }}",
			expect.stringContaining('is an object, not text'),
		],
		[byId(['acc_1']), "is a list, not text; join it, for example with {{ $json.tags.join(' ') }}"],
		[byId({ id: 'acc_1' }), expect.stringContaining('is an object, not text')],
	])('reports %j', async (value, message) => {
		const { valid, problems } = await validate(value);
		expect(valid).toBe(false);
		expect(problems).toStrictEqual([{ field: 'Account', message }]);
	});

	test('can be any ID when the credential lists other accounts', async () => {
		list([account('Harbour', 'acc_1')], false);
		await create(byId('acc_9'));
		await create(byId('harbour'));
		expect(accountsOf()).toStrictEqual(['acc_9', 'harbour']);
	});

	test.each(['Harbour', byId('Harbour'), byId('={{ $json.name }}'), byId(' Harbour ')])(
		'can be the name of a listed account: %j',
		async (value) => {
			list([account('Harbour', 'acc_1')], false);
			await create(value, [{ name: 'Harbour' }]);
			expect(accountsOf()).toStrictEqual(['acc_1']);
		},
	);

	test('is refused if it is the name of several listed accounts', async () => {
		list([account('Harbour', 'acc_1'), account('Harbour', 'acc_2')], false);
		const { error } = await create(byId('Harbour'));
		expect(error!.message).toMatch(
			/^'Account' \(Harbour\) is the name of several accounts; use the ID/,
		);
		expect(created()).toStrictEqual([]);
	});
});

describe('Only Listed Accounts', () => {
	const accounts = [account('Harbour', ' acc_1 '), account(' Blog ', 'acc_2'), account('', '')];

	test.each([
		[fromList('acc_2', 'Blog'), 'acc_2'],
		[byId('acc_1'), 'acc_1'],
		['acc_1', 'acc_1'],
		[byId(' acc_1 '), 'acc_1'],
		[byId('Blog'), 'acc_2'],
		[byId(' Harbour '), 'acc_1'],
	])('accepts %j', async (value, id) => {
		list(accounts);
		await create(value);
		expect(accountsOf()).toStrictEqual([id]);
	});

	test.each(['acc_3', 'ACC_1', 'harbour', 'acc_1\nacc_2'])(
		'refuses %j before sending',
		async (id) => {
			list(accounts);
			const { error } = await create(byId(id));
			expect(error).toMatchObject({
				message: `'Account' (${id}) is not listed in the credential; add it to 'Accounts' there, or turn off 'Only Listed Accounts'`,
				context: { data: { outcome: 'invalid' } },
			});
			expect(platform.emulator.received).toStrictEqual([]);
			const { valid, problems } = await validate(byId(id));
			expect([valid, problems]).toStrictEqual([
				...[false, [expect.objectContaining({ field: 'Account' })]],
			]);
		},
	);

	test('refuses a name that two accounts have, but accepts their IDs', async () => {
		list([account('Harbour', 'acc_1'), account('Harbour', 'acc_2')]);
		const { error } = await create(byId('Harbour'));
		expect(error!.message).toBe(
			"'Account' (Harbour) is the name of several accounts; use the ID of one of them, or give them different names in the credential",
		);
		expect(created()).toStrictEqual([]);
		await create(byId('acc_2'));
		expect(accountsOf()).toStrictEqual(['acc_2']);
	});

	test('accepts an account whose name is its own ID', async () => {
		list([account('acc_1', 'acc_1')]);
		await create(byId('acc_1'));
		expect(accountsOf()).toStrictEqual(['acc_1']);
	});

	test.each([
		['Cafe\u0301  am\u00a0Hafen', 'Caf\u00e9 am Hafen'],
		['Caf\u00e9 am Hafen', 'Cafe\u0301  am\u00a0Hafen'],
	])('takes %j for the name %j, which looks the same', async (name, given) => {
		list([account(name, 'acc_1'), account('Cafe am Hafen', 'acc_2')]);
		await create(byId(given));
		expect(accountsOf()).toStrictEqual(['acc_1']);
	});

	test('refuses an account in Other Fields', async () => {
		list(accounts);
		const postOptions = { additionalBodyFields: '{ "social_account_id": "acc_3" }' };
		const { error } = await create(byId('acc_1'), [{}], { postOptions });
		expect(error!.message).toContain("contains 'social_account_id', which has its own field");
		expect(created()).toStrictEqual([]);
	});

	test.each([
		[[], "'Only Listed Accounts' is on, but 'Accounts' lists no account"],
		[[account('', ' ')], "'Only Listed Accounts' is on, but 'Accounts' lists no account"],
		[[account('Harbour', 'acc_1'), account('Blog', ' ')], "'Accounts' row 2 (Blog) has no ID."],
		[[account('', 'acc_1')], "'Accounts' row 1 (acc_1) has no name."],
		[
			[account('Harbour', 'acc_1'), account('Blog', 'acc_1 ')],
			"'Accounts' row 2 (Blog) has the same ID as 'Harbour'.",
		],
		[
			[account('acc_2 ', 'acc_1'), account('Blog', ' acc_2')],
			"'Accounts' row 1 (acc_2) has the ID of 'Blog' as its name.",
		],
		[
			[account('Harbour', 'x'.repeat(129))],
			"'Accounts' row 1 (Harbour) has an ID that is longer than 128 characters.",
		],
		[
			[account('x'.repeat(101), 'acc_1')],
			`'Accounts' row 1 (${'x'.repeat(100)}) has a name that is longer than 100 characters.`,
		],
	])('refuses the credential with the rows %j', async (rows, message) => {
		list(rows);
		const { error } = await create(byId('acc_1'));
		expect(error).toMatchObject({ context: { data: { outcome: 'not_sent' } } });
		expect(`${error!.message} ${error!.description}`).toContain(message);
		expect(platform.emulator.received).toStrictEqual([]);
	});
});

describe.each(agents)('Account in a tool of $name', ({ type: agent }) => {
	const post = async (account: string, operation = 'create') =>
		await runAgent({
			...{ platform, agent, turns: [[{ account }]] },
			parameters: {
				operation,
				socialAccountId: byId(fromAI('account')),
				text: 'Hello',
				mediaUrls: ['https://cdn.example/a.jpg'],
			},
		});

	test('can be plain text of an older workflow that the model now provides', async () => {
		const value = fromAI('account');
		await runAgent({
			...{ platform, agent, turns: [[{ account: 'acc_2' }]] },
			parameters: {
				// n8n's editor stores this when a user lets the model define the parameter.
				socialAccountId: { 0: 'a', 1: '1', value },
				mediaUrls: ['https://cdn.example/a.jpg'],
			},
		});
		expect(accountsOf()).toStrictEqual(['acc_2']);
	});

	test('can be a name or an ID that the model provides', async () => {
		list([account('Harbour', 'acc_1'), account('Blog', 'acc_2')]);
		await post('Blog');
		await post('acc_1');
		expect(accountsOf()).toStrictEqual(['acc_2', 'acc_1']);
	});

	test.each(['create', 'validate'])('reports the names, but no IDs, to %s', async (operation) => {
		list([account('Harbour', 'acc_1'), account('Café', 'acc_2')]);
		const [told] = await post('Harbor', operation);
		const text = JSON.stringify(told);
		expect(text).toContain(
			'(Harbor) is not an available account; use one of these names: “Harbour”, “Café”',
		);
		expect(text).not.toMatch(/acc_\d/);
		expect(platform.emulator.received).toStrictEqual([]);
	});

	test('never offers a name that several accounts have', async () => {
		list([account('Harbour', 'acc_1'), account('Blog', 'acc_2'), account('Blog', 'acc_3')]);
		for (const given of ['Blog', 'Nobody']) {
			const [told] = await post(given);
			expect(told!.error).toContain(
				`(${given}) is not an available account; use one of these names: “Harbour”. `,
			);
		}
		expect(created()).toStrictEqual([]);
	});

	test('reports that no name can be used', async () => {
		list([account('Blog', 'acc_2'), account('Blog', 'acc_3')]);
		const [told] = await post('Blog');
		expect(told!.error).toContain(
			'(Blog) is not an available account; no account in the credential has a unique name. ',
		);
	});

	test('reports at most 30 of many names', async () => {
		list(Array.from({ length: 500 }, (_, index) => account(`Account ${index}`, `acc_${index}`)));
		const [told] = await post('Nobody');
		expect(told!.error).toContain('“Account 29”, 470 more');
		expect(told!.error).not.toContain('“Account 30”');
	});
});
