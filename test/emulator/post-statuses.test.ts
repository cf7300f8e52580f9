import { setTimeout as sleep } from 'node:timers/promises';
import { startEmulator, type Emulator } from './index';
import { TestClient } from './test-client';
import { webhookReceiver } from './webhook-receiver';

describe('The status of a post', () => {
	let emulator: Emulator;
	let client: TestClient;
	let hook: Awaited<ReturnType<typeof webhookReceiver>>;

	beforeEach(async () => {
		hook = await webhookReceiver();
		emulator = await startEmulator({ webhookUrl: hook.url });
		client = new TestClient(emulator);
	});
	afterEach(async () => {
		await client.close();
		await emulator.stop();
		await hook.close();
	});

	it('changes from processing to published, with a webhook for each change', async () => {
		await client.createPost({ social_account_id: 'acc', text: 'hi' });
		await emulator.advance(3);
		const [post] = emulator.posts;
		expect(post?.history.map(({ status }) => status)).toEqual(['processing', 'published']);
		expect(hook.received).toHaveLength(1);
		expect(hook.received[0]?.body).toContain('"social_post_id":9007199254740993,');
		expect(JSON.parse(hook.received[0]?.body ?? '')).toMatchObject({
			event: 'post.published',
			id: expect.stringMatching(/^evt_/),
			timestamp: expect.any(Number),
			data: {
				action_sn: post?.action_sn,
				status: 'published',
				platform: 'PHOTO',
				social_account_id: 'acc',
			},
		});
	});

	it('stays queued until the post date, in any format of the offset', async () => {
		const inAnHour = new Date(Date.now() + 3_600_000 + 2 * 3_600_000);
		const date = inAnHour.toISOString().replace('Z', '+02:00');
		const { json } = await client.createPost({ post_date: date });
		expect(json.data.status).toBe('queued');
		await emulator.advance(3_590);
		expect(emulator.posts[0]?.status).toBe('queued');
		await emulator.advance(11);
		expect(emulator.posts[0]?.status).toBe('processing');
		await emulator.advance(3);
		expect(emulator.posts[0]?.status).toBe('published');
		const events = hook.received.map(({ body }) => JSON.parse(body).event);
		expect(events).toEqual(['post.processing', 'post.published']);
	});

	it('is processing at once when the post date is in the past', async () => {
		const { json } = await client.createPost({ post_date: '2020-01-01T00:00:00Z' });
		expect(json.data.status).toBe('processing');
	});

	it('becomes failed with a message when text or media request it', async () => {
		await client.createPost({ text: 'this one #emulator-fail' });
		await client.createPost({ media_urls: ['https://a.example/fail/1.jpg'] });
		await client.createPost({ media_urls: ['https://a.example/1.jpg?x=/fail'] });
		await emulator.advance(10);
		expect(emulator.posts.map(({ status }) => status)).toEqual(['failed', 'failed', 'published']);
		expect(emulator.posts[0]?.message).toMatch(/rejected the media/);
		const failed = hook.received
			.map(({ body }) => JSON.parse(body))
			.find((e) => e.event === 'post.failed');
		expect(failed.data.message).toBe(emulator.posts[0]?.message);
	});

	it('changes with time, and faster with a faster clock', async () => {
		const fast = await startEmulator({ clockSpeed: 100, publishAfterSeconds: 5 });
		const theirs = new TestClient(fast);
		await theirs.createPost({});
		while (fast.posts[0]?.status !== 'published') await sleep(10);
		expect(fast.posts[0]?.status).toBe('published');
		await theirs.close();
		await fast.stop();
	});
});
