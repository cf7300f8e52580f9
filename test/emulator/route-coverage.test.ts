import { ROUTES, startEmulator, type Emulator, type RouteName } from './index';
import { emulatorAroundTests } from './around-tests';
import { TestClient } from './test-client';
import { webhookReceiver } from './webhook-receiver';

let emulator: Emulator;
let client: TestClient;

const ok = { status: 200, json: { ok: true } };

/** A test for each route, which calls it over HTTP. */
const COVERAGE: Record<RouteName, () => Promise<void>> = {
	getAccessToken: async () => {
		expect(await client.token()).toMatch(/^ey/);
	},
	createPost: async () => {
		expect((await client.createPost({})).json.success).toBe(true);
	},
	ping: async () => {
		const token = await client.token();
		const ping = async (headers: Record<string, string>) =>
			(await client.send('GET', '/api/v1/ping', undefined, headers)).json;
		expect(await ping({ authorization: `Bearer ${token}` })).toMatchObject({
			success: true,
			data: { app_id: 'demo_app' },
		});
		expect(await ping({ 'x-legacy-token': token })).toMatchObject({ success: false, code: 10103 });
	},
	chatCompletions: async () => {
		const messages = [{ role: 'user', content: 'x' }];
		expect((await client.chat('/v1/chat/completions', { messages })).status).toBe(200);
	},
	responses: async () => {
		expect((await client.chat('/v1/responses', { input: 'x' })).status).toBe(200);
	},
	state: async () => {
		const token = await client.token();
		await client.createPost({ text: 'hi' }, token);
		const { json, text } = await client.control('GET', 'state');
		expect(json).toMatchObject({
			posts: [{ status: 'processing' }],
			tokens: [{ state: 'valid' }],
			deliveries: [],
			counts: { received: 2, byOperation: { createPost: 1 }, byStatus: { 200: 2 } },
			connections: {
				total: expect.any(Number),
				peak: expect.any(Number),
				open: expect.any(Number),
			},
		});
		expect(text).not.toContain(token);
		expect(text).not.toContain(emulator.appSecret);
	},
	received: async () => {
		await client.createPost({ text: 'hi' });
		const { json } = await client.control('GET', 'received');
		expect(json).toHaveLength(2);
		expect(json[1]).toMatchObject({ operation: 'createPost', body: { text: 'hi' } });
		expect(json[1].headers['x-legacy-token']).toMatch(/^ey/);
	},
	secrets: async () => {
		const before = await client.token();
		emulator.reset();
		const { json } = await client.control('GET', 'secrets');
		expect(json.appSecret).toBe(emulator.appSecret);
		expect(json.tokens).toContain(before);
	},
	addFaults: async () => {
		const faults = [{ kind: 'html' }, { kind: 'refused', times: 'Infinity' }];
		expect(await client.control('POST', 'faults', faults)).toMatchObject(ok);
		expect((await client.createPost({})).json).toBeUndefined();
		for (let n = 0; n < 3; n++) expect((await client.createPost({})).json.success).toBe(false);
		const wrong = await client.control('POST', 'faults', { kind: 'nope' });
		expect(wrong).toMatchObject({
			status: 400,
			json: { ok: false, error: "No such fault: 'nope'" },
		});
	},
	clearFaults: async () => {
		emulator.fault({ kind: 'html' });
		expect(await client.control('DELETE', 'faults')).toMatchObject(ok);
		expect((await client.createPost({})).json.success).toBe(true);
	},
	settings: async () => {
		const change = { latencyMs: 40, requestsPerSecond: 1 };
		expect(await client.control('POST', 'settings', change)).toMatchObject(ok);
		const token = await client.token();
		const started = Date.now();
		const statuses = async () => [
			(await client.createPost({}, token)).status,
			(await client.createPost({}, token)).status,
		];
		expect(await statuses()).toEqual([200, 429]);
		expect(Date.now() - started).toBeGreaterThanOrEqual(75);
		await client.control('POST', 'settings', { requestsPerSecond: null, latencyMs: 0 });
		expect(await statuses()).toEqual([200, 200]);
		const wrong = await client.control('POST', 'settings', { requestsPerSecond: 0 });
		expect(wrong).toMatchObject({
			status: 400,
			json: { error: "'requestsPerSecond' is not a number >= 1: 0" },
		});
		const unknownSetting = await client.control('POST', 'settings', { appSecret: 'mine' });
		expect(unknownSetting.json.error).toContain("'appSecret' cannot be changed");
	},
	reset: async () => {
		await client.createPost({});
		const { received, posts } = emulator;
		const { size } = emulator.addresses;
		expect(await client.control('POST', 'reset')).toMatchObject(ok);
		expect(emulator.addresses.size).toBe(size);
		expect([received.length, posts.length, emulator.tokens.length]).toEqual([0, 0, 0]);
		await client.createPost({});
		expect([received.length, posts.length]).toEqual([2, 1]);
		expect(emulator.addresses).toContain(received[0]!.path);
	},
	advance: async () => {
		await client.createPost({});
		expect(await client.control('POST', 'advance', { seconds: 3 })).toMatchObject(ok);
		expect(emulator.posts[0]?.status).toBe('published');
		expect((await client.control('POST', 'advance', { seconds: 'x' })).status).toBe(400);
	},
	setWebhook: async () => {
		const hook = await webhookReceiver();
		const recipe = { preset: 'timestampBody', text: 'base64' };
		expect(await client.control('POST', 'webhook', { url: hook.url, recipe })).toMatchObject(ok);
		await client.createPost({});
		await emulator.advance(3);
		expect(hook.received[0]?.headers['x-webhook-timestamp']).toMatch(/^\d{10}$/);
		await client.control('POST', 'webhook', { url: null });
		await client.createPost({});
		await emulator.advance(3);
		expect(hook.received).toHaveLength(1);
		await hook.close();
	},
	deliver: async () => {
		const hook = await webhookReceiver();
		const event = {
			event: { event: 'post.published', id: 'evt_1' },
			url: hook.url,
			recipe: 'bodySha512',
		};
		const { json } = await client.control('POST', 'deliver', event);
		expect(json).toMatchObject({ id: 'evt_1', state: 'delivered', attempts: [{ status: 200 }] });
		await client.control('POST', 'deliver', { body: 'not json', url: hook.url });
		expect(hook.received.map(({ body }) => body)).toEqual([
			JSON.stringify(event.event),
			'not json',
		]);
		expect((await client.control('POST', 'deliver', {})).status).toBe(400);
		await hook.close();
	},
	expireTokens: async () => {
		const token = await client.token();
		expect(await client.control('POST', 'expire-tokens')).toMatchObject(ok);
		expect((await client.createPost({}, token)).json.code).toBe(1001);
	},
	revokeTokens: async () => {
		const token = await client.token();
		expect(await client.control('POST', 'revoke-tokens')).toMatchObject(ok);
		expect((await client.createPost({}, token)).json.code).toBe(10104);
	},
	chatScript: async () => {
		const call = { name: 'post', arguments: {} };
		const replies = [
			{ content: 'scripted', finish_reason: 'length', bodyHas: 'x' },
			{ refusal: 'not that', tool_calls: [call] },
		];
		const { json } = await client.control('POST', 'chat/script', replies);
		expect(json).toEqual({ ok: true, waiting: 2 });
		const nextReply = async () => (await client.chat('/v1/responses', { input: 'x' })).text;
		expect(await nextReply()).toMatch(/scripted.*"status":"incomplete"|"incomplete".*scripted/);
		expect(await nextReply()).toContain('not that');
		for (const wrong of [{}, ['text'], [{ text: 'x' }], [{ content: 1 }], [{ tool_calls: [{}] }]]) {
			const answer = await client.control('POST', 'chat/script', wrong);
			expect([wrong, answer.status]).toStrictEqual([wrong, 400]);
		}
		expect((await client.control('POST', 'chat/script', [])).json.waiting).toBe(0);
	},
	feed: async () => {
		const { text, headers } = await client.send('GET', '/');
		expect(text).toContain('<title>Feed');
		expect(headers['content-security-policy']).toContain("script-src 'self'");
	},
	pageFile: async () => {
		const style = await client.send('GET', '/page/feed.css');
		const script = await client.send('GET', '/page/feed.js');
		expect(style.headers['content-type']).toContain('text/css');
		expect(script.headers['content-type']).toContain('text/javascript');
		expect(script.text).not.toContain('innerHTML');
		expect((await client.send('GET', '/page/feed.html')).status).toBe(404);
	},
	media: async () => {
		const picture = await client.send('GET', '/media/terrace.jpg');
		expect(picture.headers['content-type']).toBe('image/png');
		expect(picture.text).toContain('PNG');
		expect((await client.send('GET', '/media/terrace.jpg')).text).toBe(picture.text);
		expect((await client.send('GET', '/media/harbour.svg')).text).not.toBe(picture.text);
	},
	fetched: async () => {
		const other = await startEmulator({ fetchMedia: true });
		const theirs = new TestClient(other);
		await theirs.createPost({ media_urls: [`${other.url}/media/lake.jpg`] });
		await other.advance(3);
		const { file } = other.posts[0]!.media![0]!;
		const image = await theirs.send('GET', `/fetched/${file}`);
		expect(image.headers['content-type']).toBe('image/png');
		expect(image.text).toBe((await theirs.send('GET', '/media/lake.jpg')).text);
		expect((await theirs.send('GET', '/fetched/other.png')).status).toBe(404);
		await theirs.close();
		await other.stop();
	},
};

emulatorAroundTests((...started) => ([emulator, client] = started));

describe('The list of routes', () => {
	it('has a test for each route', () => {
		expect(Object.keys(COVERAGE).sort()).toEqual(Object.keys(ROUTES).sort());
	});

	it.each(Object.entries(COVERAGE))('contains %s, which works', async (_name, cover) => {
		await cover();
	});

	it('contains routes of the platform, and only their requests are recorded', async () => {
		for (const { method, path, kind } of Object.values(ROUTES)) {
			emulator.reset();
			await client.send(method, path.replace('{Name}', 'Photo').replace(':file', 'x.jpg'));
			expect([path, emulator.received.length]).toEqual([path, kind === 'platform' ? 1 : 0]);
		}
	});
});
