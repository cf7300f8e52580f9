import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { loopback } from '../loopback';
import { startEmulator, type Emulator } from './index';
import { samplePicture } from './page/sample-picture';
import { TestClient } from './test-client';
import { webhookReceiver } from './webhook-receiver';

const picture = samplePicture('lake');

describe('an emulator that fetches media', () => {
	let emulator: Emulator;
	let client: TestClient;
	let site: Awaited<ReturnType<typeof loopback>>;
	const asked: Array<{ path?: string; agent?: string }> = [];

	beforeAll(async () => {
		emulator = await startEmulator({ fetchMedia: true });
		client = new TestClient(emulator);
		site = await loopback(({ url: path, headers }, out) => {
			asked.push({ path, agent: headers['user-agent'] });
			if (path === '/moved') return void out.writeHead(302, { location: '/lake.png' }).end();
			if (path === '/page') return void out.end('<html>Sign in</html>');
			if (path === '/empty') return void out.end();
			if (path === '/bot') return void out.writeHead(204).end();
			if (path === '/huge') return void out.end(Buffer.concat([picture, Buffer.alloc(9_000_000)]));
			if (path === '/cut') return void out.writeHead(200).write(picture, () => out.destroy());
			if (path?.startsWith('/lake.png')) return void out.end(picture);
			out.writeHead(404).end();
		});
	});
	beforeEach(() => {
		emulator.reset();
		asked.length = 0;
	});
	afterAll(async () => {
		await client.close();
		await emulator.stop();
		await site.stop();
	});

	const post = async (...paths: string[]) => {
		await client.createPost({ media_urls: paths.map((path) => `${site.url}${path}`) });
		await emulator.advance(3);
		return emulator.posts[0]!;
	};

	it('publishes a post with the bytes that it fetched', async () => {
		const { status, media } = await post('/lake.png?token=secret', '/moved');
		expect(status).toBe('published');
		const sha256 = createHash('sha256').update(picture).digest('hex');
		const file = { type: 'image/png', bytes: picture.length, sha256 };
		expect(media).toMatchObject([{ url: `${site.url}/lake.png`, ...file }, file]);
		expect(asked[0]!.agent).toBe('PhotoPlatform-MediaFetcher/1.0');
	});

	it.each([
		['/missing', 'the server responded with HTTP 404'],
		['/bot', 'the server responded with HTTP 204'],
		['/page', 'neither an image nor a video'],
		['/empty', 'the file is empty'],
		['/huge', 'the image is larger than 8 MB'],
		['/cut', 'could not be fetched'],
	])('fails a post with %s, and reports the reason', async (path, reason) => {
		const { status, message } = await post('/lake.png', path);
		expect(status).toBe('failed');
		expect(message).toContain(`The media ${site.url}${path} could not be fetched: `);
		expect(message).toContain(reason);
	});

	it('has no sample pictures whose names start with “fail”', async () => {
		const url = `${emulator.url}/media/fails-to-load.jpg`;
		await client.createPost({ media_urls: [url] });
		await emulator.advance(3);
		expect(emulator.posts[0]!.message).toBe(
			`The media ${url} could not be fetched: the server responded with HTTP 404.`,
		);
	});

	it('fails a post whose server cannot be reached, without the query of its URL', async () => {
		await client.createPost({ media_urls: ['http://127.0.0.1:9/lake.png?token=secret'] });
		await emulator.advance(3);
		const [{ status, message } = { status: '', message: '' }] = emulator.posts;
		expect(status).toBe('failed');
		expect(message).not.toContain('secret');
	});

	it('fetches the media of a scheduled post when its time comes', async () => {
		const post_date = new Date(Date.now() + 3_600_000).toISOString();
		await client.createPost({ media_urls: [`${site.url}/lake.png`], post_date });
		await sleep(50);
		expect(asked).toHaveLength(0);
		await emulator.advance(3_700);
		expect(asked).toHaveLength(1);
		expect(emulator.posts[0]!.status).toBe('published');
	});

	it('fetches the cover image, and delivers the failure as a webhook', async () => {
		const hook = await webhookReceiver();
		emulator.setWebhook(hook.url);
		await client.createPost({
			media_urls: [`${site.url}/lake.png`],
			thumbnail: `${site.url}/missing`,
		});
		await emulator.advance(3);
		expect(JSON.parse(hook.received[0]!.body)).toMatchObject({
			data: { status: 'failed', message: expect.stringContaining('HTTP 404') },
		});
		await hook.close();
	});
});
