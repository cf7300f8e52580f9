import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Emulator } from './index';
import { emulatorAroundTests } from './around-tests';
import type { TestClient } from './test-client';
import { webhookReceiver } from './webhook-receiver';

describe('Webhook deliveries', () => {
	let emulator: Emulator;
	let client: TestClient;
	const close: Array<() => Promise<void>> = [];

	const receiver = async (...statuses: Array<number | 'hang'>) => {
		const hook = await webhookReceiver(statuses);
		close.push(hook.close);
		return hook;
	};
	const settled = async () => {
		while (emulator.deliveries.some(({ state }) => state === 'pending')) await sleep(5);
	};

	emulatorAroundTests((...started) => ([emulator, client] = started), {
		webhookRetryDelaysMs: [5, 5],
	});
	afterEach(async () => {
		await Promise.all(close.splice(0).map(async (end) => await end()));
	});

	it('are signed over the exact bytes that are sent', async () => {
		const hook = await receiver();
		emulator.setWebhook(hook.url);
		const raw =
			'{ "event":"post.published",  "data":{"note":"发布成功","social_post_id":9007199254740993} }';
		const delivery = await emulator.deliver(raw);
		expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] });
		const expected = createHmac('sha256', emulator.appSecret).update(raw).digest('hex');
		expect(hook.received).toMatchObject([
			{ body: raw, headers: { 'x-webhook-signature': expected } },
		]);
	});

	it('are signed with Sorted Fields over all digits of a 64-bit ID', async () => {
		const hook = await receiver();
		emulator.setWebhook(hook.url, 'sortedFields');
		await emulator.deliver('{"id":9007199254740993}');
		await emulator.deliver('{"id":9007199254740992}');
		const [one, two] = hook.received.map(({ headers }) => headers['x-webhook-signature']);
		expect(one).toMatch(/^[0-9a-f]{32}$/);
		expect(one).not.toBe(two);
	});

	it('contain timestamp and ID with the recipes that sign them', async () => {
		const hook = await receiver();
		emulator.setWebhook(hook.url, 'standardWebhooks');
		await emulator.deliver({ event: 'x', id: 'evt_1' }, { timestamp: 1_700_000_000_123 });
		expect(hook.received[0]?.headers).toMatchObject({
			'x-webhook-id': 'evt_1',
			'x-webhook-timestamp': '1700000000',
			'x-webhook-signature': expect.stringMatching(/^v1,.{43}=$/),
		});
	});

	it('can have an invalid signature', async () => {
		const hook = await receiver();
		await emulator.deliver({ a: 1 }, { url: hook.url, secret: 'another' });
		await emulator.deliver(
			{ a: 1 },
			{ url: hook.url, headers: { 'X-Webhook-Signature': undefined } },
		);
		const [wrong, missing] = hook.received.map(({ headers }) => headers['x-webhook-signature']);
		expect(wrong).toBe(createHmac('sha256', 'another').update('{"a":1}').digest('hex'));
		expect(missing).toBeUndefined();
	});

	it('of a status change are retried until they are accepted', async () => {
		const hook = await receiver(500, 302);
		emulator.setWebhook(hook.url);
		await client.createPost({});
		await emulator.advance(3);
		await settled();
		expect(emulator.deliveries).toMatchObject([
			{
				state: 'delivered',
				event: 'post.published',
				attempts: [{ status: 500 }, { status: 302 }, { status: 200 }],
			},
		]);
		expect(new Set(hook.received.map(({ body }) => body)).size).toBe(1);
	});

	it('fail after the last retry, or when the receiver does not respond', async () => {
		const hook = await receiver('hang', 'hang', 'hang');
		await client.control('POST', 'webhook', { url: hook.url, timeoutMs: 200 });
		await client.createPost({});
		await emulator.advance(3);
		await settled();
		const [delivery] = emulator.deliveries;
		expect(delivery).toMatchObject({
			state: 'failed',
			attempts: [{ status: null }, { status: null }, { status: null }],
		});
		expect(delivery?.attempts[0]?.error).toMatch(/timeout|aborted/i);
	});

	it('are repeated when responses are dropped', async () => {
		const hook = await receiver();
		await client.control('POST', 'webhook', { url: hook.url, dropEveryNth: 2 });
		await client.createPost({});
		await client.createPost({});
		await emulator.advance(3);
		await settled();
		expect(hook.received).toHaveLength(3);
		const again = emulator.deliveries.filter(({ attempts }) => attempts.length === 2);
		expect(again).toMatchObject([
			{ attempts: [{ status: null, error: 'response dropped' }, { status: 200 }] },
		]);
	});

	it('are rejected without a URL or with an unknown recipe', async () => {
		await expect(emulator.deliver({})).rejects.toThrow('No webhook URL is set');
		expect(() => emulator.setWebhook('http://127.0.0.1:1', 'nope' as 'body')).toThrow(
			'No such recipe',
		);
	});
});
