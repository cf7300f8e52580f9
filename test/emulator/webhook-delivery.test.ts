import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Emulator } from './index';
import { emulatorAroundTests } from './around-tests';
import type { TestClient } from './test-client';
import { webhookReceiver } from './webhook-receiver';

describe('Webhook deliveries', () => {
	let emulator: Emulator;
	let client: TestClient;
	let hook: Awaited<ReturnType<typeof webhookReceiver>>;

	const receive = async (...statuses: Array<number | 'hang'>) => {
		hook = await webhookReceiver(statuses);
		emulator.setWebhook(hook.url);
	};
	const publish = async () => {
		await client.createPost({ social_account_id: 'acc' });
		await emulator.advance(3);
		while (emulator.deliveries.some(({ state }) => state === 'pending')) await sleep(5);
	};

	emulatorAroundTests((...started) => ([emulator, client] = started), {
		webhookRetryDelaysMs: [5, 5],
	});
	afterEach(async () => await hook.close());

	it('report a status change, signed over the exact bytes that are sent', async () => {
		await receive();
		await publish();
		const [{ body, headers }] = hook.received as [(typeof hook.received)[0]];
		expect(body).toContain('"social_post_id":9007199254740993,');
		expect(JSON.parse(body)).toMatchObject({
			event: 'post.published',
			id: expect.stringMatching(/^evt_/),
			data: { status: 'published', platform: 'PHOTO', social_account_id: 'acc' },
		});
		const expected = createHmac('sha256', emulator.appSecret).update(body).digest('hex');
		expect(headers['x-webhook-signature']).toBe(expected);
	});

	it('are retried until they are accepted', async () => {
		await receive(500, 302);
		await publish();
		expect(emulator.deliveries).toMatchObject([
			{ state: 'delivered', attempts: [{ status: 500 }, { status: 302 }, { status: 200 }] },
		]);
		expect(new Set(hook.received.map(({ body }) => body)).size).toBe(1);
	});

	it('fail after the last retry', async () => {
		await receive('hang', 'hang', 500);
		await client.control('POST', 'webhook', { timeoutMs: 200 });
		await publish();
		const [{ state, attempts }] = emulator.deliveries as [(typeof emulator.deliveries)[0]];
		expect([state, attempts.map(({ status }) => status)]).toEqual(['failed', [null, null, 500]]);
		expect(attempts[0]?.error).toMatch(/timeout|aborted/i);
	});

	it('are repeated when responses are dropped', async () => {
		await receive();
		await client.control('POST', 'webhook', { dropEveryNth: 2 });
		await publish();
		await publish();
		expect(emulator.deliveries.flatMap(({ attempts }) => attempts)).toMatchObject([
			{ status: 200 },
			{ status: null, error: 'response dropped' },
			{ status: 200 },
		]);
	});
});
