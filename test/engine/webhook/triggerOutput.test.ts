import { event, useTrigger } from '../harness/triggerPlatform';

const platform = useTrigger({ events: ['*'] });

/** Delivers a payload and returns the items that it started a workflow with. */
async function itemsOf(payload: object | string) {
	const before = platform.items().length;
	expect(await platform.deliver(payload)).toMatchObject({ status: 200 });
	return platform.items().slice(before);
}

describe('The output of the trigger', () => {
	test('contains the fields of the event and its payload', async () => {
		const payload = {
			event: 'post.published',
			id: 'evt_1',
			data: {
				action_sn: 'SA1',
				social_post_id: 10086,
				status: 'published',
				platform: 'PHOTO',
				social_account_id: 'acc_1',
				permalink: 'https://photo.example/p/1',
			},
		};
		const before = Date.now();
		const [item, ...more] = await itemsOf(payload);
		expect(more).toEqual([]);
		expect(item).toStrictEqual({
			event_id: 'evt_1',
			action_sn: 'SA1',
			social_post_id: 10086,
			status: 'published',
			platform: 'PHOTO',
			social_account_id: 'acc_1',
			outcome: 'published',
			final: true,
			received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
			payload,
		});
		const receivedAt = Date.parse(item!.received_at as string);
		expect(receivedAt).toBeGreaterThanOrEqual(before);
		expect(receivedAt).toBeLessThanOrEqual(Date.now());
	});

	test('contains the name of an account that the credential lists', async () => {
		const account = [
			{ name: ' Harbour ', id: ' acc_1' },
			{ name: 'Without ID', id: '' },
			{ name: 'Blog', id: '7' },
		];
		platform.credential.accounts = { account };
		const ids = ['acc_1', 7, 'acc_2', '', undefined];
		const items = await itemsOf(ids.map((id) => ({ status: 'failed', social_account_id: id })));
		expect(items.map((item) => item.social_account_name)).toStrictEqual([
			...['Harbour', 'Blog', undefined, undefined, undefined],
		]);
		expect(items.map((item) => 'social_account_name' in item)).toStrictEqual([
			...[true, true, false, false, false],
		]);
		expect(platform.store.reads).toBe(1);
	});

	test('contains fields of the top level, and null for missing fields', async () => {
		expect(await itemsOf({ status: 'queued', social_account_id: 7 })).toStrictEqual([
			{
				event_id: expect.stringMatching(/^content:[\w-]{22}$/),
				action_sn: null,
				social_post_id: null,
				status: 'queued',
				platform: null,
				social_account_id: '7',
				outcome: 'in_progress',
				final: false,
				received_at: expect.any(String),
				payload: { status: 'queued', social_account_id: 7 },
			},
		]);
	});

	test('contains no fields with the names of object properties', async () => {
		const data =
			'{"status":"failed","constructor":{},"toString":1,"__proto__":{"status":"published"}}';
		for (const payload of [data, `{"constructor":1,"data":${data}}`]) {
			expect(await itemsOf(payload)).toMatchObject([{ status: 'failed', outcome: 'failed' }]);
		}
	});

	test('contains one item when an event contains other lists or an empty list', async () => {
		const failed = { action_sn: 'SA1', status: 'failed' };
		for (const payload of [
			{ ...failed, data: [] },
			{ ...failed, events: [] },
			{ ...failed, events: ['post.failed'] },
			{ ...failed, data: ['https://photo.example/1.jpg'] },
			{ data: { ...failed, events: [] } },
			{ data: failed, events: [{ type: 'a' }, { type: 'b' }] },
		]) {
			expect(await itemsOf(payload)).toMatchObject([{ outcome: 'failed', payload }]);
		}
	});

	test('does not depend on an empty list next to the list of events', async () => {
		expect(await itemsOf({ data: [], events: [{ status: 'failed' }] })).toMatchObject([
			{ outcome: 'failed' },
		]);
	});

	test('contains every digit of a 64-bit ID', async () => {
		const payload = '{"id":9223372036854775807,"data":{"social_post_id":9007199254740993}}';
		expect(await itemsOf(payload)).toMatchObject([
			{
				event_id: '9223372036854775807',
				social_post_id: '9007199254740993',
				payload: { data: { social_post_id: '9007199254740993' } },
			},
		]);
	});

	test.each([
		['queued', 'in_progress', false],
		['submitting', 'in_progress', false],
		['accepted', 'in_progress', false],
		['processing', 'in_progress', false],
		['retrying', 'in_progress', false],
		['published', 'published', true],
		['failed', 'failed', true],
		['deleted', 'deleted', true],
	])(
		'has, for the status %s, the outcome %s and the value %s in final',
		async (status, outcome, final) => {
			expect(await itemsOf(event({ status }))).toMatchObject([{ status, outcome, final }]);
		},
	);

	test('contains the outcome unknown for an unlisted status', async () => {
		expect(await itemsOf(event({ status: 'vanished' }))).toMatchObject([
			{ status: 'vanished', outcome: 'unknown', final: false },
		]);
		expect(await itemsOf({ hello: 'world' })).toMatchObject([{ status: null, outcome: 'unknown' }]);
	});

	test('contains the outcome of a status in upper case', async () => {
		expect(await itemsOf(event({ status: 'PUBLISHED' }))).toMatchObject([
			{ status: 'PUBLISHED', outcome: 'published', final: true },
		]);
	});

	test.each([
		[{ status: 'published', data: { status: 'rejected' } }, 'rejected', 'unknown'],
		[{ status: 'ok', data: { status: 'failed' } }, 'failed', 'failed'],
		[{ status: 'failed', data: { status: 'ok' } }, 'ok', 'unknown'],
		[{ status: 200, data: { status: 'failed' } }, 'failed', 'failed'],
		[{ status: 'published', data: { status: { code: 7 } } }, null, 'unknown'],
		[{ status: 'published', data: {} }, 'published', 'published'],
		[{ status: 'published', data: { status: null } }, 'published', 'published'],
	])('contains the inner status of %j', async (payload, status, outcome) => {
		expect(await itemsOf({ action_sn: 'SA1', ...payload })).toMatchObject([{ status, outcome }]);
	});

	test('contains an item for each status, in a list or next to it', async () => {
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

	test('contains an item for a list entry without a status', async () => {
		const events = [{ status: 'failed' }, { action_sn: 'SA2' }];
		expect(await itemsOf({ events })).toMatchObject([
			{ outcome: 'failed' },
			{ action_sn: 'SA2', outcome: 'unknown' },
		]);
	});
});

describe('The reason of a failure', () => {
	const reasonsOf = async (payload: object) =>
		(await itemsOf(payload)).map(({ message }) => message);

	test.each(['error_message', 'fail_reason', 'reason', 'message', 'error'])(
		'is read from %s, in the data or at the top level',
		async (name) => {
			expect(await reasonsOf({ data: { status: 'failed', [name]: 'Too large' } })).toStrictEqual([
				'Too large',
			]);
			expect(await reasonsOf({ [name]: 'Too long', data: { status: 'failed' } })).toStrictEqual([
				'Too long',
			]);
		},
	);

	test('is also read for an unlisted status, but for no other status', async () => {
		expect(await reasonsOf(event({ status: 'vanished', reason: 'Gone' }))).toStrictEqual(['Gone']);
		expect(await reasonsOf(event({ status: 'published', message: 'OK' }))).toStrictEqual([
			undefined,
		]);
	});
});

describe('A list of events', () => {
	const list = [
		{ action_sn: 'SA1', status: 'published' },
		{ action_sn: 'SA2', status: 'failed', id: 'evt_b' },
	];

	test.each([
		['is the whole body', list],
		['is under data', { data: list }],
		['is under events', { events: list }],
		['is under events in data', { data: { events: list } }],
	])('becomes an item for each event when it %s', async (_, payload) => {
		const items = await itemsOf(payload);
		expect(items).toMatchObject([
			{ action_sn: 'SA1', outcome: 'published', payload: list[0] },
			{ action_sn: 'SA2', outcome: 'failed', payload: list[1], event_id: 'evt_b' },
		]);
		expect(items[0]!.event_id).toMatch(/^content:[\w-]{22}$/);
		expect(platform.host.responses.at(-1)!.body).toEqual({
			ok: true,
			result: 'accepted',
			events: 2,
		});
		expect(platform.host.executions).toHaveLength(1);
	});

	test('provides the platform and account of events without these fields', async () => {
		const payload = { platform: 'PHOTO', social_account_id: 'acc_1', events: list };
		expect(await itemsOf(payload)).toMatchObject([
			{ platform: 'PHOTO', social_account_id: 'acc_1' },
			{ platform: 'PHOTO', social_account_id: 'acc_1' },
		]);
	});
});

test('An event without an ID gets the signed ID of its delivery', async () => {
	platform.credential.signatureRecipe = 'standardWebhooks';
	const response = await platform.deliver(
		{ status: 'failed' },
		{ recipe: 'standardWebhooks', id: 'm1' },
	);
	expect(response).toMatchObject({ status: 200 });
	expect(platform.items()).toMatchObject([{ event_id: 'm1' }]);
});
