import { ROUTES, type Emulator, type RouteName } from './index';
import { emulatorAroundTests } from './around-tests';
import type { TestClient } from './test-client';
import { webhookReceiver } from './webhook-receiver';

let emulator: Emulator;
let client: TestClient;

const ok = { status: 200, json: { ok: true } };

const change = async (name: string, body?: unknown) =>
	expect(await client.control('POST', name, body)).toMatchObject(ok);
const refuses = async (name: string, body: unknown, error: unknown = expect.any(String)) =>
	expect(await client.control('POST', name, body)).toMatchObject({
		status: 400,
		json: { ok: false, error },
	});
const codeOf = async (token?: string) => (await client.createPost({}, token)).json?.code;

/** A test for each route, which calls it over HTTP. */
const COVERAGE: Record<RouteName, () => Promise<void>> = {
	getAccessToken: async () => expect(await client.token()).toMatch(/^ey/),
	createPost: async () => expect(await codeOf()).toBe(200),
	ping: async () => {
		const token = await client.token();
		const ping = async (headers: Record<string, string>) =>
			(await client.send('GET', '/api/v1/ping', undefined, headers)).json;
		const data = { app_id: 'demo_app' };
		expect(await ping({ authorization: `Bearer ${token}` })).toMatchObject({ data });
		expect(await ping({ 'x-legacy-token': token })).toMatchObject({ success: false, code: 10103 });
	},
	chatCompletions: async () => {
		const messages = [{ role: 'user', content: 'x' }];
		expect((await client.chat('/v1/chat/completions', { messages })).status).toBe(200);
	},
	responses: async () =>
		expect((await client.chat('/v1/responses', { input: 'x' })).status).toBe(200),
	state: async () => {
		const token = await client.token();
		await client.createPost({ text: 'hi' }, token);
		const { json, text } = await client.control('GET', 'state');
		expect(json).toMatchObject({
			posts: [{ status: 'processing' }],
			tokens: [{ state: 'valid' }],
			deliveries: [],
			counts: { received: 2, byOperation: { createPost: 1 }, byStatus: { 200: 2 } },
			connections: { total: expect.any(Number) },
		});
		expect(text).not.toContain(token);
		expect(text).not.toContain(emulator.appSecret);
	},
	received: async () => {
		const path = '/api/v1/socialPostCreatePhoto?trace=1';
		const rawBody = '{"text": "hi"}';
		const headers = { 'X-Legacy-Token': await client.token() };
		await client.send('POST', path, rawBody, headers);
		const { json } = await client.control('GET', 'received');
		expect(json).toHaveLength(2);
		expect(json[1]).toMatchObject({
			...{ id: 2, operation: 'createPost', method: 'POST', path, rawBody, body: { text: 'hi' } },
			...{ status: 200, tookEffect: true, connectionId: 1 },
			headers: { 'x-legacy-token': headers['X-Legacy-Token'] },
		});
	},
	secrets: async () => {
		const before = await client.token();
		emulator.reset();
		const { json } = await client.control('GET', 'secrets');
		expect(json.appSecret).toBe(emulator.appSecret);
		expect(json.tokens).toContain(before);
	},
	addFaults: async () => {
		await change('faults', [{ kind: 'html' }, { kind: 'refused', code: 7, times: 'Infinity' }]);
		expect([await codeOf(), await codeOf(), await codeOf()]).toEqual([undefined, 7, 7]);
		await refuses('faults', { kind: 'nope' }, "No such fault: 'nope'");
		await refuses('faults', { kind: 'html', rate: 2 }, expect.stringContaining("'rate'"));
		await refuses('faults', { oneOf: [] }, "'oneOf' is empty");
	},
	clearFaults: async () => {
		emulator.fault({ kind: 'html' });
		expect(await client.control('DELETE', 'faults')).toMatchObject(ok);
		expect(await codeOf()).toBe(200);
	},
	settings: async () => {
		await change('settings', { latencyMs: 40, requestsPerSecond: 1 });
		const token = await client.token();
		const started = Date.now();
		expect([await codeOf(token), await codeOf(token)]).toEqual([200, 429]);
		expect(Date.now() - started).toBeGreaterThanOrEqual(75);
		await change('settings', { requestsPerSecond: null, latencyMs: 0 });
		expect([await codeOf(token), await codeOf(token)]).toEqual([200, 200]);
		await refuses(
			'settings',
			{ requestsPerSecond: 0 },
			expect.stringContaining('requestsPerSecond'),
		);
		await refuses(
			'settings',
			{ chatAuthHeader: 'X Key' },
			expect.stringContaining('chatAuthHeader'),
		);
		await refuses('settings', { appSecret: 'mine' }, expect.stringContaining('appSecret'));
	},
	reset: async () => {
		await client.createPost({});
		emulator.adjust({ requestsPerSecond: 1 });
		const { received, posts } = emulator;
		await change('reset');
		expect([received.length, posts.length, emulator.tokens.length]).toEqual([0, 0, 0]);
		const token = await client.token();
		expect([await codeOf(token), await codeOf(token)]).toEqual([200, 200]);
		expect([received.length, posts.length]).toEqual([3, 2]);
	},
	advance: async () => {
		await client.createPost({});
		await change('advance', { seconds: 3 });
		expect(emulator.posts[0]?.status).toBe('published');
		await refuses('advance', { seconds: 'x' });
	},
	setWebhook: async () => {
		const hook = await webhookReceiver();
		const recipe = { preset: 'timestampBody', text: 'base64' };
		await change('webhook', { url: hook.url, recipe });
		await client.createPost({});
		await emulator.advance(3);
		expect(hook.received[0]?.headers['x-webhook-timestamp']).toMatch(/^\d{10}$/);
		await change('webhook', { url: null });
		await client.createPost({});
		await emulator.advance(3);
		expect(hook.received).toHaveLength(1);
		await refuses('webhook', { recipe: 'nope' }, expect.stringContaining('No such recipe'));
		await hook.close();
	},
	deliver: async () => {
		const hook = await webhookReceiver();
		const event = { event: 'post.published', id: 'evt_1' };
		const { json } = await client.control('POST', 'deliver', {
			...{ event, url: hook.url, recipe: 'standardWebhooks', timestamp: 1_700_000_000_123 },
		});
		expect(json).toMatchObject({ id: 'evt_1', state: 'delivered', attempts: [{ status: 200 }] });
		await client.control('POST', 'deliver', { body: 'not json', url: hook.url });
		expect(hook.received.map(({ body }) => body)).toEqual([JSON.stringify(event), 'not json']);
		expect(hook.received[0]?.headers).toMatchObject({
			'x-webhook-id': 'evt_1',
			'x-webhook-timestamp': '1700000000',
		});
		await refuses('deliver', {});
		await refuses('deliver', { event }, 'No webhook URL is set');
		await hook.close();
	},
	expireTokens: async () => {
		const token = await client.token();
		await change('expire-tokens');
		expect(await codeOf(token)).toBe(1001);
	},
	revokeTokens: async () => {
		const token = await client.token();
		await change('revoke-tokens');
		expect(await codeOf(token)).toBe(10104);
	},
	chatScript: async () => {
		const replies = [{ refusal: 'not that', bodyHas: 'x' }, {}];
		const { json } = await client.control('POST', 'chat/script', replies);
		expect(json).toEqual({ ok: true, waiting: 2 });
		expect((await client.chat('/v1/responses', { input: 'x' })).text).toContain('not that');
		for (const wrong of [{}, ['text'], [{ text: 'x' }], [{ tool_calls: [{}] }]]) {
			await refuses('chat/script', wrong);
		}
	},
	feed: async () => {
		const { text, headers } = await client.send('GET', '/');
		expect(text).toContain('<title>Feed');
		expect(headers['content-security-policy']).toContain("script-src 'self'");
	},
	pageFile: async () => {
		const script = await client.send('GET', '/page/feed.js');
		expect(script.headers['content-type']).toContain('text/javascript');
		expect((await client.send('GET', '/page/feed.html')).status).toBe(404);
	},
	media: async () => {
		const picture = await client.send('GET', '/media/terrace.jpg');
		expect(picture.headers['content-type']).toBe('image/png');
		expect((await client.send('GET', '/media/harbour.svg')).text).not.toBe(picture.text);
		expect((await client.send('GET', '/media/fails.jpg')).status).toBe(404);
	},
	fetched: async () => {
		await client.createPost({ media_urls: [`${emulator.url}/media/lake.jpg`] });
		await emulator.advance(3);
		const image = await client.send('GET', `/fetched/${emulator.posts[0]!.media![0]!.file}`);
		expect(image.headers['content-type']).toBe('image/png');
		expect(image.text).toBe((await client.send('GET', '/media/lake.jpg')).text);
		expect((await client.send('GET', '/fetched/other.png')).status).toBe(404);
	},
};

emulatorAroundTests((...started) => ([emulator, client] = started), { fetchMedia: true });

describe('The list of routes', () => {
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
