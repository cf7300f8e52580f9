import { createHmac } from 'node:crypto';
import { text } from 'node:stream/consumers';

import { loopback } from '../loopback';
import { useEmulator } from './test-client';

describe('Webhook deliveries of the emulator', () => {
	const platform = useEmulator({ webhookRetryDelaysMs: [5, 5] });
	const received: Array<{ headers: Record<string, unknown>; body: string }> = [];

	/** Publishes a post, whose webhook gets these responses and then HTTP 200. Returns the delivery. */
	const publish = async (...statuses: number[]) => {
		received.length = 0;
		const hook = await loopback((incoming, out) => {
			void text(incoming).then((body) => {
				received.push({ headers: incoming.headers, body });
				out.writeHead(statuses.shift() ?? 200).end();
			});
		});
		platform.emulator.setWebhook(hook.url);
		await platform.client.createPost({ social_account_id: 'acc' });
		await platform.emulator.advance(3);
		const [delivery] = platform.emulator.deliveries;
		while (delivery!.state === 'pending') await new Promise(setImmediate);
		await hook.stop();
		return delivery!;
	};

	it('report a status change, signed over the exact bytes that are sent', async () => {
		await publish();
		const [{ body, headers }] = received as [(typeof received)[0]];
		expect(body).toContain('"social_post_id":9007199254740993,');
		expect(JSON.parse(body)).toMatchObject({
			event: 'post.published',
			id: expect.stringMatching(/^evt_/),
			data: { status: 'published', platform: 'PHOTO', social_account_id: 'acc' },
		});
		const { appSecret } = platform.emulator;
		const expected = createHmac('sha256', appSecret).update(body).digest('hex');
		expect(headers['x-webhook-signature']).toBe(expected);
	});

	it('are retried until they are accepted, or fail after the last retry', async () => {
		const { state, attempts } = await publish(500, 302);
		expect([state, attempts.map(({ status }) => status)]).toEqual(['delivered', [500, 302, 200]]);
		expect(new Set(received.map(({ body }) => body)).size).toBe(1);
		platform.emulator.reset();
		expect((await publish(500, 500, 500)).state).toBe('failed');
	});
});
