import { setTimeout as sleep } from 'node:timers/promises';
import { readEvents } from '../../../nodes/SocialOpenPlatform/webhook/signature/event';
import { pass, stopClock } from '../harness/clock';
import { event, useTrigger } from '../harness/triggerPlatform';

const HOUR_MS = 3_600_000;
const accepted = { status: 200, body: { ok: true, result: 'accepted', events: 1 } };
const duplicate = { status: 200, body: { ok: true, result: 'duplicate' } };

const platform = useTrigger({ events: ['*'] });

describe('Duplicates', () => {
	test('start the workflow only once', async () => {
		const payload = event();
		expect(await platform.deliver(payload)).toEqual(accepted);
		for (let i = 0; i < 3; i++) expect(await platform.deliver(payload)).toEqual(duplicate);
		expect(platform.host.executions).toHaveLength(1);
	});

	test('are recognized when they are signed again at another time', async () => {
		platform.credential.signatureRecipe = 'timestampBody';
		const payload = event();
		const sent = (secondsAgo: number) => ({
			recipe: 'timestampBody' as const,
			timestamp: Date.now() - secondsAgo * 1_000,
		});
		expect(await platform.deliver(payload, sent(60))).toEqual(accepted);
		expect(await platform.deliver(payload, sent(0))).toEqual(duplicate);
	});

	test('are recognized by the delivery ID alone when it is signed', async () => {
		platform.credential.signatureRecipe = 'standardWebhooks';
		const payload = event();
		const as = (id: string) => ({ recipe: 'standardWebhooks' as const, id });
		expect(await platform.deliver(payload, as('m1'))).toEqual(accepted);
		expect(await platform.deliver(event(), as('m1'))).toEqual(duplicate);
		expect(await platform.deliver(payload, as('m2'))).toEqual(accepted);
	});

	test('are recognized by their fields with Sorted Fields, even if they are formatted differently', async () => {
		platform.credential.signatureRecipe = 'sortedFields';
		const options = { recipe: 'sortedFields' as const };
		expect(await platform.deliver('{"status":"failed","id":1}', options)).toEqual(accepted);
		expect(await platform.deliver('{ "id": 1, "status": "failed" }', options)).toEqual(duplicate);
		expect(await platform.deliver('{"status":"failed","id":2}', options)).toEqual(accepted);
	});

	test.each([[['*']], [['published', 'failed']]])(
		'include a repeated batch without event IDs when Events is %s',
		async (events) => {
			platform.host.node.parameters.events = events;
			const batch = (action_sn: string) =>
				['processing', 'published'].map((status) => ({ action_sn, status }));
			const other = { action_sn: 'SA3', status: 'failed' };
			for (const payload of [batch('SA1'), { id: 'd1', events: batch('SA2') }]) {
				expect(await platform.deliver(payload)).toMatchObject({ body: { result: 'accepted' } });
				expect(await platform.deliver(payload)).toEqual(duplicate);
				await platform.deliver(other);
				expect(await platform.deliver(payload)).toEqual(duplicate);
			}
		},
	);

	test('do not include a batch that an earlier filter has excluded in part', async () => {
		const batch = ['processing', 'published'].map((status) => ({ action_sn: 'SA1', status }));
		platform.host.node.parameters.events = ['published'];
		expect(await platform.deliver(batch)).toEqual(accepted);
		platform.host.node.parameters.events = ['*'];
		expect(await platform.deliver(batch)).toMatchObject({ body: { events: 2 } });
	});

	test('do not include a delivery with another body', async () => {
		expect(await platform.deliver({ id: 'a' })).toEqual(accepted);
		expect(await platform.deliver({ id: 'b' })).toEqual(accepted);
	});

	test('are refused when their signature is wrong', async () => {
		const payload = event();
		await platform.deliver(payload);
		expect(await platform.deliver(payload, { secret: 'x' })).toMatchObject({ status: 401 });
	});

	test('are not shared with another trigger that uses the same credential', async () => {
		const other = await platform.another();
		const payload = event();
		expect(await platform.deliver(payload)).toEqual(accepted);
		expect(await platform.deliver(payload, { url: other.url })).toEqual(accepted);
		expect(await platform.deliver(payload, { url: other.url })).toEqual(duplicate);
		expect([platform.host.executions, other.executions]).toMatchObject([[{}], [{}]]);
	});

	test('are not shared with another trigger of the same workflow', async () => {
		const payload = event();
		expect(await platform.deliver(payload)).toEqual(accepted);
		platform.host.node.id = 'node-2';
		expect(await platform.deliver(payload)).toEqual(accepted);
	});
});

// The tests move `Date` forward instead of waiting for hours.
describe('Duplicate Window', () => {
	test.each([
		['24 hours by default', {}, 24],
		['as long as the option sets', { duplicateWindow: 1 }, 1],
		['a fraction of an hour', { duplicateWindow: 0.5 }, 0.5],
	])('lasts %s', async (_, options, hours) => {
		stopClock();
		platform.host.node.parameters = { options };
		const payload = event();
		expect(await platform.deliver(payload)).toEqual(accepted);
		pass(hours * HOUR_MS - 1);
		expect(await platform.deliver(payload)).toEqual(duplicate);
		pass(1);
		expect(await platform.deliver(payload)).toEqual(accepted);
		expect(await platform.deliver(payload)).toEqual(duplicate);
		expect(platform.host.executions).toHaveLength(2);
	});

	test('accepts every duplicate when it is 0', async () => {
		platform.host.node.parameters = { options: { duplicateWindow: 0 } };
		const payload = event();
		for (let i = 0; i < 3; i++) expect(await platform.deliver(payload)).toEqual(accepted);
		expect(platform.host.executions).toHaveLength(3);
	});
});

describe('Status changes', () => {
	const post = (status: string, more: object = {}) => ({ action_sn: 'SA1', status, ...more });
	const statuses = [
		...['processing', 'retrying', 'processing', 'failed', 'processing', 'failed'],
		...['published', 'deleted', 'published'],
	];
	const arrived = () => platform.items().map(({ status }) => status);

	test('start the workflow each time when events have no ID', async () => {
		for (const status of statuses) expect(await platform.deliver(post(status))).toEqual(accepted);
		expect(arrived()).toEqual(statuses);
	});

	test('start the workflow each time when the ID is that of the post', async () => {
		for (const status of statuses) {
			expect(await platform.deliver(post(status, { id: 10086 }))).toEqual(accepted);
		}
		expect(arrived()).toEqual(statuses);
	});

	test('include changes to a status that starts no workflow', async () => {
		platform.host.node.parameters.events = ['failed'];
		for (const id of [{}, { id: 7 }]) {
			expect(await platform.deliver(post('failed', id))).toEqual(accepted);
			expect(await platform.deliver(post('retrying', id))).toMatchObject({
				body: { result: 'ignored' },
			});
			expect(await platform.deliver(post('failed', id))).toEqual(accepted);
			expect(await platform.deliver(post('failed', id))).toEqual(duplicate);
		}
	});

	test('are detected when only some events contain the ID of the post', async () => {
		const published = { action_sn: 'SA1', status: 'published' };
		const failed = { action_sn: 'SA1', social_post_id: 7, status: 'failed' };
		for (const payload of [published, failed, published]) {
			expect(await platform.deliver(payload)).toEqual(accepted);
			expect(await platform.deliver(payload)).toEqual(duplicate);
		}
	});

	test('start the workflow while another status is being stored', async () => {
		let stored = 0;
		platform.host.storing = async () => await sleep(300 - 100 * stored++);
		const sent = ['published', 'deleted'].map(async (status, index) => {
			await sleep(60 * index);
			return await platform.deliver(post(status));
		});
		expect(await Promise.all(sent)).toEqual([accepted, accepted]);
		expect(await platform.deliver(post('published'))).toEqual(accepted);
		expect(arrived().sort()).toEqual(['deleted', 'published', 'published']);
	});

	test('start the workflow when they are redelivered because n8n could not store them', async () => {
		expect(await platform.deliver(post('published'))).toEqual(accepted);
		platform.host.storing = () => Promise.reject(new Error('The database is not available'));
		expect(await platform.deliver(post('deleted'))).toMatchObject({ status: 500 });
		platform.host.storing = () => {};
		expect(await platform.deliver(post('deleted'))).toEqual(accepted);
		expect(await platform.deliver(post('published'))).toEqual(accepted);
	});

	test('are detected within a single delivery', async () => {
		const list = ['processing', 'retrying', 'processing'].map((status) => post(status));
		expect(await platform.deliver(list)).toMatchObject({ body: { result: 'accepted', events: 3 } });
		expect(await platform.deliver([post('processing')])).toEqual(duplicate);
	});

	test('start the workflow when the signed ID stays the same', async () => {
		platform.credential.signatureRecipe = 'standardWebhooks';
		const options = { recipe: 'standardWebhooks' as const, id: 'm1' };
		expect(await platform.deliver(post('failed'), options)).toEqual(accepted);
		expect(await platform.deliver(post('failed', { attempt: 2 }), options)).toEqual(duplicate);
		expect(await platform.deliver(post('published'), options)).toEqual(accepted);
	});

	test('are detected when the content changes and the status is unreadable', async () => {
		const state = (name: string) => ({ id: 7, action_sn: 'SA1', state: name });
		for (const name of ['a', 'b', 'a']) {
			expect(await platform.deliver(state(name))).toEqual(accepted);
			expect(await platform.deliver(state(name))).toEqual(duplicate);
		}
	});

	test('do not affect the duplicates of other posts', async () => {
		expect(await platform.deliver(post('failed'))).toEqual(accepted);
		expect(await platform.deliver({ action_sn: 'SA2', status: 'published' })).toEqual(accepted);
		expect(await platform.deliver(post('failed'))).toEqual(duplicate);
	});
});

describe('The ID of an event', () => {
	const one = (more: object = {}) => ({
		event_id: 'e1',
		action_sn: 'SA1',
		status: 'failed',
		...more,
	});

	test('identifies a duplicate with other content', async () => {
		expect(await platform.deliver(one({ attempt: 1 }))).toEqual(accepted);
		expect(await platform.deliver(one({ attempt: 2 }))).toEqual(duplicate);
		expect(await platform.deliver({ data: one(), attempt: 3 })).toEqual(duplicate);
	});

	test('identifies a late duplicate of an earlier status', async () => {
		const published = { event_id: 'e2', action_sn: 'SA1', status: 'published' };
		expect(await platform.deliver(one())).toEqual(accepted);
		expect(await platform.deliver(published)).toEqual(accepted);
		expect(await platform.deliver(one())).toEqual(duplicate);
		expect(await platform.deliver(published)).toEqual(duplicate);
	});

	test('identifies events in another batch', async () => {
		const events = ['a', 'b', 'c'].map((id) => ({ ...one(), event_id: id }));
		const [a, b, c] = events;
		expect(await platform.deliver([a, b])).toMatchObject({ body: { events: 2 } });
		expect(await platform.deliver([c, b])).toMatchObject({ body: { events: 1 } });
		expect(await platform.deliver({ events: [b, a, c] })).toEqual(duplicate);
		expect(await platform.deliver(a)).toEqual(duplicate);
		expect(platform.items().map(({ event_id }) => event_id)).toEqual(['a', 'b', 'c']);
	});

	test('is not taken from the field id when there is no post', async () => {
		for (const work of [1, 2]) {
			expect(await platform.deliver({ id: 5, work, status: 'failed' })).toEqual(accepted);
			expect(await platform.deliver({ id: 5, work, status: 'failed' })).toEqual(duplicate);
		}
	});

	test('is separate for each post', async () => {
		expect(await platform.deliver(one())).toEqual(accepted);
		expect(await platform.deliver(one({ action_sn: 'SA2' }))).toEqual(accepted);
	});
});

describe('The content of an event', () => {
	test('identifies events without an ID in another batch', async () => {
		const [a, b, c] = ['SA1', 'SA2', 'SA3'].map((action_sn) => ({ action_sn, status: 'failed' }));
		expect(await platform.deliver([a, b])).toMatchObject({ body: { events: 2 } });
		expect(await platform.deliver([b, c])).toMatchObject({ body: { events: 1 } });
		expect(await platform.deliver({ data: [c, a] })).toEqual(duplicate);
		expect(await platform.deliver(b)).toEqual(duplicate);
	});

	test('differs for another account', async () => {
		const events = [{ status: 'failed' }];
		expect(await platform.deliver({ social_account_id: 1, events })).toEqual(accepted);
		expect(await platform.deliver({ social_account_id: 2, events })).toEqual(accepted);
	});

	test('is the same for all formats that have the same Sorted Fields signature', async () => {
		platform.credential.signatureRecipe = 'sortedFields';
		const options = { recipe: 'sortedFields' as const };
		const own = '{"action_sn":"SA1","id":1,"data":{"status":"failed","tags":["x"],"ok":true}}';
		expect(await platform.deliver(own, options)).toEqual(accepted);
		const { headers } = platform.emulator.deliveries.at(-1)!;
		for (const spelled of [
			'{"id":"1","action_sn":"SA1","data":{"status":"failed","tags":["x"],"ok":true}}',
			'{"action_sn":"SA1","id":1,"data":{"status":"failed","tags":["x"],"ok":1}}',
			'{"action_sn":"SA1","id":1,"data":{"status":"failed","tags":{"0":"x"},"ok":"1"},"a":null}',
			'{"action_sn":"SA1","id":1,"events":[{}],"data":{"status":"failed","tags":["x"],"ok":true}}',
		]) {
			expect(await platform.deliver(spelled, { ...options, headers })).toEqual(duplicate);
		}
	});
});

test('IDs of any length have an identity of limited length', () => {
	const id = 'i'.repeat(1_000);
	const payload = { event_id: id, action_sn: id, status: id };
	for (const signedId of [id, undefined]) {
		const [long] = readEvents(payload, signedId, new Date())!;
		expect((long!.subject + long!.state).length).toBeLessThan(300);
	}
});
