import { NodeHelpers, type IDataObject } from 'n8n-workflow';
import { SocialOpenPlatformTrigger } from '../../../nodes/SocialOpenPlatform/SocialOpenPlatformTrigger.node';
import { event, startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

const statuses = [
	...['queued', 'submitting', 'accepted', 'processing'],
	...['retrying', 'published', 'failed', 'deleted'],
];

const { description } = new SocialOpenPlatformTrigger();

let platform: TriggerPlatform;
const start = async (parameters: IDataObject) => {
	platform = await startTrigger(parameters);
};
afterEach(async () => await platform.stop());

/** Delivers one event with each status, and returns the statuses that started the workflow. */
async function started(of: string[] = statuses): Promise<unknown[]> {
	for (const status of of) {
		const response = await platform.deliver(event({ status }));
		expect(response).toMatchObject({ status: 200, body: { ok: true } });
	}
	return platform.items().map(({ status }) => status);
}

describe('Events', () => {
	test('accepts published and failed by default', async () => {
		await start({});
		expect(await started()).toEqual(['published', 'failed']);
	});

	test('accepts every status when Any Status is selected', async () => {
		await start({ events: ['*'] });
		expect(await started()).toEqual(statuses);
	});

	test('accepts the selected statuses', async () => {
		await start({ events: ['failed', 'retrying'] });
		expect(await started([...statuses, 'FAILED'])).toEqual(['retrying', 'failed', 'FAILED']);
	});

	test('always accepts an unlisted or missing status', async () => {
		await start({ events: ['published'] });
		expect(await started(['vanished', 'queued'])).toEqual(['vanished']);
		await platform.deliver({ id: 'evt_none' });
		expect(platform.items()).toHaveLength(2);
	});

	test('accepts an expression', async () => {
		await start({ events: "={{ ['deleted'] }}" });
		expect(await started()).toEqual(['deleted']);
	});

	test.each([...statuses, '*'])('keeps the stored value %s', async (status) => {
		await start({ events: [status] });
		const { node } = platform.host;
		const { parameters } = node;
		const { properties } = description;
		expect(
			NodeHelpers.getNodeParameters(properties, parameters, true, false, node, description),
		).toMatchObject(parameters);
		expect(NodeHelpers.getNodeParametersIssues(properties, node, description)).toBeNull();
	});
});

describe('Accounts', () => {
	/** Lists accounts with these names and IDs in the credential. */
	const listAccounts = (...rows: Array<[name: string, id: string]>) => {
		const account = rows.map(([name, id]) => ({ name, id }));
		platform.credential.accounts = { account };
	};

	const accounts = async (...ids: unknown[]) => {
		for (const id of ids) await platform.deliver(event({ social_account_id: id as string }));
		return platform.items().map((item) => item.social_account_id);
	};

	test('accepts events of these accounts and events without an account', async () => {
		await start({ socialAccountIds: [' acc_1 ', '7'] });
		expect(await accounts('acc_1', 'acc_2', 7, undefined)).toStrictEqual([
			...['acc_1', '7'],
			undefined,
		]);
	});

	test('accepts numbers from an expression', async () => {
		await start({ socialAccountIds: '={{ [7, 8] }}' });
		expect(await accounts(7, '8', 9)).toEqual(['7', '8']);
	});

	test('accepts every account when all rows are empty', async () => {
		await start({ socialAccountIds: ['', ' '] });
		expect(await accounts('acc_1', 'acc_2')).toEqual(['acc_1', 'acc_2']);
	});

	test('accepts the name of a listed account', async () => {
		await start({ socialAccountIds: "={{ ['Harbour', 'acc_3'] }}" });
		listAccounts(['Harbour', 'acc_1'], ['Blog', 'acc_2']);
		expect(await accounts('acc_1', 'acc_2', 'acc_3')).toEqual(['acc_1', 'acc_3']);
	});

	test('accepts the name of several accounts, and starts for each of them', async () => {
		await start({ socialAccountIds: "={{ ['Harbour'] }}" });
		listAccounts(['Harbour', 'acc_1'], ['Harbour', 'acc_2'], ['Blog', 'acc_3']);
		expect(await accounts('acc_1', 'acc_2', 'acc_3')).toEqual(['acc_1', 'acc_2']);
	});

	test('prefers an ID to a name', async () => {
		await start({ socialAccountIds: ['acc_1'] });
		listAccounts(['Harbour', 'acc_1'], ['acc_1', 'acc_2']);
		expect(await accounts('acc_1', 'acc_2')).toEqual(['acc_1']);
	});

	test('also ignores an unlisted status of another account', async () => {
		await start({ socialAccountIds: ['acc_1'] });
		await platform.deliver(event({ social_account_id: 'acc_2', status: 'vanished' }));
		expect(platform.items()).toEqual([]);
	});
});

test('Other events are ignored with the status 200', async () => {
	await start({ events: ['failed'] });
	const ignored = { status: 200, body: { ok: true, result: 'ignored' } };
	expect(await platform.deliver(event())).toEqual(ignored);
	expect(await platform.deliver([])).toEqual(ignored);
	expect(platform.host.executions).toEqual([]);
});

test('The trigger outputs and counts only the matching events of a list', async () => {
	await start({ events: ['failed'] });
	const payload = ['queued', 'failed', 'published'].map((status) => ({ event_id: status, status }));
	expect(await platform.deliver(payload)).toMatchObject({
		body: { ok: true, result: 'accepted', events: 1 },
	});
	expect(platform.items()).toMatchObject([{ status: 'failed', event_id: 'failed' }]);
});

test('An ignored event is accepted after the filter was changed', async () => {
	await start({ events: ['failed'] });
	const payload = event();
	await platform.deliver(payload);
	platform.host.node.parameters.events = ['published'];
	expect(await platform.deliver(payload)).toMatchObject({ body: { result: 'accepted' } });
});
