import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import { jpegOf, samples } from '../../unit/post/mediaSamples';
import type { NodeRun } from '../harness/engine';
import { FileHost } from '../harness/fileHost';
import { jsonOf } from '../harness/manyPosts';
import { usePosts } from './postSetup';

const { platform, created, posts } = usePosts({ fetchMedia: true });
let host: FileHost;
beforeAll(async () => {
	host = await FileHost.start();
});
afterAll(async () => await host.stop());

const photo = jpegOf(1080, 1350, 'photo');
const other = jpegOf(1080, 1080, 'other');
const inline = { data: photo.toString('base64'), mimeType: 'image/jpeg', fileName: 'a.jpg' };
const stored = async () => await host.store(photo, 'photo.jpg');

/** Runs Create with these files in the only item. */
const post = async (
	files: IBinaryKeyData,
	mediaUrls: unknown = ['={{ $binary.data }}'],
	parameters: IDataObject = {},
	more: Partial<NodeRun> = {},
) =>
	await platform.run({ mediaUrls, ...parameters } as IDataObject, {
		...{ files: [files], restApiUrl: host.restApiUrl, ...more },
	});

const linksSent = () => (created()[0]!.body as { media_urls: string[] }).media_urls;

/** Expects that the platform has fetched these contents for the only post. */
async function expectFetched(...contents: Buffer[]) {
	await platform.emulator.advance(5);
	const sha256 = contents.map((content) => createHash('sha256').update(content).digest('hex'));
	const [published] = posts();
	expect(published).toMatchObject({
		status: 'published',
		media: sha256.map((sha) => ({ sha256: sha })),
	});
}

describe('Media', () => {
	test('is a file, whose bytes the platform fetches from a link', async () => {
		const { error } = await post({ data: await stored() });
		expect(error).toBeUndefined();
		await expectFetched(photo);
		expect(linksSent()).toStrictEqual([
			expect.stringMatching(
				/^http:\/\/127\.0\.0\.1:\d+\/rest\/binary-data\/signed\?token=[\w.-]+&file=media\.jpeg$/,
			),
		]);
	});

	test.each([
		['an expression for all files', ['={{ Object.values($binary) }}'], [photo, other]],
		['the names of binary properties', ['data', 'more'], [photo, other]],
		['a file of another node', ["={{ $('Items 0').item.binary.data }}"], [photo]],
		[
			'rows of files in another order',
			['={{ $binary.more }}', '={{ $binary.data }}'],
			[other, photo],
		],
		['an expression for the whole field', '={{ Object.values($binary) }}', [photo, other]],
	])('is read from %s', async (_, rows, contents) => {
		await post({ data: await stored(), more: await host.store(other, 'other.jpg') }, rows);
		await expectFetched(...contents);
	});

	test('is a video with a file as its cover image', async () => {
		const video = await host.store(samples.mp4, 'reel.mp4', 'video/mp4');
		const cover = await host.store(other, 'cover.jpg');
		const postOptions = { videoCoverImageUrl: '={{ $binary.cover }}' };
		await post({ video, cover }, ['video'], { contentType: 'REEL', postOptions });
		await expectFetched(samples.mp4, other);
		expect(created()[0]!.rawBody).toMatch(/"thumbnail":"[^"]+\/binary-data\/signed\?token=/);
	});

	test('keeps the link to a webhook file after the execution has ended', async () => {
		const data = await host.store(photo, 'photo.jpg', 'image/jpeg', 'temp');
		await post({ data });
		await host.endExecution(data);
		await expectFetched(photo);
	});

	test('stores a file whose content is in the item', async () => {
		await post({ data: inline }, ['data']);
		await expectFetched(photo);
	});

	test('is served with its real type, even if only the item states it', async () => {
		const data = await host.store(photo, 'photo.bin', 'application/octet-stream');
		await post({ data: { ...data, mimeType: 'image/jpeg' } });
		const response = await fetch(linksSent()[0]!);
		expect(response.headers.get('content-type')).toBe('image/jpeg');
	});

	test.each([
		[undefined, 7],
		[14, 14],
	])('has links that work for the chosen days (%s)', async (fileLinkValidity, days) => {
		await post({ data: await stored() }, undefined, { options: { fileLinkValidity } });
		const [, payload = ''] = new URL(linksSent()[0]!).searchParams.get('token')!.split('.');
		const { iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
			iat: number;
			exp: number;
		};
		expect((exp - iat) / 86_400).toBe(days);
	});

	test('is shown in place of links by Validate, which signs and copies nothing', async () => {
		const data = await host.store(jpegOf(1080, 1920), 'tall.jpg', 'image/jpeg', 'temp');
		const more = await host.store(samples.png, 'small.png', 'image/png');
		const rows = ['={{ Object.values($binary) }}', 'https://cdn.example/a.jpg'];
		const result = await post({ data, more }, rows, { operation: 'validate' });
		const warning = (message: string) => ({ field: 'Media', message });
		expect(jsonOf(result)[0]).toMatchObject({
			valid: true,
			request_body: {
				media_urls: [
					{ file: 'tall.jpg', type: 'image/jpeg' },
					{ file: 'small.png', type: 'image/png', bytes: samples.png.length },
					'https://cdn.example/a.jpg',
				],
			},
			warnings: [
				warning(
					'row 1 (tall.jpg) is 1080 × 1920 pixels; the photo platform accepts aspect ratios from 4:5 to 1.91:1',
				),
				warning('row 1 (small.png) is PNG; only JPEG is certain to be accepted'),
			],
		});
		expect(JSON.stringify(result.run)).not.toContain('token=');
	});
});

test('A video of 120 MB is checked, copied and posted with less than 60 MB of memory', async () => {
	const block = Buffer.alloc(1024 * 1024);
	const begin = samples.mp4.subarray(0, 36);
	const head = Buffer.concat([begin, Buffer.from('\x7f\0\0\0mdat', 'latin1')]);
	const parts = [head, ...Array<Buffer>(120).fill(block)];
	const video = await host.store(Readable.from(parts), 'video.mp4', 'video/mp4', 'temp');
	const memory = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
	const before = memory();
	// Less memory may be in use than before.
	let most = -Infinity;
	const watch = setInterval(() => (most = Math.max(most, memory() - before)), 2);
	await post({ video }, ['video'], { contentType: 'REEL' });
	await platform.emulator.advance(5);
	clearInterval(watch);
	const bytes = head.length + 120 * block.length;
	expect(posts()).toMatchObject([{ status: 'published', media: [{ type: 'video/mp4', bytes }] }]);
	expect(most).toBeGreaterThan(-Infinity);
	expect(most).toBeLessThan(60 * 1024 * 1024);
});

describe('Create refuses', () => {
	/** Expects that Create and Validate refuse the post, and returns the message. */
	const refusal = async (...given: Parameters<typeof post>): Promise<string> => {
		const [files, rows, parameters, more] = given;
		const { error } = await post(...given);
		expect(platform.emulator.received).toHaveLength(0);
		expect(error).toMatchObject({ context: { data: { outcome: 'invalid' } } });
		const result = await post(files, rows, { ...parameters, operation: 'validate' }, more);
		const { valid, problems } = jsonOf(result)[0] as {
			valid: boolean;
			problems: Array<{ field: string; message: string }>;
		};
		expect(valid).toBe(false);
		const told = problems.map(({ field, message }) => `'${field}' ${message}`);
		expect(told.join('; ')).toBe(error!.message);
		return error!.message;
	};

	const NO_FILE = 'is neither a link nor a file; enter for example {{ $json.url }} or {{ $binary';
	const NO_LINK = 'is not a valid link or the name of a file';
	const AROUND =
		'contains an object instead of text; name one of its fields, or for a file, remove all text around the braces';

	test.each([
		['an object that is no file', '={{ $binary }}', NO_FILE],
		['a file with another ID', "={{ { ...$binary.data, id: 5, fileName: 'a.jpg' } }}", NO_FILE],
		['a list beside a file', '={{ [$binary.data, [$binary.data]] }}', NO_FILE],
		['text before the expression for a file', '=File: {{ $binary.data }}', AROUND],
		['the name of a missing property', 'photo', NO_LINK],
		['the name of a property of every object', 'constructor', NO_LINK],
		['a missing property', '={{ $binary.photo }}', 'is empty, or its expression returns nothing'],
		['an expression that is set to Fixed', '{{ $binary.data }}', 'is text, not an expression'],
		[
			'a path outside of the folder for files',
			"={{ { ...$binary.data, id: 'filesystem-v2:../../config' } }}",
			'cannot be read, because n8n has deleted or moved it',
		],
	])('%s: %j', async (_, row, reason) => {
		const message = await refusal({ data: await stored() }, [row]);
		expect(message).toMatch(/^'Media' row 1 (\(.*\) )?/);
		expect(message).toContain(reason);
	});

	test('an image of 9 MB', async () => {
		const data = await host.store(jpegOf(1080, 1080, '', 9 * 1024 * 1024), 'photo.jpg');
		expect(await refusal({ data })).toBe(
			"'Media' row 1 (photo.jpg) is 9 MB; the photo platform accepts at most 8 MB",
		);
	});

	test('files where n8n keeps them in memory', async () => {
		await host.setMode('default');
		const refused = refusal({ data: inline }, ['data']);
		expect(await refused.finally(async () => await host.setMode('filesystem'))).toMatch(
			/^'Media' row 1 \(a\.jpg\) cannot be posted, .* N8N_DEFAULT_BINARY_DATA_MODE/,
		);
	});

	test('a file without an ID and without content', async () => {
		const rows = ["={{ { ...$binary, mimeType: 'image/jpeg', fileName: 'a.jpg' } }}"];
		expect(await refusal({}, rows)).toContain(
			'row 1 (a.jpg) was passed without its content; if n8n keeps files in memory, set N8N_DEFAULT_BINARY_DATA_MODE',
		);
	});

	test('a file that the input only describes', async () => {
		const { id } = await host.store(photo, 'private.jpg', 'image/jpeg', '12');
		const file = { id, mimeType: 'image/jpeg', fileName: 'private.jpg' };
		const more = {
			items: [{ name: 'data', file, inline, binary: file, 'my größe': { binary: file } }],
		};
		const rows = [
			...['={{ $json.file }}', '={{ [$json.file] }}', '={{ $json.inline }}', '={{ $json.binary }}'],
			"={{ $('Items 0').item.json.binary }}",
			"={{ $('Items 0').item.json ['my größe'] .binary }}",
			'={{ [$json].map((one) => one.binary) }}',
			"={{ [$json.binary].concat($('Items 0').item.binary ?? []) }}",
		];
		for (const row of rows) expect(await refusal({}, [row], {}, more)).toContain(NO_FILE);
		const own = { data: await stored() };
		expect(await refusal(own, ['={{ $json.name }}'], {}, more)).toContain('row 1 (data) is not a');
		const postOptions = { videoCoverImageUrl: '={{ $json.file }}' };
		expect(await refusal(own, undefined, { postOptions }, more)).toContain(
			`'Video Cover Image' ${NO_FILE}`,
		);
	});

	test.each([
		['trigger', { saveDataSuccessExecution: 'none' }],
		['trigger', { saveDataErrorExecution: 'none' }],
		['manual', { saveManualExecutions: false }],
	] as const)(
		'files if the workflow does not keep the execution: %s, %j',
		async (mode, settings) => {
			const more = { mode, workflowSettings: settings };
			expect(await refusal({ data: await stored() }, undefined, {}, more)).toBe(
				"'Media' contains a file, but the workflow does not keep this execution, and n8n deletes the file with it; in the workflow's settings, save successful and failed production executions, and manual executions",
			);
		},
	);

	test('files of an n8n that the platform cannot reach', async () => {
		platform.credential.baseUrl = 'https://api.example.com';
		const more = { restApiUrl: 'http://n8n:5678/rest' };
		expect(await refusal({ data: await stored() }, undefined, {}, more)).toContain(
			"'Media' contains a file, but the platform cannot reach this n8n at http://n8n:5678; set n8n's variable N8N_WEBHOOK_URL (n8n 1: WEBHOOK_URL) to its public address",
		);
	});

	test('a publish time after the end of the link', async () => {
		const at = { publishTime: 'at', publishAt: '={{ $now.plus({ days: 7.5 }) }}' };
		expect(await refusal({ data: await stored() }, undefined, at)).toBe(
			"'Publish At' is after the links to the files expire (7 days); choose an earlier time, increase 'File Link Validity (Days)', or enter a public URL instead of the file",
		);
	});
});
