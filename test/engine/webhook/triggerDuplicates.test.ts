import { readEvents } from '../../../nodes/SocialOpenPlatform/webhook/signature/event';
import { pass, stopClock } from '../harness/clock';
import { accepted, duplicate, event, ignored, useTrigger } from '../harness/triggerPlatform';

const HOUR_MS = 3_600_000;

const platform = useTrigger({ events: ['*'] });

/** Expects that a delivery starts the workflow with this many events. */
async function accepts(payload: object | string, events = 1): Promise<void> {
	const body = { ok: true, result: 'accepted', events };
	expect(await platform.deliver(payload)).toEqual({ status: 200, body });
}

const repeats = async (payload: object | string) =>
	expect(await platform.deliver(payload)).toEqual(duplicate);

describe('A repeated delivery', () => {
	test('starts the workflow only once', async () => {
		const payload = event();
		await accepts(payload);
		for (let i = 0; i < 3; i++) await repeats(payload);
		expect(platform.host.executions).toHaveLength(1);
	});

	test('is recognized when it is a batch without event IDs, whatever arrives in between', async () => {
		platform.host.node.parameters.events = ['published', 'failed'];
		const batch = (action_sn: string) =>
			['processing', 'published'].map((status) => ({ action_sn, status }));
		for (const payload of [batch('SA1'), { id: 'd1', events: batch('SA2') }]) {
			await accepts(payload);
			await repeats(payload);
			await platform.deliver({ action_sn: 'SA3', status: 'failed' });
			await repeats(payload);
		}
	});

	test('starts the workflow when an earlier filter has excluded a part of it', async () => {
		const batch = ['processing', 'published'].map((status) => ({ action_sn: 'SA1', status }));
		platform.host.node.parameters.events = ['published'];
		await accepts(batch);
		platform.host.node.parameters.events = ['*'];
		await accepts(batch, 2);
	});

	test('starts the workflow of each trigger', async () => {
		const other = await platform.another();
		const payload = event();
		await accepts(payload);
		expect(await platform.deliver(payload, { url: other.url })).toEqual(accepted);
		expect(await platform.deliver(payload, { url: other.url })).toEqual(duplicate);
		platform.host.node.id = 'node-2';
		await accepts(payload);
	});
});

describe('Duplicate Window', () => {
	test.each([
		['24 hours by default', {}, 24],
		['as long as the option sets', { duplicateWindow: 0.5 }, 0.5],
	])('lasts %s', async (_, options, hours) => {
		stopClock();
		platform.host.node.parameters = { options };
		const payload = event();
		await accepts(payload);
		pass(hours * HOUR_MS - 1);
		await repeats(payload);
		pass(1);
		await accepts(payload);
		await repeats(payload);
	});

	test('accepts every repetition when it is 0', async () => {
		platform.host.node.parameters = { options: { duplicateWindow: 0 } };
		const payload = event();
		for (let i = 0; i < 3; i++) await accepts(payload);
		expect(platform.host.executions).toHaveLength(3);
	});
});

describe('A change of status', () => {
	const post = (status: string, more: object = {}) => ({ action_sn: 'SA1', status, ...more });

	test.each([
		['no ID', {}],
		['the ID of their post', { id: 10086 }],
	])('starts the workflow each time when events have %s', async (_, id) => {
		const statuses = [
			...['processing', 'retrying', 'processing', 'failed', 'processing', 'failed'],
			...['published', 'deleted', 'published'],
		];
		for (const status of statuses) await accepts(post(status, id));
		expect(platform.items().map(({ status }) => status)).toEqual(statuses);
	});

	test.each([{}, { id: 7 }])('may be to a status that starts no workflow: %j', async (id) => {
		platform.host.node.parameters.events = ['failed'];
		await accepts(post('failed', id));
		expect(await platform.deliver(post('retrying', id))).toEqual(ignored);
		await accepts(post('failed', id));
		await repeats(post('failed', id));
	});

	test('is detected when only some events contain the ID of the post', async () => {
		for (const payload of [
			...[post('published'), post('failed', { social_post_id: 7 }), post('published')],
			...['failed', 'deleted', 'failed'].map((status) => ({ social_post_id: 8, status })),
		]) {
			await accepts(payload);
			await repeats(payload);
		}
	});

	test('is detected within a single delivery', async () => {
		const list = ['processing', 'retrying', 'processing'].map((status) => post(status));
		await accepts(list, 3);
		await repeats([post('processing')]);
	});

	test('starts the workflow although the signed ID is the same', async () => {
		platform.credential.signatureRecipe = 'standardWebhooks';
		const as = (id: string) => ({ recipe: 'standardWebhooks' as const, id });
		expect(await platform.deliver(post('failed'), as('m1'))).toEqual(accepted);
		expect(await platform.deliver(post('failed', { attempt: 2 }), as('m1'))).toEqual(duplicate);
		expect(await platform.deliver(post('published'), as('m1'))).toEqual(accepted);
		expect(await platform.deliver(post('published'), as('m2'))).toEqual(accepted);
	});

	test('is detected by the content when the status is unreadable', async () => {
		for (const state of ['a', 'b', 'a']) {
			const payload = { id: 7, action_sn: 'SA1', state };
			await accepts(payload);
			await repeats(payload);
		}
	});
});

describe('The ID of an event', () => {
	const one = (more: object = {}) => ({
		...{ event_id: 'e1', action_sn: 'SA1', status: 'failed' },
		...more,
	});

	test('identifies a duplicate with other content, but not of another post', async () => {
		await accepts(one({ attempt: 1 }));
		await repeats(one({ attempt: 2 }));
		await repeats({ data: one(), attempt: 3 });
		await accepts(one({ action_sn: 'SA2' }));
	});

	test('identifies events in another batch', async () => {
		const [a, b, c] = ['a', 'b', 'c'].map((event_id) => one({ event_id }));
		await accepts([a, b], 2);
		await accepts([c, b]);
		await repeats({ events: [b, a, c] });
		await repeats(a!);
		expect(platform.items().map(({ event_id }) => event_id)).toEqual(['a', 'b', 'c']);
	});

	test('is not taken from the field id when there is no post', async () => {
		for (const work of [1, 2]) {
			await accepts({ id: 5, work, status: 'failed' });
			await repeats({ id: 5, work, status: 'failed' });
		}
		await repeats({ id: 5, work: 1, status: 'failed' });
	});

	test('has an identity of limited length', () => {
		const id = 'i'.repeat(1_000);
		const payload = { event_id: id, action_sn: id, status: id };
		for (const signedId of [id, undefined]) {
			const [long] = readEvents(payload, signedId, new Date())!;
			expect((long!.subject + long!.state).length).toBeLessThan(300);
		}
	});
});

describe('The content of an event', () => {
	test('identifies events without an ID in another batch', async () => {
		const [a, b, c] = ['SA1', 'SA2', 'SA3'].map((action_sn) => ({ action_sn, status: 'failed' }));
		await accepts([a, b], 2);
		await accepts([b, c]);
		await repeats({ data: [c, a] });
		await repeats(b!);
	});

	test('differs for another account', async () => {
		const events = [{ status: 'failed' }];
		for (const social_account_id of [1, 2]) await accepts({ social_account_id, events });
	});

	test('is the same for all formats that have the same Sorted Fields signature', async () => {
		platform.credential.signatureRecipe = 'sortedFields';
		const options = { recipe: 'sortedFields' as const };
		const own = '{"action_sn":"SA1","id":1,"data":{"status":"failed","tags":["x"],"ok":true}}';
		expect(await platform.deliver(own, options)).toEqual(accepted);
		const { headers } = platform.emulator.deliveries.at(-1)!;
		for (const spelled of [
			'{ "id":"1","action_sn":"SA1","data":{"status":"failed","tags":["x"],"ok":true}}',
			'{"action_sn":"SA1","id":1,"data":{"status":"failed","tags":{"0":"x"},"ok":"1"},"a":null}',
			'{"action_sn":"SA1","id":1,"events":[{}],"data":{"status":"failed","tags":["x"],"ok":1}}',
		]) {
			expect(await platform.deliver(spelled, { ...options, headers })).toEqual(duplicate);
		}
		const other = own.replace('"id":1', '"id":2').replace('failed', 'published');
		expect(await platform.deliver(other, options)).toEqual(accepted);
	});
});
