import type { INodeParameters } from 'n8n-workflow';
import { event, ignored, useTrigger } from '../harness/triggerPlatform';

const statuses = [
	...['queued', 'submitting', 'accepted', 'processing'],
	...['retrying', 'published', 'failed', 'deleted'],
];

const platform = useTrigger();
const use = (parameters: INodeParameters) => (platform.host.node.parameters = parameters);

describe('Events', () => {
	test.each<[string, INodeParameters, string[], string[]]>([
		['published and failed by default', {}, statuses, ['published', 'failed']],
		['every status when Any Status is selected', { events: ['*'] }, statuses, statuses],
		[
			'the selected statuses in any case',
			{ events: ['failed', 'retrying'] },
			[...statuses, 'FAILED'],
			['retrying', 'failed', 'FAILED'],
		],
		['always an unlisted one', { events: ['published'] }, ['vanished', 'queued'], ['vanished']],
	])('accepts %s', async (_, parameters, sent, started) => {
		use(parameters);
		for (const status of sent) {
			const response = await platform.deliver(event({ status }));
			expect(response).toMatchObject({ status: 200, body: { ok: true } });
		}
		expect(platform.items().map(({ status }) => status)).toEqual(started);
	});

	test('accepts an event without a status', async () => {
		use({ events: ['published'] });
		await platform.deliver({ id: 'evt_none' });
		expect(platform.items()).toHaveLength(1);
	});
});

describe('Accounts', () => {
	const listed = [
		...[
			{ name: 'Harbour', id: 'acc_1' },
			{ name: 'Harbour', id: 'acc_2' },
		],
		...[
			{ name: 'acc_1', id: 'acc_4' },
			{ name: 'Blog', id: 'acc_5' },
		],
	];
	const all = ['acc_1', 'acc_2', 'acc_3', 'acc_4', 'acc_5', '7', 8];

	test.each<[string, unknown, string[]]>([
		['an ID, with or without spaces', [' acc_5 ', '7'], ['acc_5', '7']],
		['an ID that is a number in the event', '={{ ["7", "8"] }}', ['7', '8']],
		['every account when all rows are empty', ['', ' '], all.map(String)],
		['all accounts with a name', "={{ ['Harbour'] }}", ['acc_1', 'acc_2']],
		['the ID of one account and the name of another', ['acc_1'], ['acc_1', 'acc_4']],
		['names and IDs that are not listed', "={{ ['Blog', 'acc_3'] }}", ['acc_3', 'acc_5']],
	])('accepts %s', async (_, socialAccountIds, started) => {
		platform.credential.accounts = { account: listed };
		use({ socialAccountIds } as INodeParameters);
		for (const id of all) await platform.deliver(event({ social_account_id: id }));
		expect(platform.items().map((item) => item.social_account_id)).toEqual(started);
	});

	test('accepts an event without an account', async () => {
		use({ socialAccountIds: ['acc_1'] });
		await platform.deliver(event());
		expect(platform.items()).toHaveLength(1);
	});

	test('excludes another account also with an unlisted status', async () => {
		use({ socialAccountIds: ['acc_1'] });
		await platform.deliver(event({ social_account_id: 'acc_2', status: 'vanished' }));
		expect(platform.items()).toEqual([]);
	});
});

test('Other events are ignored with the status 200', async () => {
	use({ events: ['failed'] });
	expect(await platform.deliver(event())).toEqual(ignored);
	expect(await platform.deliver([])).toEqual(ignored);
	expect(platform.host.executions).toEqual([]);
});

test('The trigger outputs and counts only the matching events of a list', async () => {
	use({ events: ['failed'] });
	const payload = ['queued', 'failed', 'published'].map((status) => ({ event_id: status, status }));
	expect(await platform.deliver(payload)).toMatchObject({
		body: { result: 'accepted', events: 1 },
	});
	expect(platform.items()).toMatchObject([{ status: 'failed', event_id: 'failed' }]);
});
