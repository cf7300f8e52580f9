import type { IDataObject } from 'n8n-workflow';
import schema from '../../../nodes/SocialOpenPlatform/__schema__/v2.0.0.json';
import { event, useTrigger } from '../harness/triggerPlatform';
import { withToken } from '../../storedToken';

const platform = useTrigger({ events: ['*'] });

/** Delivers a payload and returns the items that it started a workflow with. */
async function itemsOf(payload: object | string): Promise<IDataObject[]> {
	const before = platform.items().length;
	expect(await platform.deliver(payload)).toMatchObject({ status: 200 });
	return platform.items().slice(before);
}

describe('The output of the trigger', () => {
	test('contains the fields of the event, its payload and the time of its arrival', async () => {
		const data = {
			...{ action_sn: 'SA1', social_post_id: 10086, status: 'published', platform: 'PHOTO' },
			...{ social_account_id: 'acc_1', permalink: 'https://photo.example/p/1' },
		};
		const payload = { event: 'post.published', id: 'evt_1', data };
		const before = Date.now();
		const items = await itemsOf(payload);
		expect(items).toStrictEqual([
			{
				...{ event_id: 'evt_1', action_sn: 'SA1', social_post_id: 10086, status: 'published' },
				...{ platform: 'PHOTO', social_account_id: 'acc_1', outcome: 'published', final: true },
				received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
				payload,
			},
		]);
		const receivedAt = Date.parse(items[0]!.received_at as string);
		expect(receivedAt).toBeGreaterThanOrEqual(before);
		expect(receivedAt).toBeLessThanOrEqual(Date.now());
	});

	test('contains fields of the top level, and null for missing fields', async () => {
		expect(await itemsOf({ status: 'queued', social_account_id: 7 })).toStrictEqual([
			{
				event_id: expect.stringMatching(/^content:[\w-]{22}$/),
				...{ action_sn: null, social_post_id: null, status: 'queued', platform: null },
				...{ social_account_id: '7', outcome: 'in_progress', final: false },
				received_at: expect.any(String),
				payload: { status: 'queued', social_account_id: 7 },
			},
		]);
	});

	test('contains the name of an account that the credential lists, and then every field of its schema', async () => {
		const account = [
			{ name: ' Harbour ', id: ' acc_1' },
			{ name: 'Without ID', id: '' },
			{ name: 'Blog', id: '7' },
		];
		platform.credential.accounts = { account };
		const ids = ['acc_1', 7, 'acc_2', '', undefined];
		const failed = { status: 'failed', message: 'Too dark' };
		const items = await itemsOf(ids.map((id) => ({ ...failed, social_account_id: id })));
		const named = items.map((item) => ['social_account_name' in item, item.social_account_name]);
		const none = [false, undefined];
		expect(named).toStrictEqual([[true, 'Harbour'], [true, 'Blog'], none, none, none]);
		expect(Object.keys(items[0]!).sort()).toEqual(Object.keys(schema.properties).sort());
	});

	test.each([
		...['queued', 'submitting', 'accepted', 'processing', 'retrying'].map(
			(status) => [status, 'in_progress', false] as const,
		),
		...['published', 'failed', 'deleted'].map((status) => [status, status, true] as const),
		['PUBLISHED', 'published', true] as const,
		['vanished', 'unknown', false] as const,
	])(
		'has, for the status %s, the outcome %s and the value %s in final',
		async (status, outcome, final) => {
			expect(await itemsOf(event({ status }))).toMatchObject([{ status, outcome, final }]);
		},
	);

	test.each([
		[{ status: 'published', data: { status: 'rejected' } }, 'rejected', 'unknown'],
		[{ status: 200, data: { status: 'failed' } }, 'failed', 'failed'],
		[{ status: 'published', data: { status: { code: 7 } } }, null, 'unknown'],
		[{ status: 'published', data: { status: null } }, 'published', 'published'],
		[{ hello: 'world' }, null, 'unknown'],
	])('contains the inner status of %j', async (payload, status, outcome) => {
		expect(await itemsOf({ action_sn: 'SA1', ...payload })).toMatchObject([{ status, outcome }]);
	});

	test('contains the reason of a failure, in the data or at the top level', async () => {
		for (const name of ['error_message', 'fail_reason', 'reason', 'message', 'error']) {
			const inside = { data: { status: 'failed', [name]: 'Too large' } };
			expect(await itemsOf(inside)).toMatchObject([{ message: 'Too large' }]);
			const outside = { [name]: 'Too long', data: { status: 'vanished' } };
			expect(await itemsOf(outside)).toMatchObject([{ message: 'Too long' }]);
		}
		const blank = { status: 'failed', error_message: ' ', reason: ' Gone ' };
		expect(await itemsOf(blank)).toMatchObject([{ message: 'Gone' }]);
		const [published] = await itemsOf(event({ status: 'published', message: 'OK' }));
		expect(published).not.toHaveProperty('message');
	});

	test('contains the signed ID of a delivery as the ID of its events', async () => {
		platform.credential.signatureRecipe = 'standardWebhooks';
		const events = [{ status: 'failed' }, { status: 'published' }];
		await platform.deliver(events, { recipe: 'standardWebhooks', id: 'm1' });
		expect(platform.items().map((item) => item.event_id)).toEqual(['m1', 'm1#2']);
	});

	test('contains no secret', async () => {
		const { appSecret } = platform.emulator;
		withToken(platform.credential, 'token_0123456789');
		const payload = event({
			...{ status: 'failed', message: `not ${appSecret}`, token: 'token_0123456789' },
			...{ encoded: Buffer.from(appSecret).toString('base64'), [appSecret]: 'a key' },
		});
		await platform.deliver(payload);
		const [item] = platform.items();
		expect(item).toMatchObject({
			message: 'not [redacted]',
			payload: { data: { token: '[redacted]', encoded: '[redacted]', '[redacted]': 'a key' } },
		});
		expect(JSON.stringify(item)).not.toContain(appSecret);
	});
});

describe('A list of events', () => {
	const list = [
		{ action_sn: 'SA1', status: 'published' },
		{ action_sn: 'SA2', status: 'failed', id: 'evt_b' },
		{ action_sn: 'SA3' },
	];

	test.each([
		['is the whole body', list],
		['is under data', { data: list }],
		['is under events, next to an empty list', { data: [], events: list }],
		['is under events in data', { data: { events: list } }],
	])('becomes an item for each event when it %s', async (_, payload) => {
		const items = await itemsOf(payload);
		expect(items).toMatchObject([
			{ action_sn: 'SA1', outcome: 'published', payload: list[0] },
			{ action_sn: 'SA2', outcome: 'failed', payload: list[1], event_id: 'evt_b' },
			{ action_sn: 'SA3', outcome: 'unknown' },
		]);
		expect(platform.host.responses.at(-1)!.body).toEqual({
			...{ ok: true, result: 'accepted', events: 3 },
		});
		expect(platform.host.executions).toHaveLength(1);
	});

	test('provides the platform and account of events without these fields', async () => {
		const around = { platform: 'PHOTO', social_account_id: 'acc_1' };
		expect(await itemsOf({ ...around, events: list })).toMatchObject([around, around, around]);
	});

	test('is part of the payload of an event if no entry has a status', async () => {
		const failed = { action_sn: 'SA1', status: 'failed' };
		for (const payload of [
			{ ...failed, data: [] },
			{ ...failed, events: ['post.failed'] },
			{ data: failed, events: [{ type: 'a' }, { type: 'b' }] },
		]) {
			expect(await itemsOf(payload)).toMatchObject([{ outcome: 'failed', payload }]);
		}
	});

	test('may be next to a status of its own', async () => {
		platform.host.node.parameters = { events: ['failed'], options: { duplicateWindow: 0 } };
		const failures = [{ status: 'failed' }, { social_post_id: 2, status: 'failed' }];
		for (const payload of [
			{ action_sn: 'SA1', status: 'processing', data: failures },
			{ action_sn: 'SA1', status: 'ok', events: failures },
			{ data: { action_sn: 'SA1', status: 'processing', events: failures } },
		]) {
			expect(await itemsOf(payload)).toMatchObject([
				{ action_sn: 'SA1', social_post_id: null, outcome: 'failed' },
				{ action_sn: 'SA1', social_post_id: 2, outcome: 'failed' },
			]);
		}
		const around = { data: { action_sn: 'SA1', status: 'failed' }, events: [{ status: 'queued' }] };
		expect(await itemsOf(around)).toMatchObject([{ outcome: 'failed', payload: around }]);
	});
});
