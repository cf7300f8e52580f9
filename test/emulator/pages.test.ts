import { useEmulator } from './test-client';

describe('The emulator', () => {
	const platform = useEmulator({ fetchMedia: true });

	it('shows its posts on a page that runs only its own script', async () => {
		const { text, headers } = await platform.client.send('GET', '/');
		expect(text).toContain('<title>Feed');
		expect(headers.get('content-security-policy')).toContain("script-src 'self'");
		const script = await platform.client.send('GET', '/page/feed.js');
		expect(script.headers.get('content-type')).toContain('text/javascript');
		expect((await platform.client.send('GET', '/page/feed.html')).status).toBe(404);
	});

	it('gives the page its state without secrets', async () => {
		const { client, emulator } = platform;
		const token = await client.token();
		await client.createPost({ text: 'hi' }, token);
		const { json, text } = await client.send('GET', '/__emulator/state?x');
		expect(json).toMatchObject({
			...{ posts: [{ status: 'processing' }], deliveries: [] },
			requests: [{ operation: 'getAccessToken' }, { operation: 'createPost' }],
			counts: { received: 2, posts: 1, deliveries: 0 },
		});
		expect(text).not.toContain(token);
		expect(text).not.toContain(emulator.appSecret);
	});

	it('shows the images that it fetched for a post', async () => {
		const { client, emulator } = platform;
		await client.createPost({ media_urls: [`${emulator.url}/media/lake.jpg`] });
		await emulator.advance(3);
		const image = await client.send('GET', `/fetched/${emulator.posts[0]!.media![0]!.file}`);
		expect(image.headers.get('content-type')).toBe('image/png');
		expect((await client.send('GET', '/media/fails.jpg')).status).toBe(404);
	});

	it('records requests, keeps their addresses, and forgets the rest when it is reset', async () => {
		const { client, emulator } = platform;
		const path = '/api/v1/socialPostCreatePhoto?trace=1';
		const token = await client.token();
		await client.send('POST', path, '{"text": "hi"}', { 'X-Legacy-Token': token });
		const { json } = await client.send('GET', '/__emulator/received');
		expect(json[1]).toMatchObject({
			...{ id: 2, operation: 'createPost', path, rawBody: '{"text": "hi"}', status: 200 },
			...{ tookEffect: true, headers: { 'x-legacy-token': token } },
		});
		emulator.adjust({ requestsPerSecond: 0 });
		expect((await client.createPost({})).status).toBe(429);
		await client.send('POST', '/__emulator/reset');
		expect([emulator.received, emulator.posts, emulator.tokens]).toEqual([[], [], []]);
		expect([...emulator.addresses]).toContain(path);
		expect(emulator.issued.secrets()).toContain(token);
		expect((await client.createPost({})).status).toBe(200);
	});

	it('authorizes any other request by a bearer token', async () => {
		const token = await platform.client.token();
		const ping = async (headers: Record<string, string>) =>
			(await platform.client.send('GET', '/api/v1/ping', undefined, headers)).json;
		expect(await ping({ authorization: `Bearer ${token}` })).toMatchObject({ success: true });
		expect(await ping({ 'x-legacy-token': token })).toMatchObject({ success: false, code: 10103 });
	});
});
