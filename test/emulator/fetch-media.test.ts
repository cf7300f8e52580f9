import { createHash } from 'node:crypto';

import { loopback } from '../loopback';
import { samplePicture } from './page/sample-picture';
import { useEmulator } from './test-client';

const picture = samplePicture('lake');

const responses: Record<string, [status: number, body?: Buffer | string, location?: string]> = {
	'/lake.png': [200, picture],
	'/moved': [302, undefined, '/lake.png'],
	'/page': [200, '<html>Sign in</html>'],
	'/empty': [200],
	'/huge': [200, Buffer.concat([picture, Buffer.alloc(9_000_000)])],
};

describe('An emulator that fetches media', () => {
	const platform = useEmulator({ fetchMedia: true });
	let site: Awaited<ReturnType<typeof loopback>>;
	const asked: Array<string | undefined> = [];

	beforeAll(async () => {
		site = await loopback(({ url = '' }, out) => {
			asked.push(url);
			if (url === '/cut') return void out.writeHead(200).write(picture, () => out.destroy());
			const [status, body, location] = responses[url.replace(/\?.*/, '')] ?? [404];
			out.writeHead(status, location === undefined ? {} : { location }).end(body);
		});
	});
	beforeEach(() => void asked.splice(0));
	afterAll(async () => await site.stop());

	const post = async (paths: string[], more = {}) => {
		await platform.client.createPost({
			media_urls: paths.map((path) => `${site.url}${path}`),
			...more,
		});
		await platform.emulator.advance(3);
		return platform.emulator.posts[0]!;
	};

	it('publishes a post with the bytes that it fetched', async () => {
		const { status, media } = await post(['/lake.png?token=secret', '/moved']);
		expect(status).toBe('published');
		const sha256 = createHash('sha256').update(picture).digest('hex');
		const file = { type: 'image/png', bytes: picture.length, sha256 };
		expect(media).toMatchObject([{ url: `${site.url}/lake.png`, ...file }, file]);
	});

	it.each([
		['/missing', 'the server responded with HTTP 404'],
		['/page', 'neither an image nor a video'],
		['/empty', 'the file is empty'],
		['/huge', 'the image is larger than 8 MB'],
		['/cut', 'could not be fetched'],
	])('fails a post with %s, and reports the reason without the query', async (path, reason) => {
		const thumbnail = `${site.url}${path}${path === '/cut' ? '' : '?token=secret'}`;
		const { status, message } = await post(['/lake.png'], { thumbnail });
		expect(status).toBe('failed');
		expect(message).toContain(`The media ${site.url}${path} could not be fetched: `);
		expect(message).toContain(reason);
	});

	it('fetches the media of a scheduled post when its time comes', async () => {
		const post_date = new Date(Date.now() + 3_600_000).toISOString();
		const { status } = await post(['/lake.png'], { post_date });
		expect([status, asked]).toEqual(['queued', []]);
		await platform.emulator.advance(3_700);
		expect([platform.emulator.posts[0]!.status, asked]).toEqual(['published', ['/lake.png']]);
	});
});
