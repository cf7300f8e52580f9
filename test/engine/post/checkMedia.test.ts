import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { IDataObject } from 'n8n-workflow';
import { Container } from '@n8n/di';
import { SsrfProtectionConfig } from '@n8n/config';
import { loopback, type Loopback } from '../../loopback';
import { tls } from '../../testServers';
import { jpegOf, samples } from '../../unit/post/mediaSamples';
import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { soon, until } from '../harness/storage';

const platform = usePlatform();
const photo = jpegOf(1080, 1350);
let site: Loopback;
let open = 0;
/** Bytes of the last response that the server sent, or has in its buffers. */
let sent = 0;

const pages: Record<
	string,
	[status: number, body: Buffer | string, headers?: Record<string, string>]
> = {
	'/photo.jpg': [200, photo],
	'/tall': [200, jpegOf(1080, 1920)],
	'/video': [200, samples.mp4],
	'/video.png': [200, samples.mp4],
	'/square': [200, jpegOf(1080, 1080)],
	'/range-without-total': [206, photo, { 'content-range': `bytes 0-${photo.length - 1}/*` }],
	'/large': [206, photo.subarray(0, 1000), { 'content-range': 'bytes 0-999/9437184' }],
	...Object.fromEntries(
		[1, 2, 3, 4, 5].map((n) => [
			`/moved-${n}`,
			[302, 'moved', { location: n > 1 ? `/moved-${n - 1}` : '/photo.jpg' }],
		]),
	),
	'/moved': [302, '', { location: '/photo.jpg' }],
	'/loop': [302, '', { location: '/loop' }],
	'/app': [302, '', { location: 'dropbox://file' }],
	'/login': [403, 'no'],
	'/broken': [500, 'no'],
	'/page': [200, '<!DOCTYPE html><title>Share</title>', { 'content-type': 'text/html' }],
	'/pdf': [200, '%PDF-1.7'],
	'/empty': [200, ''],
	'/cut': [200, photo, { 'content-length': '200000' }],
	'/bomb': [200, gzipSync(Buffer.alloc(20_000_000)), { 'content-encoding': 'gzip' }],
	'/other-encoding': [200, photo, { 'content-encoding': 'aws-chunked' }],
	'/small.gz': [200, gzipSync(photo), { 'content-encoding': 'gzip' }],
	'/odd-range': [206, photo.subarray(100), { 'content-range': 'bytes 100-/abc' }],
	'/no-content': [204, ''],
	'/choices': [300, ''],
	'/nowhere': [302, '', { location: 'http://' }],
	'/file': [302, '', { location: 'file:///etc/passwd' }],
	'/login-in-link': [302, '', { location: '//user:secret@127.0.0.1:9/a.jpg' }],
	'/to-private': [302, '', { location: 'http://127.0.0.1:9/photo.jpg' }],
	'/cookie': [302, '', { location: '/photo.jpg', 'set-cookie': 'session=secret' }],
};

/** Responses that begin and never end. */
const unending: Record<string, (response: ServerResponse) => void> = {
	'/never': () => undefined,
	'/no-body': (response) => response.writeHead(200).flushHeaders(),
	'/stalled': (response) => void response.writeHead(200).write(photo.subarray(0, 100)),
	'/drip': (response) => {
		const drops = setInterval(() => response.write('x'), 1000);
		response.on('close', () => clearInterval(drops));
	},
	// The name of the file in the gzip header never ends, so that there is never a decompressed byte.
	'/gzip-name': (response) => {
		response.writeHead(200, { 'content-encoding': 'gzip' });
		response.write(Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]));
		const drops = setInterval(() => response.write('x'), 1000);
		response.on('close', () => clearInterval(drops));
	},
};

/** Sends bytes as fast as they are read, without an end. */
function flood(response: ServerResponse): void {
	const bytes = Buffer.concat([photo, Buffer.alloc(50_000)]);
	const write = () => {
		while (!response.destroyed && response.write(bytes));
	};
	response.writeHead(200).on('drain', write);
	write();
}

beforeAll(async () => {
	site = await loopback((request, response) => {
		const { pathname } = new URL(request.url ?? '', 'http://site');
		const page = pages[pathname];
		const begin = unending[pathname];
		open++;
		const { socket } = response;
		response.on('close', () => {
			open--;
			sent = socket!.bytesWritten;
		});
		if (begin) return begin(response);
		if (pathname === '/endless') return flood(response);
		const [status, body, headers] = page ?? [404, 'no'];
		response.writeHead(status, headers).end(body);
	});
});
beforeEach(() => void (site.received.length = 0));
afterAll(async () => await site.stop());

const check = async (paths: string[], parameters: IDataObject = {}) => {
	const mediaUrls = paths.map((path) => (path.startsWith('/') ? `${site.url}${path}` : path));
	return await platform.run({ mediaUrls, options: { checkMedia: true }, ...parameters });
};
const validate = async (...paths: string[]) => {
	const [json] = jsonOf(await check(paths, { operation: 'validate' }));
	return json as { valid: boolean; problems: IDataObject[]; warnings: IDataObject[] };
};

describe('Check Media', () => {
	test('posts links to images, and follows redirects', async () => {
		const { error } = await check(['/photo.jpg', '/moved']);
		expect(error).toBeUndefined();
		expect(platform.emulator.posts).toHaveLength(1);
		expect(site.received.map(({ url }) => url).sort()).toStrictEqual([
			...['/moved', '/photo.jpg', '/photo.jpg'],
		]);
		for (const { headers } of site.received) {
			expect(headers).toMatchObject({ 'accept-encoding': 'identity', range: 'bytes=0-65535' });
			expect(Object.keys(headers)).not.toContain('x-legacy-token');
			expect(Object.keys(headers)).not.toContain('authorization');
		}
	});

	test.each([
		['/missing', 'cannot be downloaded: the server responds with HTTP 404; correct the link'],
		['/login', 'cannot be downloaded: the server responds with HTTP 403'],
		['/broken', 'cannot be downloaded: the server responds with HTTP 500'],
		['/page', 'is a web page, not a file; enter the direct link to the file'],
		['/pdf', 'is not an image or a video that can be posted'],
		['/empty', 'is empty'],
		['/loop', 'redirects more than 5 times'],
		['/app', 'redirects to an app, not to a file'],
		['/file', 'redirects to an app, not to a file'],
		['/cut', 'cannot be opened: '],
		['/bomb', 'is not an image or a video that can be posted'],
		['/odd-range', 'is not an image or a video that can be posted'],
		['/no-content', 'cannot be downloaded: the server responds with HTTP 204'],
		['/choices', 'cannot be downloaded: the server responds with HTTP 300'],
		['/nowhere', 'cannot be downloaded: the server responds with HTTP 302'],
		['/login-in-link', 'cannot be opened: the connection was refused'],
		['/large', 'is 9 MB; the photo platform accepts at most 8 MB'],
		['http://127.0.0.1:9/a.jpg', 'cannot be opened: '],
	])('refuses a post with %s', async (path, reason) => {
		const { error } = await check(['/photo.jpg', path]);
		expect(platform.received('createPost')).toHaveLength(0);
		expect(error!.message).toMatch(/^'Media' row 2 \(http:/);
		expect(error!.message).toContain(reason);
		expect(error!.context.data).toMatchObject({ outcome: 'invalid' });
	});

	test('follows five redirects without a warning of Node.js about listeners', async () => {
		const warnings: string[] = [];
		const add = ({ message }: Error) => void warnings.push(message);
		process.on('warning', add);
		const { error } = await check(['/moved-5']);
		process.off('warning', add);
		expect(error).toBeUndefined();
		expect(warnings).toStrictEqual([]);
	});

	test.each(['photo', 'https://cdn.example:99999/a.jpg', 'my photo.jpg'])(
		'opens nothing for a row that is not a link: %s',
		async (row) => {
			const { problems } = await validate(row);
			expect(problems).toStrictEqual([
				{ field: 'Media', message: expect.stringContaining('is not a valid link') },
			]);
		},
	);

	test('reports a server whose certificate is not trusted', async () => {
		const server = await tls('valid', {});
		const url = `https://127.0.0.1:${server.port}/a.jpg`;
		const { problems } = await validate(url).finally(server.stop);
		const reason = "cannot be opened: the server's certificate";
		expect(problems).toMatchObject([{ message: expect.stringContaining(reason) }]);
	});

	test('refuses a video as the cover image', async () => {
		const postOptions = { videoCoverImageUrl: `${site.url}/video` };
		const { error } = await check(['/video'], { postOptions });
		expect(error!.message).toMatch(
			/^'Video Cover Image' \(.*\) is a video; the cover must be an image/,
		);
		expect(platform.received('createPost')).toHaveLength(0);
	});

	test('checks no aspect ratio of the cover image', async () => {
		const postOptions = { videoCoverImageUrl: `${site.url}/tall` };
		const parameters = { operation: 'validate', postOptions };
		const [json] = jsonOf(await check(['/video'], parameters));
		expect(json!.problems).toBeUndefined();
		const fields = ((json!.warnings ?? []) as IDataObject[]).map(({ field }) => field);
		expect(fields).not.toContain('Video Cover Image');
	});

	test('warns of an image in a reel, and of an image option with a video', async () => {
		const ofReel = { operation: 'validate', contentType: 'REEL' };
		const [reel] = jsonOf(await check(['/square'], ofReel));
		const isImage = { field: 'Media', message: 'contains an image; a reel requires a video' };
		expect(reel!.warnings).toContainEqual(isImage);
		const ofVideo = { operation: 'validate', postOptions: { autoFitImage: true } };
		const [video] = jsonOf(await check(['/video'], ofVideo));
		const isVideo = { field: 'Auto-Fit Image', message: 'works only with images' };
		expect(video!.warnings).toContainEqual(isVideo);
	});

	test('warns about the file to which a link leads, regardless of its extension', async () => {
		expect(await validate('/video.png')).not.toHaveProperty('warnings');
		const ofReel = { operation: 'validate', contentType: 'REEL' };
		const [reel] = jsonOf(await check(['/video.png'], ofReel));
		expect(reel).not.toHaveProperty('warnings');
	});

	test('opens only the first 20 links of a post', async () => {
		await validate(...Array.from({ length: 21 }, () => '/photo.jpg'));
		expect(site.received).toHaveLength(20);
	});

	test('shows problems and warnings of the files to which links lead in Validate', async () => {
		expect(await validate('/tall', '/page')).toMatchObject({
			valid: false,
			problems: [{ field: 'Media', message: expect.stringContaining('row 2 (') }],
		});
		const { warnings } = await validate('/tall');
		expect(warnings).toContainEqual({
			field: 'Media',
			message: expect.stringMatching(/^row 1 \(.*\/tall\) is 1080 × 1920 pixels; the photo/),
		});
	});

	test('reads only the beginning of an endless response', async () => {
		const started = Date.now();
		const { error } = await check(['/endless']);
		expect(error).toBeUndefined();
		expect(Date.now() - started).toBeLessThan(9_500);
		await until(() => open === 0);
		// The rest is in the buffers of the operating system.
		expect(sent).toBeLessThan(20_000_000);
	});

	test('times out after 10 seconds, and leaves no connection open', async () => {
		const started = Date.now();
		const paths = Object.keys(unending);
		const { problems } = await validate(...paths);
		expect(problems.map(({ message }) => message)).toStrictEqual(
			paths.map((path, row) =>
				expect.stringMatching(
					`^row ${row + 1} \\(.*${path}\\) cannot be opened: no response arrived in time \\(timeout\\)$`,
				),
			),
		);
		expect(Date.now() - started).toBeLessThan(19_000);
		await until(() => open === 0);
	});

	test('closes its connections when the execution is canceled', async () => {
		const paths = ['/never', '/no-body', '/stalled', '/drip'];
		const mediaUrls = paths.map((path) => `${site.url}${path}`);
		const running = platform.start({ mediaUrls, options: { checkMedia: true } });
		await until(() => site.received.length === paths.length);
		await soon();
		running.cancel();
		await running.done;
		await until(() => open === 0);
		expect(platform.received('createPost')).toHaveLength(0);
	});

	test('keeps no cookie and no connection', async () => {
		const { error } = await check(['/cookie', '/endless', '/small.gz', '/other-encoding']);
		expect(error).toBeUndefined();
		for (const { headers } of site.received) expect(headers).not.toHaveProperty('cookie');
		await until(() => open === 0);
	});

	test('opens no private address for a public platform', async () => {
		Object.assign(platform.store.stored.get('1')!, { baseUrl: 'https://api.example.com' });
		const others = ['http://printer/a.jpg', 'http://[::ffff:127.0.0.1]/', 'http://localhost./'];
		const { problems } = await validate('/photo.jpg', ...others);
		expect(site.received).toHaveLength(0);
		const refused = 'leads to a private address, which the platform cannot reach';
		expect(problems.map(({ message }) => message)).toStrictEqual(
			Array(4).fill(expect.stringContaining(refused)),
		);
	});

	test('follows no redirect from a public to a private address', async () => {
		Object.assign(platform.store.stored.get('1')!, { baseUrl: 'https://api.example.com' });
		// n8n opens public addresses through a proxy, which is the site.
		process.env.HTTP_PROXY = site.url;
		const link = 'http://photos.example/to-private';
		const { problems } = await validate(link).finally(() => delete process.env.HTTP_PROXY);
		expect(site.received.map(({ url }) => url)).toStrictEqual([link]);
		const refused = 'leads to a private address, which the platform cannot reach';
		expect(problems).toMatchObject([{ message: expect.stringContaining(refused) }]);
	});

	test('reports an address that n8n blocks', async () => {
		const protection = Container.get(SsrfProtectionConfig);
		protection.enabled = true;
		const { problems } = await validate('/photo.jpg').finally(() => (protection.enabled = false));
		expect(site.received).toHaveLength(0);
		const refused = "leads to an address that n8n's SSRF protection blocks, such as a private one";
		expect(problems).toMatchObject([{ message: expect.stringContaining(refused) }]);
	});

	test('opens nothing when it is off', async () => {
		await check(['/photo.jpg'], { options: {} });
		expect(site.received).toHaveLength(0);
		expect(platform.emulator.posts).toHaveLength(1);
	});
});

describe('Validate', () => {
	test.each([
		['https://drive.google.com/file/d/1AbC/view?usp=sharing', 'is a Google Drive page; enter'],
		['https://www.dropbox.com/s/1/photo.jpg?dl=0', 'is a Dropbox page; change dl=0'],
		['https://1drv.ms/i/s!abc', 'is a OneDrive page; add download=1'],
		['https://photos.app.goo.gl/abc', 'is a Google Photos page, which has no direct link'],
	])('and Create refuse the share page %s', async (url, advice) => {
		const message = expect.stringContaining(
			`row 1 (${url.replace(/\?.*/, '?…')}) ${advice}`,
		) as string;
		for (const options of [{ checkMedia: false }, {}]) {
			const parameters = { operation: 'validate', mediaUrls: [url], options };
			const [json] = jsonOf(await platform.run(parameters));
			expect(json!.problems).toStrictEqual([{ field: 'Media', message }]);
			const { error } = await platform.run({ mediaUrls: [url], options });
			expect(error!.message).toStrictEqual(message);
		}
		expect(platform.emulator.received).toHaveLength(0);
	});

	test.each([
		['a local', false, []],
		['a public', true, [expect.stringContaining('an address that the platform cannot reach')]],
	])('warns about a local link for %s platform: %s', async (_, isPublic, expected) => {
		if (isPublic) platform.credential.baseUrl = 'https://api.example.com';
		const mediaUrls = ['http://127.0.0.1/a.jpg'];
		const [json] = jsonOf(await platform.run({ operation: 'validate', mediaUrls }));
		const warnings = (json!.warnings ?? []) as IDataObject[];
		expect(warnings.map(({ message }) => message)).toStrictEqual(expected);
	});
});
