import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import { jpegOf, samples } from '../../unit/post/mediaSamples';
import type { NodeResult, NodeRun } from '../harness/engine';
import { FileHost } from '../harness/fileHost';
import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const platform = usePlatform({ fetchMedia: true });
let host: FileHost;
beforeAll(async () => {
	host = await FileHost.start();
});
afterAll(async () => await host.stop());

const photo = jpegOf(1080, 1350, 'photo');
const other = jpegOf(1080, 1080, 'other');
const shaOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const bodies = () => platform.received('createPost').map(({ body }) => body as IDataObject);

/** Runs Create with these files in the only item. */
async function post(
	files: IBinaryKeyData,
	mediaUrls: unknown[] = ['={{ $binary.data }}'],
	more: Partial<NodeRun> = {},
	parameters: IDataObject = {},
): Promise<NodeResult> {
	return await platform.run(
		{ mediaUrls, ...parameters },
		{
			files: [files],
			restApiUrl: host.restApiUrl,
			...more,
		},
	);
}

/** What the platform has fetched for the only post. */
async function fetched() {
	await platform.emulator.advance(5);
	const [{ status, message, media = [] } = {} as never] = platform.emulator.posts;
	expect([status, message]).toStrictEqual(['published', undefined]);
	return media.map(({ sha256 }) => sha256);
}

describe('Media', () => {
	test('is a file, whose bytes the platform fetches from a link', async () => {
		const data = await host.store(photo, 'photo.jpg');
		const { error } = await post({ data });
		expect(error).toBeUndefined();
		expect(await fetched()).toStrictEqual([shaOf(photo)]);
		expect(bodies()[0]!.media_urls).toStrictEqual([
			expect.stringMatching(
				/^http:\/\/127\.0\.0\.1:\d+\/rest\/binary-data\/signed\?token=[\w.-]+&file=media\.jpeg$/,
			),
		]);
	});

	const first = `https://cdn.example/a.jpg`;
	test.each([
		['an expression for all files', ['={{ Object.values($binary) }}'], 2],
		['the names of binary properties', ['data', 'more'], 2],
		['a file of another node', ["={{ $('Items 0').item.binary.data }}"], 1],
		['rows of files in another order', ['={{ $binary.more }}', '={{ $binary.data }}'], 2],
		['an expression for the whole field', '={{ Object.values($binary) }}' as never, 2],
	])('is read from %s', async (_, rows, count) => {
		const data = await host.store(photo, 'photo.jpg');
		const more = await host.store(other, 'other.jpg');
		const { error } = await post({ data, more }, rows);
		expect(error).toBeUndefined();
		expect((await fetched()).sort()).toStrictEqual(
			[shaOf(photo), shaOf(other)].slice(0, count).sort(),
		);
	});

	test.each(['={{ $input.all().map((item) => item.binary.data) }}'])(
		'is read from all items with Execute Once: %s',
		async (row) => {
			const files = [
				{ data: await host.store(photo, 'photo.jpg') },
				{ data: await host.store(other, 'other.jpg') },
			];
			const { error } = await platform.run(
				{ mediaUrls: [row] },
				{
					...{ files, items: [{ name: 'Items 0' }, {}], settings: { executeOnce: true } },
					restApiUrl: host.restApiUrl,
				},
			);
			expect(error).toBeUndefined();
			expect(await fetched()).toStrictEqual([shaOf(photo), shaOf(other)]);
		},
	);

	test('mixes links and files in their order', async () => {
		const data = await host.store(photo, 'photo.jpg');
		const rows = [
			"={{ ['https://cdn.example/a.jpg', $binary.data] }}",
			'https://cdn.example/b.jpg',
		];
		await post({ data }, rows);
		expect(bodies()[0]!.media_urls).toStrictEqual([
			first,
			expect.stringContaining('/binary-data/signed?token='),
			'https://cdn.example/b.jpg',
		]);
	});

	test('is a video with a file as its cover image', async () => {
		const video = await host.store(samples.mp4, 'reel.mp4', 'video/mp4');
		const cover = await host.store(other, 'cover.jpg');
		const postOptions = { videoCoverImageUrl: '={{ $binary.cover }}' };
		const parameters = { contentType: 'REEL', postOptions };
		const { error } = await post({ video, cover }, ['video'], {}, parameters);
		expect(error).toBeUndefined();
		expect(await fetched()).toStrictEqual([shaOf(samples.mp4), shaOf(other)]);
		expect(bodies()[0]!.thumbnail).toContain('/binary-data/signed?token=');
	});

	test('keeps the link to a webhook file after the execution has ended', async () => {
		const data = await host.store(photo, 'photo.jpg', 'image/jpeg', 'temp');
		const { error } = await post({ data });
		expect(error).toBeUndefined();
		await host.endExecution(data);
		const [url] = bodies()[0]!.media_urls as string[];
		const response = await fetch(url!);
		expect(Buffer.from(await response.arrayBuffer()).equals(photo)).toBe(true);
	});

	test('stores a file whose content is in the item', async () => {
		const data = { data: photo.toString('base64'), mimeType: 'image/jpeg', fileName: 'photo.jpg' };
		const { error } = await post({ data }, ['data']);
		expect(error).toBeUndefined();
		expect(await fetched()).toStrictEqual([shaOf(photo)]);
	});

	test('is served with its real type', async () => {
		const data = await host.store(photo, 'photo.bin', 'application/octet-stream');
		await post({ data });
		const [url] = bodies()[0]!.media_urls as string[];
		const response = await fetch(url!);
		expect(response.headers.get('content-type')).toBe('image/jpeg');
	});

	test('is served with its real type if only the item states it', async () => {
		const data = await host.store(photo, 'photo.bin', 'application/octet-stream');
		await post({ data: { ...data, mimeType: 'image/jpeg' } });
		const [url] = bodies()[0]!.media_urls as string[];
		const response = await fetch(url!);
		expect(response.headers.get('content-type')).toBe('image/jpeg');
	});

	test.each([
		[undefined, 7],
		[14, 14],
	])('has links that work for the chosen days (%s)', async (fileLinkValidity, days) => {
		const data = await host.store(photo, 'photo.jpg');
		await post({ data }, undefined, {}, { options: { fileLinkValidity } });
		const [url] = bodies()[0]!.media_urls as string[];
		const [, payload = ''] = new URL(url!).searchParams.get('token')!.split('.');
		const { iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<
			string,
			number
		>;
		expect((exp! - iat!) / 86_400).toBe(days);
	});
});

test('A video of 200 MB is checked, copied and posted with less than 100 MB of memory', async () => {
	const block = Buffer.alloc(1024 * 1024);
	const head = Buffer.concat([
		samples.mp4.subarray(0, 36),
		Buffer.from('\x7f\0\0\0mdat', 'latin1'),
	]);
	const parts = function* () {
		yield head;
		for (let count = 0; count < 200; count++) yield block;
	};
	const video = await host.store(Readable.from(parts()), 'video.mp4', 'video/mp4', 'temp');
	const memory = () => {
		const { heapUsed, external } = process.memoryUsage();
		return heapUsed + external;
	};
	const before = memory();
	// Less memory may be in use than before.
	let most = -Infinity;
	const watch = setInterval(() => (most = Math.max(most, memory() - before)), 2);
	const { error } = await post({ video }, ['video'], {}, { contentType: 'REEL' });
	await platform.emulator.advance(5);
	clearInterval(watch);
	expect(error).toBeUndefined();
	expect(platform.emulator.posts).toMatchObject([
		{
			status: 'published',
			media: [{ type: 'video/mp4', bytes: head.length + 200 * block.length }],
		},
	]);
	expect(most).toBeGreaterThan(-Infinity);
	expect(most).toBeLessThan(100 * 1024 * 1024);
});

describe('Validate', () => {
	test('shows files in place of links, and signs and copies nothing', async () => {
		const data = await host.store(jpegOf(1080, 1920), 'tall.jpg', 'image/jpeg', 'temp');
		const more = await host.store(samples.png, 'small.png', 'image/png');
		const rows = ['={{ Object.values($binary) }}', 'https://cdn.example/a.jpg'];
		const result = await post({ data, more }, rows, {}, { operation: 'validate' });
		expect(jsonOf(result)).toMatchObject([
			{
				valid: true,
				request_body: {
					media_urls: [
						{ file: 'tall.jpg', type: 'image/jpeg', width: 1080, height: 1920 },
						{ file: 'small.png', type: 'image/png', bytes: samples.png.length },
						'https://cdn.example/a.jpg',
					],
				},
				warnings: [
					{
						field: 'Media',
						message:
							'row 1, entry 1 (tall.jpg) is 1080 × 1920 pixels; the photo platform accepts aspect ratios from 4:5 to 1.91:1',
					},
					{
						field: 'Media',
						message: 'row 1, entry 2 (small.png) is PNG; only JPEG is certain to be accepted',
					},
				],
			},
		]);
		expect(JSON.stringify(result.run)).not.toContain('token=');
	});
});

describe('Create refuses', () => {
	const refusal = async (
		files: IBinaryKeyData,
		rows?: unknown[],
		more: Partial<NodeRun> = {},
		parameters: IDataObject = {},
	): Promise<string> => {
		const { error } = await post(files, rows, more, parameters);
		expect(platform.emulator.received).toHaveLength(0);
		expect(error).toMatchObject({ context: { data: { outcome: 'invalid' } } });
		const { outputs } = await post(files, rows, more, { ...parameters, operation: 'validate' });
		const json = outputs[0]![0]!.json;
		expect(json.valid).toBe(false);
		const told = (json.problems as Array<{ field: string; message: string }>).map(
			({ field, message }) => `'${field}' ${message}`,
		);
		expect(told.join('; ')).toBe(error!.message);
		return error!.message;
	};
	const storedPhoto = async () => ({ data: await host.store(photo, 'photo.jpg') });

	test.each([
		['an empty file', Buffer.alloc(0), 'is empty (0 bytes); check where it comes from'],
		[
			'a web page',
			Buffer.from('<!doctype html>'),
			'is not an image or a video that can be posted; use JPEG',
		],
		[
			'an image of 9 MB',
			jpegOf(1080, 1080, '', 9 * 1024 * 1024),
			'is 9 MB; the photo platform accepts at most 8 MB',
		],
	])('%s', async (_, content, reason) => {
		const data = await host.store(content, 'photo.jpg');
		expect(await refusal({ data })).toContain(`'Media' row 1 (photo.jpg) ${reason}`);
	});

	test('files where n8n keeps them in memory', async () => {
		await host.setMode('default');
		try {
			const data = { data: photo.toString('base64'), mimeType: 'image/jpeg', fileName: 'a.jpg' };
			expect(await refusal({ data }, ['data'])).toMatch(
				/^'Media' row 1 \(a\.jpg\) cannot be posted, .* N8N_DEFAULT_BINARY_DATA_MODE/,
			);
		} finally {
			await host.setMode('filesystem');
		}
	});

	test('a file without an ID and without content', async () => {
		const rows = ["={{ { ...$binary, mimeType: 'image/jpeg', fileName: 'a.jpg' } }}"];
		expect(await refusal({}, rows)).toContain(
			'row 1 (a.jpg) was passed without its content; if n8n keeps files in memory, set N8N_DEFAULT_BINARY_DATA_MODE',
		);
	});

	const NO_FILE = 'is neither a link nor a file; enter for example {{ $json.url }} or {{ $binary';
	test.each([
		['a file with another ID', "={{ { ...$binary.data, id: 5, fileName: 'a.jpg' } }}", NO_FILE],
		['an item', '={{ $input.item }}', NO_FILE],
		['no file', '={{ $binary }}', NO_FILE],
		[
			'a path outside of the folder for files',
			"={{ { ...$('Items 0').item.binary, mimeType: 'image/jpeg', id: 'filesystem-v2:../../config' } }}",
			'cannot be read, because n8n has deleted or moved it',
		],
	])('an object that is %s', async (_, row, reason) => {
		expect(await refusal({}, [row])).toMatch(/^'Media' row 1 \(/);
		expect(await refusal({}, [row])).toContain(reason);
	});

	test('a file that the input only describes', async () => {
		const { id } = await host.store(photo, 'private.jpg', 'image/jpeg', '12');
		const file = { id, mimeType: 'image/jpeg', fileName: 'private.jpg' };
		const inline = { data: photo.toString('base64'), mimeType: 'image/jpeg' };
		const items = [
			{ url: 'file', name: 'data', file, inline, binary: file, 'my größe': { binary: file } },
		];
		const rows = [
			...['={{ $json.file }}', '={{ [$json.file] }}', '={{ $json.inline }}', '={{ $json.binary }}'],
			"={{ $('Items 0').item.json.file }}",
			"={{ $('Items 0').item.json.binary }}",
			"={{ $json['my größe'].binary }}",
			"={{ $('Items 0').item.json ['my größe'] .binary }}",
			'={{ [$json].map((one) => one.binary) }}',
			'={{ [$json].at(0).binary }}',
			'={{ [$json.binary].concat($binary.none ?? []) }}',
			"={{ [$json.binary].concat($('Items 0').item.binary ?? []) }}",
		];
		for (const row of rows) expect(await refusal({}, [row], { items })).toContain(NO_FILE);
		const own = await storedPhoto();
		expect(await refusal(own, ['={{ $json.name }}'], { items })).toContain('row 1 (data) is not a');
		expect(await refusal({}, ['={{ $json.url }}'], { items })).toContain('row 1 (file) is not a');
		const postOptions = { videoCoverImageUrl: '={{ $json.file }}' };
		const cover = await refusal(await storedPhoto(), undefined, { items }, { postOptions });
		expect(cover).toContain(`'Video Cover Image' ${NO_FILE}`);
	});

	test.each([
		['={{ [[$binary.data]] }}'],
		['={{ [$binary.data, [$binary.data]] }}'],
		['={{ [Object.values($binary)] }}'],
		['[["https://cdn.example/a.jpg"]]'],
		['={{ [[]] }}'],
	])('a list inside a list: %s', async (row) => {
		expect(await refusal(await storedPhoto(), [row])).toMatch(
			/^'Media' row 1(, entry 2)? \(.*\) is a list inside a list; return one list$/,
		);
	});

	test('a list as the cover image', async () => {
		const files = { ...(await storedPhoto()), other: await host.store(other, 'other.jpg') };
		const postOptions = { videoCoverImageUrl: '={{ Object.values($binary) }}' };
		expect(await refusal(files, undefined, {}, { postOptions })).toBe(
			"'Video Cover Image' is a list; enter one link or file",
		);
	});

	test.each(['={{ $binary.data }} ', '=File: {{ $binary.data }}'])(
		'text around the expression for a file: %j',
		async (row) => {
			expect(await refusal(await storedPhoto(), [row])).toMatch(
				/^'Media' row 1 \(.*\) contains an object instead of text; name one of its fields, or for a file, remove all text around the braces$/,
			);
		},
	);

	test('a video as the cover image', async () => {
		const video = await host.store(samples.mp4, 'video.mp4', 'video/mp4');
		const postOptions = { videoCoverImageUrl: '={{ $binary.video }}' };
		const files = { ...(await storedPhoto()), video };
		expect(await refusal(files, undefined, {}, { postOptions })).toBe(
			"'Video Cover Image' (video.mp4) is a video; the cover must be an image",
		);
	});

	test('a file that n8n has deleted', async () => {
		const data = await host.store(photo, 'photo.jpg');
		await host.remove(data);
		expect(await refusal({ data })).toContain('row 1 (photo.jpg) cannot be read');
	});

	test('the name of a binary property that the item does not have', async () => {
		for (const name of ['photo', 'Mein Foto.jpg', 'bücher', 'constructor']) {
			expect(await refusal(await storedPhoto(), [name])).toContain(
				`'Media' row 1 (${name}) is not a valid link or the name of a file`,
			);
		}
		expect(await refusal(await storedPhoto(), ['={{ $binary.photo }}'])).toContain(
			"'Media' row 1 is empty, or its expression returns nothing for this item; enter a link or a",
		);
	});

	test('an expression for the whole field that returns an empty list', async () => {
		for (const field of ['={{ Object.values($binary) }}', '={{ [] }}'] as never[]) {
			expect(await refusal({}, field)).toBe(
				"'Media' has an expression that returns no value for this item; correct it, or leave the field empty to post without media",
			);
		}
	});

	test('an expression in a row that is set to Fixed', async () => {
		expect(await refusal(await storedPhoto(), ['{{ $binary.data }}'])).toBe(
			"'Media' row 1 ({{ $binary.data }}) is text, not an expression; point at it, and select Expression",
		);
	});

	test.each([
		[
			...['an execution that is not kept', 'trigger', { saveDataSuccessExecution: 'none' }],
			'Save successful production executions',
		],
		[
			...['an execution that is kept only if it succeeds', 'trigger'],
			{ saveDataErrorExecution: 'none' },
			'Save failed production executions',
		],
		[
			...['a manual execution that is not kept', 'manual', { saveManualExecutions: false }],
			'Save manual executions',
		],
	] as const)('files of %s', async (_, mode, workflowSettings, setting) => {
		expect(await refusal(await storedPhoto(), undefined, { mode, workflowSettings })).toBe(
			`'Media' contains a file, but the workflow does not keep this execution, and n8n deletes the file with it; turn on '${setting}' in the workflow's settings`,
		);
	});

	test.each(['http://localhost:5678/rest', 'http://192.168.1.2/rest', 'http://n8n:5678/rest'])(
		'files of an n8n at %s, which the platform cannot reach',
		async (restApiUrl) => {
			const baseUrl = 'https://api.example.com';
			platform.store.stored.set('1', { ...platform.store.stored.get('1')!, baseUrl });
			const { origin } = new URL(restApiUrl);
			expect(await refusal(await storedPhoto(), undefined, { restApiUrl })).toContain(
				`'Media' contains a file, but the platform cannot reach this n8n at ${origin}; set n8n's variable N8N_WEBHOOK_URL (n8n 1: WEBHOOK_URL) to its public address`,
			);
		},
	);

	test('a publish time after the end of the link', async () => {
		const at = (days: number) => ({
			...{ publishTime: 'at', publishAt: `={{ $now.plus({ days: ${days} }) }}` },
		});
		expect(await refusal(await storedPhoto(), undefined, {}, at(9.5))).toBe(
			"'Publish At' is after the links to the files expire (7 days); choose an earlier time, or set 'File Link Validity (Days)' to 10",
		);
		const latest = { ...at(15), options: { fileLinkValidity: 14 } };
		expect(await refusal(await storedPhoto(), undefined, {}, latest)).toBe(
			"'Publish At' is after the links to the files expire (14 days); choose an earlier time, or enter a public URL instead of the file",
		);
	});
});
