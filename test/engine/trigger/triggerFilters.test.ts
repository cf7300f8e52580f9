import type { IDataObject } from 'n8n-workflow';
import { event, startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

const statuses = [
	...['queued', 'submitting', 'accepted', 'processing'],
	...['retrying', 'published', 'failed', 'deleted'],
];

let platform: TriggerPlatform;
const start = async (parameters: IDataObject) => {
	platform = await startTrigger(parameters);
};
afterEach(async () => await platform.stop());

/** Delivers one event of each status, and gives back those that started the workflow. */
async function started(of: string[] = statuses): Promise<unknown[]> {
	for (const status of of) {
		const told = await platform.deliver(event({ status }));
		expect(told).toMatchObject({ status: 200, body: { ok: true } });
	}
	return platform.items().map(({ status }) => status);
}

describe('Events', () => {
	test('lets every status through by default', async () => {
		await start({});
		expect(await started()).toEqual(statuses);
	});

	test('lets the chosen statuses through', async () => {
		await start({ events: ['failed', 'retrying'] });
		expect(await started([...statuses, 'FAILED'])).toEqual(['retrying', 'failed', 'FAILED']);
	});

	test('never holds back a status that is not listed, or none at all', async () => {
		await start({ events: ['published'], onlyFinalStatuses: true });
		expect(await started(['vanished', 'queued'])).toEqual(['vanished']);
		await platform.deliver({ id: 'evt_none' });
		expect(platform.items()).toHaveLength(2);
	});

	test('may come from an expression', async () => {
		await start({ events: "={{ ['deleted'] }}" });
		expect(await started()).toEqual(['deleted']);
	});
});

describe('Only Final Statuses', () => {
	test('leaves published, failed and deleted', async () => {
		await start({ onlyFinalStatuses: true });
		expect(await started()).toEqual(['published', 'failed', 'deleted']);
	});

	test('leaves of the chosen ones those that are final', async () => {
		await start({ events: ['queued', 'failed'], onlyFinalStatuses: true });
		expect(await started()).toEqual(['failed']);
	});
});

describe('Social Account IDs', () => {
	const accounts = async (...ids: unknown[]) => {
		for (const id of ids) await platform.deliver(event({ social_account_id: id as string }));
		return platform.items().map((item) => item.social_account_id);
	};

	test('lets only these accounts through, and events that name none', async () => {
		await start({ socialAccountIds: [' acc_1 ', '7'] });
		expect(await accounts('acc_1', 'acc_2', 7, ' acc_1 ', undefined)).toStrictEqual([
			...['acc_1', '7', ' acc_1 '],
			undefined,
		]);
	});

	test('may come as numbers from an expression', async () => {
		await start({ socialAccountIds: '={{ [7, 8] }}' });
		expect(await accounts(7, '8', 9)).toEqual(['7', '8']);
	});

	test('lets every account through when there is none, or only empty rows', async () => {
		await start({ socialAccountIds: ['', ' '] });
		expect(await accounts('acc_1', 'acc_2')).toEqual(['acc_1', 'acc_2']);
	});

	test('holds back also a status that is not listed', async () => {
		await start({ socialAccountIds: ['acc_1'] });
		await platform.deliver(event({ social_account_id: 'acc_2', status: 'vanished' }));
		expect(platform.items()).toEqual([]);
	});
});

test('What is held back is answered with 200 and starts nothing', async () => {
	await start({ events: ['failed'] });
	const ignored = { status: 200, body: { ok: true, result: 'ignored' } };
	expect(await platform.deliver(event())).toEqual(ignored);
	expect(await platform.deliver([])).toEqual(ignored);
	expect(platform.host.executions).toEqual([]);
});

test('Of a list, only what is wanted is given out and counted', async () => {
	await start({ events: ['failed'] });
	const payload = [{ status: 'queued' }, { status: 'failed' }, { status: 'published' }];
	expect(await platform.deliver(payload)).toMatchObject({
		body: { ok: true, result: 'accepted', events: 1 },
	});
	expect(platform.items()).toMatchObject([
		{ status: 'failed', event_id: expect.stringMatching(/#2$/) },
	]);
});

test('What was held back is let through once the trigger is told so', async () => {
	await start({ events: ['failed'] });
	const payload = event();
	await platform.deliver(payload);
	platform.host.node.parameters.events = ['published'];
	expect(await platform.deliver(payload)).toMatchObject({ body: { result: 'accepted' } });
});
