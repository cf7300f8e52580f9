import { setTimeout as sleep } from 'node:timers/promises';
import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import { loopback, type Loopback } from '../../loopback';
import { jpegOf, samples } from '../../unit/post/mediaSamples';
import type { NodeRun } from '../harness/engine';
import { FileHost } from '../harness/fileHost';
import { KeySetup } from '../harness/keySetup';
import { pass, stopClock } from '../harness/clock';
import { retryOf, retryOnFail } from '../harness/ledgerOf';
import { jsonOf, textsOf } from '../harness/manyPosts';
import { until } from '../harness/storage';
import { agents, fromAI, runAgent } from '../harness/agentRun';
import { withToken } from '../../storedToken';

const setup = KeySetup.forEachTest();
const { platform } = setup;
let host: FileHost;
beforeAll(async () => {
	host = await FileHost.start();
});
afterAll(async () => await host.stop());

const created = () => platform.received('createPost');
const photo = jpegOf(1080, 1350, 'photo');
const temporary = async (content = photo) =>
	await host.store(content, 'photo.jpg', 'image/jpeg', 'temp');
const parameters: IDataObject = {
	text: '={{ $json.text }}',
	mediaUrls: ['={{ $binary.data }}'],
	options: { maxConcurrentRequests: 1 },
};

/** Posts an item with a file for each text. */
async function run(
	texts: string[],
	files: IBinaryKeyData[],
	more: Partial<NodeRun> = {},
	change: IDataObject = {},
) {
	const items = texts.map((text) => ({ text }));
	const { restApiUrl } = host;
	const { workflowId } = setup;
	return await platform.run(
		{ ...parameters, ...change },
		{ items, files, restApiUrl, workflowId, ...more },
	);
}

describe('A post with a file', () => {
	test('is sent once with Retry on Fail, although each attempt copies the file', async () => {
		const files = [{ data: await temporary() }, { data: await temporary(samples.jpeg) }];
		platform.emulator.fault({
			...{ kind: 'refused', operation: 'createPost' },
			...{ bodyHas: 'two', times: 2 },
		});
		const { error } = await run(['one', 'two'], files, { settings: retryOnFail });
		expect(error).toBeUndefined();
		expect(textsOf(created())).toStrictEqual(['one', 'two', 'two', 'two']);
		const links = created().map(({ body }) => (body as { media_urls: string[] }).media_urls[0]);
		expect(new Set(links).size).toBe(4);
	});

	test('stays unknown in a retry of the execution, after n8n has moved the file', async () => {
		const data = await temporary();
		platform.emulator.fault({ kind: 'reset-after', operation: 'createPost' });
		const first = await run(['one'], [{ data }]);
		const moved = await host.endExecution(data);
		const { error } = await run(['one'], [{ data: moved }], retryOf(first));
		expect(error!.message).toContain('It is not known whether');
		expect(created()).toHaveLength(1);
	});

	test('is the same request after n8n has moved the file, and another one with another file', async () => {
		const data = await temporary();
		const first = await run(['one'], [{ data }]);
		const other = { text: 'one' };
		const again = async (file: IBinaryKeyData) =>
			await run(['other item'], [file], retryOf(first), other);
		expect((await again({ data: await host.endExecution(data) })).error).toBeUndefined();
		expect(created()).toHaveLength(1);
		expect((await again({ data: await temporary(samples.jpeg) })).error).toBeUndefined();
		expect(created()).toHaveLength(2);
	});

	test('is the same request when the item holds the content of the file', async () => {
		const inline = (content: Buffer) => ({
			data: { data: content.toString('base64'), mimeType: 'image/jpeg', fileName: 'a.jpg' },
		});
		const named = { mediaUrls: ['data'] };
		const first = await run(['one'], [inline(photo)], {}, named);
		const again = async (content: Buffer) =>
			await run(['other item'], [inline(content)], retryOf(first), { text: 'one', ...named });
		await again(photo);
		expect(created()).toHaveLength(1);
		await again(samples.jpeg);
		expect(created()).toHaveLength(2);
	});

	test('of a parent workflow is gone when the sub-workflow is retried', async () => {
		const data = await temporary();
		await host.endExecution(data, '6');
		const { error } = await run(['one'], [{ data }], { executionId: '7' });
		expect(error!.message).toBe(
			"'Media' row 1 (photo.jpg) cannot be read, because n8n has deleted or moved it; run the workflow again from the node that provides the file, or, if this is a sub-workflow, retry the execution of its parent",
		);
	});

	test('stays accepted in a retry, although the file was deleted', async () => {
		const data = await temporary();
		const first = await run(['one'], [{ data }]);
		await host.remove(data);
		const again = await run(['one'], [{ data }], retryOf(first));
		expect(again.error).toBeUndefined();
		expect(jsonOf(again)).toStrictEqual(jsonOf(first));
		expect(created()).toHaveLength(1);
	});

	test('keeps its link after the failed execution that provided the file was deleted', async () => {
		const data = await host.store(photo, 'photo.jpg', 'image/jpeg', '7');
		const first = await run(['one'], [{ data }], { executionId: '7' });
		const retry = { ...retryOf(first), executionId: '8' };
		const { error } = await run(['other item'], [{ data }], retry);
		expect(error).toBeUndefined();
		await host.remove(data);
		const [ofFirst, ofRetry] = created().map(({ body }) => (body as IDataObject).media_urls);
		expect((await fetch(ofFirst as string)).status).toBe(404);
		const response = await fetch(ofRetry as string);
		expect(Buffer.from(await response.arrayBuffer()).equals(photo)).toBe(true);
	});

	const linkOf = ({ body }: { body: unknown }) => {
		const [url = ''] = (body as { media_urls: string[] }).media_urls;
		const [, payload = ''] = new URL(url).searchParams.get('token')!.split('.');
		return JSON.parse(Buffer.from(payload, 'base64url').toString()) as { id: string; iat: number };
	};
	const limited = { kind: 'rate-limited-429', operation: 'createPost', retryAfter: 0.8 } as const;

	test('gets a new link after it has waited for a rate limit, but no second copy', async () => {
		const data = await temporary();
		stopClock();
		platform.emulator.fault({ ...limited, retryAfter: 0.1 });
		const running = run(['one'], [{ data }]);
		await until(() => created()[0]?.status === 429);
		pass(2_000);
		const { error } = await running;
		jest.useRealTimers();
		expect(error).toBeUndefined();
		const [first, second] = created().map(linkOf);
		expect(second!.iat - first!.iat).toBeGreaterThanOrEqual(2);
		expect(second!.id).toBe(first!.id);
	});

	/** Posts an item, and one whose file is deleted while the first one waits for a rate limit. */
	const runWithDeleted = async (executionId: string) => {
		const data = await host.store(photo, 'photo.jpg', 'image/jpeg', executionId);
		platform.emulator.fault(limited);
		const running = run(['other', 'one'], [{ data: await temporary(samples.jpeg) }, { data }]);
		await until(() => created().length === 1);
		await sleep(300);
		await host.remove(data);
		return await running;
	};

	test('is not sent when its file was deleted while it waited', async () => {
		const { error } = await runWithDeleted('1');
		expect(error).toMatchObject({ context: { data: { outcome: 'invalid' } } });
		expect(error!.message).toMatch(
			/^Post 2 of 2, “one”: 'Media' row 1 \(photo\.jpg\) cannot be read, because n8n has/,
		);
		expect(textsOf(created())).toStrictEqual(['other', 'other']);
	});

	test('is sent when its temporary file was deleted while it waited', async () => {
		const { error } = await runWithDeleted('temp');
		expect(error).toBeUndefined();
		expect(textsOf(created())).toStrictEqual(['other', 'other', 'one']);
	});

	test('is sent before the next item, even if its file takes longer to copy', async () => {
		const large = await temporary(Buffer.concat([photo, Buffer.alloc(7 * 1024 * 1024)]));
		const { error } = await run(['one', 'two'], [{ data: large }, {}], {}, { mediaUrls: ['data'] });
		expect(textsOf(created())).toStrictEqual(['one']);
		expect(error!.message).toContain('is not a valid link or the name of a file');
		const rows = ["={{ $binary.data ?? 'https://cdn.example/a.jpg' }}"];
		await run(['three', 'four'], [{ data: large }, {}], {}, { mediaUrls: rows });
		expect(textsOf(created())).toStrictEqual(['one', 'three', 'four']);
	});

	test('stops the run before the next item if its file was deleted', async () => {
		const data = await host.store(photo, 'photo.jpg');
		await host.remove(data);
		const rows = ["={{ $binary.data ?? 'https://cdn.example/a.jpg' }}"];
		const { error } = await run(['one', 'two'], [{ data }, {}], {}, { mediaUrls: rows });
		expect(error!.message).toContain('cannot be read');
		expect(created()).toHaveLength(0);
	});

	test('stays unknown when it is resent, but its file was deleted', async () => {
		const data = await temporary();
		platform.emulator.fault({ kind: 'reset-after', operation: 'createPost' });
		const first = await run(['one'], [{ data }]);
		await host.remove(data);
		const options = { resendUnknown: true };
		const { error } = await run(['one'], [{ data }], retryOf(first), { options });
		expect(error).toMatchObject({ context: { data: { outcome: 'unknown' } } });
		expect(error!.description).toContain(
			"This attempt did not publish it. 'Media' row 1 (photo.jpg) cannot be read",
		);
		expect(created()).toHaveLength(1);
	});

	test('is skipped with a used key, although the file was deleted', async () => {
		const options = { oncePerKey: '={{ $json.text }}' };
		const data = await temporary();
		await run(['one'], [{ data }], {}, { options });
		await host.remove(data);
		const again = await run(['one'], [{ data }], {}, { options });
		expect(again.error).toBeUndefined();
		expect(jsonOf(again)).toMatchObject([{ skipped: true, key: 'one' }]);
		const other = await run(['two'], [{ data }], {}, { options });
		expect(other.error!.message).toContain('row 1 (photo.jpg) cannot be read');
		expect(created()).toHaveLength(1);
	});

	test.each(agents)('is sent once by an agent of version $version that repeats it', async (way) => {
		const told = await runAgent({
			...{ platform, agent: way.type, restApiUrl: host.restApiUrl },
			items: [{ json: {}, binary: { data: await temporary() } }],
			turns: [[{ text: 'one' }], [{ text: 'one' }], [{ text: 'two' }]],
			parameters: {
				...{ socialAccountId: 'acc_1', text: fromAI('text') },
				mediaUrls: ["={{ $('Start').first().binary.data }}"],
			},
		});
		expect(told.map(({ repeated }) => repeated)).toStrictEqual([undefined, true, undefined]);
		expect(textsOf(created())).toStrictEqual(['one', 'two']);
	});
});

describe('Check Media', () => {
	let site: Loopback;
	beforeEach(async () => {
		site = await loopback((_, response) => response.end(photo));
	});
	afterEach(async () => await site.stop());

	test.each([
		['accepted', {}, 'one'],
		['unknown', {}, 'one'],
		['used', { oncePerKey: 'a key' }, 'two'],
	])('opens no link of a post that is %s and not sent again', async (outcome, more, text) => {
		const options = { checkMedia: true, ...more };
		const change = { mediaUrls: [`${site.url}/a.jpg`], options };
		if (outcome === 'unknown') {
			platform.emulator.fault({ kind: 'reset-after', operation: 'createPost' });
		}
		const first = await run(['one'], [{}], {}, change);
		expect(site.received).toHaveLength(1);
		await run([text], [{}], outcome === 'used' ? {} : retryOf(first), change);
		expect(site.received).toHaveLength(1);
		expect(created()).toHaveLength(1);
	});
});

describe('The token of a link', () => {
	let server: Loopback;
	let sent: string;
	let respond: (body: { media_urls: string[] }) => string;
	beforeEach(async () => {
		server = await loopback((request, response) => {
			let text = '';
			request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
			request.on('end', () => {
				sent = text;
				const answer = respond(JSON.parse(text) as { media_urls: string[] });
				if (answer === '') response.destroy();
				else if (answer === '302') response.writeHead(302, linkIn(text)).end();
				else response.end(answer);
			});
		});
		withToken(platform.credential, 'a-token-of-the-test', { baseUrl: server.url });
	});
	afterEach(async () => await server.stop());

	const linkIn = (text: string) => ({
		location: (JSON.parse(text) as { media_urls: string[] }).media_urls[0],
	});
	const refusal = (message: string) => JSON.stringify({ success: false, code: 2150, message });
	test.each<[string, typeof respond]>([
		[
			'an accepted post',
			({ media_urls }) => JSON.stringify({ success: true, code: 200, data: { media_urls } }),
		],
		['a refused post', ({ media_urls }) => refusal(`No access to …${media_urls[0]!.slice(-150)}`)],
		[
			'a refused post in URL encoding',
			({ media_urls }) => refusal(encodeURIComponent(media_urls[0]!.slice(-100))),
		],
		['a message that is cut off', ({ media_urls }) => refusal(media_urls[0]!.slice(0, -25))],
		['a closed connection', () => ''],
		['a redirect', () => '302'],
		['a response without sense', ({ media_urls }) => `<html>${media_urls[0]!.slice(-150)}</html>`],
	])('is only in the request, although the response to %s repeats it', async (_, response) => {
		respond = response;
		const files = [{ data: await temporary() }];
		const result = await run(['one'], files, { settings: retryOnFail });
		const [, token = ''] = /token=([\w.-]+)/.exec(sent)!;
		expect(token.length).toBeGreaterThan(100);
		const left = JSON.stringify([result.run, result.contextData, result.error?.context]);
		expect(left.length).toBeGreaterThan(1000);
		const [, payload = '', signature = ''] = token.split('.');
		for (const part of [payload.slice(0, 60), signature]) {
			expect(part && left.includes(part)).toBe(false);
		}
	});
});
