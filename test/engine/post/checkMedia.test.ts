import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { IDataObject } from 'n8n-workflow';
import { Container } from '@n8n/di';
import { SsrfProtectionConfig } from '@n8n/config';
import { loopback, type Loopback } from '../../loopback';
import { jpegOf, samples } from '../../unit/post/mediaSamples';
import { DeduplicationStore } from '../harness/deduplicationStore';
import { jsonOf } from '../harness/manyPosts';
import { soon, until } from '../harness/storage';
import { usePosts } from './postSetup';

const { platform, created, posts } = usePosts();
const photo = jpegOf(1080, 1350);
let site: Loopback;
let open = 0;
/** Bytes of the last response that the server sent, or has in its buffers. */
let sent = 0;

type Page = [status: number, body: Buffer | string, headers?: Record<string, string>];
const redirect = (location: string): Page => [302, 'moved', { location }];

const pages: Record<string, Page> = {
	// Only responses with a status from 300 to 399 are redirects.
	'/photo.jpg': [200, photo, { location: '/page' }],
	'/tall': [200, jpegOf(1080, 1920)],
	'/video.png': [200, samples.mp4],
	'/square': [200, jpegOf(1080, 1080)],
	'/long': [200, Buffer.concat([photo], 9_437_184), { 'content-length': '9437184' }],
	'/large': [206, photo.subarray(0, 1000), { 'content-range': 'bytes 0-999/9437184' }],
	'/moved-5': redirect('/moved-4'),
	'/moved-4': redirect('/moved-3'),
	'/moved-3': redirect('/moved-2'),
	'/moved-2': redirect('/moved-1'),
	'/moved-1': redirect('/photo.jpg'),
	'/moved-6': redirect('/moved-5'),
	'/app': redirect('dropbox://file'),
	'/nowhere': redirect('http://'),
	'/to-private': redirect('http://127.0.0.1:9/photo.jpg'),
	'/page': [200, '<!DOCTYPE html><title>Share</title>'],
	'/typed-page': [200, 'Share', { 'content-type': 'text/html' }],
	'/pdf': [200, '%PDF-1.7'],
	'/empty': [200, ''],
	'/cut': [200, photo, { 'content-length': '200000' }],
	'/other-encoding': [200, photo, { 'content-encoding': 'aws-chunked' }],
	'/small.gz': [200, gzipSync(photo), { 'content-encoding': 'gzip' }],
	'/no-content': [204, ''],
	'/choices': [300, ''],
	'/cookie': [302, '', { location: '/photo.jpg', 'set-cookie': 'session=secret' }],
};

/** Responses without an end. */
const unending: Record<string, (response: ServerResponse) => void> = {
	'/never': () => undefined,
	'/no-body': (response) => response.writeHead(200).flushHeaders(),
	'/stalled': (response) => void response.writeHead(200).write(photo.subarray(0, 100)),
	/** Sends bytes as fast as they are read. */
	'/endless': (response) => {
		const bytes = Buffer.concat([photo, Buffer.alloc(50_000)]);
		const write = () => {
			while (!response.destroyed && response.write(bytes));
		};
		response.writeHead(200).on('drain', write);
		write();
	},
};

beforeAll(async () => {
	site = await loopback((request, response) => {
		const { pathname } = new URL(request.url ?? '', 'http://site');
		open++;
		const { socket } = response;
		response.on('close', () => {
			open--;
			sent = socket!.bytesWritten;
		});
		const begin = unending[pathname];
		if (begin) return begin(response);
		const [status, body, headers] = pages[pathname] ?? [404, 'no'];
		response.writeHead(status, headers).end(body);
	});
});
beforeEach(() => void (site.received.length = 0));
afterAll(async () => await site.stop());

const withMedia = (paths: string[], parameters: IDataObject = {}) => ({
	mediaUrls: paths.map((path) => (path.startsWith('/') ? `${site.url}${path}` : path)),
	options: { checkMedia: true },
	...parameters,
});
const check = async (...paths: string[]) => await platform.run(withMedia(paths));
const validate = async (paths: string[], parameters: IDataObject = {}) => {
	const given = withMedia(paths, { operation: 'validate', ...parameters });
	const [json] = jsonOf(await platform.run(given));
	return json as { valid: boolean; problems: IDataObject[]; warnings?: IDataObject[] };
};
const containing = (message: string) => [{ message: expect.stringContaining(message) as string }];
const PRIVATE = 'leads to a private address, which the platform cannot reach';

describe('Check Media', () => {
	test('posts links to images, and follows up to five redirects', async () => {
		const { error } = await check('/photo.jpg', '/moved-5');
		expect(error).toBeUndefined();
		expect(posts()).toHaveLength(1);
		expect(site.received).toHaveLength(7);
		for (const { headers } of site.received) {
			expect(headers).toMatchObject({ 'accept-encoding': 'identity', range: 'bytes=0-65535' });
			expect(Object.keys(headers)).not.toContain('x-legacy-token');
			expect(Object.keys(headers)).not.toContain('authorization');
		}
	});

	test.each([
		['/missing', 'cannot be downloaded: the server responds with HTTP 404; correct the link'],
		['/typed-page', 'is a web page, not a file; enter the direct link to the file'],
		['/pdf', 'is not an image or a video that can be posted'],
		['/empty', 'is not an image or a video that can be posted'],
		['/moved-6', 'redirects more than 5 times'],
		['/app', 'redirects to an app, not to a file'],
		['/cut', 'cannot be opened: '],
		['/no-content', 'cannot be downloaded: the server responds with HTTP 204'],
		['/choices', 'cannot be downloaded: the server responds with HTTP 300'],
		['/nowhere', 'cannot be downloaded: the server responds with HTTP 302'],
		['/long', 'is 9 MB; the photo platform accepts at most 8 MB'],
		['/large', 'is 9 MB; the photo platform accepts at most 8 MB'],
		['http://127.0.0.1:9/a.jpg', 'cannot be opened: the connection was refused'],
	])('refuses a post with %s', async (path, reason) => {
		const { error } = await check('/photo.jpg', path);
		expect(created()).toHaveLength(0);
		expect(error!.message).toMatch(/^'Media' row 2 \(http:/);
		expect(error!.message).toContain(reason);
		expect(error!.context.data).toMatchObject({ outcome: 'invalid' });
	});

	test('refuses a video as the cover image, and does not warn of the aspect ratio of a cover', async () => {
		const cover = (path: string) => ({ postOptions: { videoCoverImageUrl: site.url + path } });
		const { problems } = await validate(['/video.png'], cover('/video.png'));
		expect(problems).toMatchObject(containing('is a video; the cover must be an image'));
		expect(await validate(['/video.png'], cover('/tall'))).not.toHaveProperty('warnings');
	});

	test('warns about the file to which a link leads, regardless of its extension', async () => {
		const reel = { contentType: 'REEL' };
		expect(await validate(['/video.png'])).not.toHaveProperty('warnings');
		expect(await validate(['/video.png'], reel)).not.toHaveProperty('warnings');
		const isImage = { field: 'Media', message: 'contains an image; a reel requires a video' };
		expect((await validate(['/square'], reel)).warnings).toContainEqual(isImage);
	});

	test('opens only the first 20 links of a post', async () => {
		const links = Array.from({ length: 21 }, () => '/photo.jpg');
		const data = { data: photo.toString('base64'), mimeType: 'image/jpeg' };
		await platform.run(withMedia(['data', ...links]), { files: [{ data }] });
		expect(site.received).toHaveLength(20);
	});

	test('reads only the beginning of an endless response', async () => {
		const { error } = await check('/endless');
		expect(error).toBeUndefined();
		await until(() => open === 0);
		// The rest is in the buffers of the operating system.
		expect(sent).toBeLessThan(20_000_000);
	});

	test('closes its connections when the execution is canceled', async () => {
		const paths = ['/never', '/no-body', '/stalled'];
		const running = platform.start(withMedia(paths));
		await until(() => site.received.length === paths.length);
		await soon();
		const canceled = Date.now();
		running.cancel();
		await running.done;
		await until(() => open === 0);
		// Without the cancellation, the time limit of 10 seconds would close them.
		expect(Date.now() - canceled).toBeLessThan(9_000);
		expect(created()).toHaveLength(0);
	});

	test('opens no link after the execution is canceled', async () => {
		const workflowId = randomUUID();
		const store = await DeduplicationStore.install();
		store.reset(workflowId);
		const options = { checkMedia: true, oncePerKey: 'a' };
		const running = platform.start(withMedia(['/never'], { options }), { workflowId });
		// The post takes its key before its link is opened.
		store.before = () => running.cancel();
		await running.done;
		expect(store.calls).toBeGreaterThan(0);
		expect(site.received).toHaveLength(0);
	});

	test('reads encoded files, and keeps no cookie and no connection', async () => {
		const { error } = await check('/cookie', '/small.gz', '/other-encoding');
		expect(error).toBeUndefined();
		for (const { headers } of site.received) expect(headers).not.toHaveProperty('cookie');
		await until(() => open === 0);
	});

	test('opens no private address for a public platform', async () => {
		platform.credential.baseUrl = 'https://api.example.com';
		const others = ['http://printer/a.jpg', 'http://[::ffff:127.0.0.1]/', 'http://localhost./'];
		const { problems } = await validate(['/photo.jpg', ...others]);
		expect(site.received).toHaveLength(0);
		expect(problems).toMatchObject(Array(4).fill(containing(PRIVATE)[0]));
	});

	test('follows no redirect from a public to a private address', async () => {
		platform.credential.baseUrl = 'https://api.example.com';
		// n8n opens public addresses through a proxy, which is the site.
		process.env.HTTP_PROXY = site.url;
		const link = 'http://photos.example/to-private';
		const { problems } = await validate([link]).finally(() => delete process.env.HTTP_PROXY);
		expect(site.received.map(({ url }) => url)).toStrictEqual([link]);
		expect(problems).toMatchObject(containing(PRIVATE));
	});

	test('reports an address that n8n blocks', async () => {
		const protection = Container.get(SsrfProtectionConfig);
		protection.enabled = true;
		const validating = validate(['/photo.jpg']);
		const { problems } = await validating.finally(() => (protection.enabled = false));
		expect(site.received).toHaveLength(0);
		expect(problems).toMatchObject(containing('cannot be opened: n8n refused the request: “The'));
	});

	test('opens links in Validate unless it is off', async () => {
		await validate(['/photo.jpg'], { options: {} });
		expect(site.received).toHaveLength(1);
		await validate(['/photo.jpg'], { options: { checkMedia: false } });
		expect(site.received).toHaveLength(1);
	});
});
