import { useEmulator } from './test-client';

const PATH = '/api/v1/socialPostCreatePhoto';

describe('Create a post on the emulator', () => {
	const platform = useEmulator();

	it('returns unique numbers, which no double can represent, as integers', async () => {
		const token = await platform.client.token();
		for (const id of ['9007199254740993', '9007199254740995']) {
			const { text, json } = await platform.client.createPost({ text: 'hi' }, token);
			expect(text).toContain(`"social_post_id":${id},`);
			expect(json.data).toMatchObject({ status: 'processing', platform: 'PHOTO' });
		}
		expect(new Set(platform.emulator.posts.map(({ action_sn }) => action_sn)).size).toBe(2);
	});

	it('accepts the token only in X-Legacy-Token', async () => {
		const bearer = { authorization: `Bearer ${await platform.client.token()}` };
		expect((await platform.client.send('POST', PATH, {}, bearer)).json.code).toBe(10103);
		expect((await platform.client.createPost({}, 'made.up.token')).json.code).toBe(10104);
		expect(platform.emulator.posts).toHaveLength(0);
	});

	it.each([
		['social_account_id', { social_account_id: 'a'.repeat(129) }],
		['post_date', { post_date: '2030-01-01T10:00:00' }],
		['text', { text: null }],
		['media_urls', { media_urls: 'https://a.example/1.jpg' }],
		['media_urls.1', { media_urls: ['https://a.example/1.jpg', 'not a url'] }],
		['exclusive', { exclusive: [] }],
		['exclusive.share_to_feed', { exclusive: { share_to_feed: 'true' } }],
		['exclusive.thumbnail_offset', { exclusive: { thumbnail_offset: -1 } }],
	])('refuses an invalid %s and names the field', async (field, body) => {
		const { status, json } = await platform.client.createPost(body);
		expect(status).toBe(200);
		expect(json).toMatchObject({ success: false, code: 2150 });
		expect(json.message).toContain(`${field} `);
		expect(platform.emulator.posts).toHaveLength(0);
	});

	it('counts lengths in code points, and accepts unknown fields', async () => {
		const body = { title: '😀'.repeat(255), cover_url: 7, exclusive: { new_option: [1] } };
		await platform.client.createPost(body);
		expect(platform.emulator.posts).toMatchObject([{ request: body }]);
	});

	it('returns code 2000 for a wrong method, and HTTP 404 for an unknown path', async () => {
		const { client } = platform;
		expect(await client.send('GET', PATH)).toMatchObject({ status: 200, json: { code: 2000 } });
		expect((await client.send('POST', '/api/v1/socialPostCreateVideo', {})).status).toBe(404);
	});

	it('publishes the post at its date', async () => {
		const { client, emulator } = platform;
		const inAnHour = new Date(Date.now() + 3_600_000 + 2 * 3_600_000);
		const post_date = inAnHour.toISOString().replace('Z', '+02:00');
		await client.createPost({ post_date });
		await emulator.advance(3_590);
		expect(emulator.posts[0]?.status).toBe('queued');
		await emulator.advance(14);
		const statuses = emulator.posts[0]?.history.map(({ status }) => status);
		expect(statuses).toEqual(['queued', 'processing', 'published']);
	});

	it('lets the post fail with a message when its text or media request it', async () => {
		const { client, emulator } = platform;
		await client.createPost({ text: 'this one #emulator-fail' });
		await client.createPost({ media_urls: ['https://a.example/fail/1.jpg'] });
		await client.createPost({ media_urls: ['https://a.example/1.jpg?x=/fail'] });
		await emulator.advance(10);
		expect(emulator.posts.map(({ status }) => status)).toEqual(['failed', 'failed', 'published']);
		expect(emulator.posts[0]?.message).toMatch(/rejected the media/);
	});
});
