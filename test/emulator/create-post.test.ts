import type { Emulator } from './index';
import { emulatorAroundTests } from './around-tests';
import type { TestClient } from './test-client';

const PATH = '/api/v1/socialPostCreatePhoto';

describe('Create a post', () => {
	let emulator: Emulator;
	let client: TestClient;
	let token: string;

	emulatorAroundTests((...started) => ([emulator, client] = started));
	beforeEach(async () => {
		token = await client.token();
	});

	it('returns an action number and a 64-bit post ID as an integer', async () => {
		const { text, json } = await client.createPost({ social_account_id: 'acc', text: 'hi' }, token);
		expect(text).toContain('"social_post_id":9007199254740993,');
		expect(json).toMatchObject({ success: true, code: 200 });
		expect(json.data).toMatchObject({ status: 'processing', platform: 'PHOTO' });
		expect(emulator.posts).toMatchObject([
			{ action_sn: json.data.action_sn, social_post_id: '9007199254740993', status: 'processing' },
		]);
	});

	it('gives every post unique IDs that a double cannot represent', async () => {
		for (let n = 0; n < 3; n++) await client.createPost({}, token);
		const ids = emulator.posts.map(({ social_post_id: id }) => id);
		expect(new Set(ids).size).toBe(3);
		expect(ids.filter((id) => String(Number(id)) === id)).toEqual([]);
		expect(new Set(emulator.posts.map(({ action_sn: sn }) => sn)).size).toBe(3);
	});

	it('accepts the token only in X-Legacy-Token', async () => {
		const bearer = { authorization: `Bearer ${token}` };
		expect((await client.send('POST', PATH, {}, bearer)).json.code).toBe(10103);
		expect((await client.send('POST', PATH, {})).json.code).toBe(10103);
		expect((await client.createPost({}, 'made.up.token')).json.code).toBe(10104);
		expect(emulator.posts).toHaveLength(0);
	});

	it.each([
		['social_account_id', { social_account_id: 'a'.repeat(129) }],
		['social_account_id', { social_account_id: 42 }],
		['post_date', { post_date: '2030-01-01 10:00:00' }],
		['post_date', { post_date: '2030-01-01T10:00:00' }],
		['title', { title: '字'.repeat(256) }],
		['type', { type: 'x'.repeat(65) }],
		['text', { text: null }],
		['media_urls', { media_urls: 'https://a.example/1.jpg' }],
		['media_urls.1', { media_urls: ['https://a.example/1.jpg', 'not a url'] }],
		['media_urls.0', { media_urls: [`https://a.example/${'x'.repeat(1000)}`] }],
		['thumbnail', { thumbnail: 7 }],
		['exclusive', { exclusive: [] }],
		['exclusive.share_to_feed', { exclusive: { share_to_feed: 'true' } }],
		['exclusive.thumbnail_offset', { exclusive: { thumbnail_offset: -1 } }],
		['exclusive.thumbnail_offset', { exclusive: { thumbnail_offset: 1.5 } }],
		['exclusive.collaborators', { exclusive: { collaborators: 'a,b' } }],
		['exclusive.collaborators.0', { exclusive: { collaborators: ['c'.repeat(129)] } }],
		['exclusive.location_id', { exclusive: { location_id: 'l'.repeat(129) } }],
		['exclusive.trial_params.0', { exclusive: { trial_params: ['MANUAL'] } }],
	])('refuses an invalid %s and names the field', async (field, body) => {
		const { status, json } = await client.createPost(body, token);
		expect(status).toBe(200);
		expect(json).toMatchObject({ success: false, code: 2150 });
		expect(json.message).toContain(`${field} `);
		expect(emulator.posts).toHaveLength(0);
	});

	it('counts lengths in code points and accepts values at each limit', async () => {
		const body = {
			social_account_id: 'a'.repeat(128),
			title: '😀'.repeat(255),
			media_urls: ['https://a.example/'.padEnd(1000, 'x')],
			exclusive: { thumbnail_offset: 0, collaborators: ['c'.repeat(128)], trial_params: [{}] },
		};
		expect((await client.createPost(body, token)).json.success).toBe(true);
	});

	it('accepts unknown fields and keeps the body unchanged', async () => {
		const body = { text: 'hi', cover_url: 7, exclusive: { new_option: [1] } };
		expect((await client.createPost(body, token)).json.success).toBe(true);
		expect(emulator.posts[0]?.request).toEqual(body);
	});

	it('refuses a body that is not JSON or has another content type', async () => {
		const headers = { 'x-legacy-token': token, 'content-type': 'text/plain' };
		expect((await client.send('POST', PATH, { text: 'hi' }, headers)).json.code).toBe(1002);
		expect((await client.createPost('{"text":', token)).json.code).toBe(1002);
	});

	it('returns code 2000 for a wrong method, and HTTP 404 with code 2100 for an unknown path', async () => {
		expect(await client.send('GET', PATH)).toMatchObject({ status: 200, json: { code: 2000 } });
		const unknown = await client.send('POST', '/api/v1/socialPostCreateVideo', {});
		expect(unknown).toMatchObject({ status: 404, json: { success: false, code: 2100 } });
	});

	it('records every request unchanged, with its socket', async () => {
		await client.send('POST', `${PATH}?trace=1`, '{"text": "hi"}', { 'X-Legacy-Token': token });
		const [, request] = emulator.received;
		expect(request).toMatchObject({
			id: 2,
			operation: 'createPost',
			method: 'POST',
			path: `${PATH}?trace=1`,
			rawBody: '{"text": "hi"}',
			body: { text: 'hi' },
			status: 200,
			tookEffect: true,
			connectionId: expect.any(Number),
		});
		expect(request?.headers['x-legacy-token']).toBe(token);
		expect(request?.headers['content-type']).toBe('application/json');
		expect(emulator.connections.total).toBeGreaterThanOrEqual(1);
	});
});
