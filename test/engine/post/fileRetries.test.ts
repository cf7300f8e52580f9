import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import type { ServerResponse } from 'node:http';
import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import { loopback } from '../../loopback';
import { jpegOf, samples } from '../../unit/post/mediaSamples';
import { respond, startCustomPlatform } from '../harness/customPlatform';
import type { NodeRun } from '../harness/engine';
import { FileHost } from '../harness/fileHost';
import { KeySetup } from '../harness/keySetup';
import { pass, stopClock } from '../harness/clock';
import { retryOf, retryOnFail } from '../harness/ledgerOf';
import { jsonOf, textsOf } from '../harness/manyPosts';
import { until } from '../harness/storage';
import { postsOf } from './postSetup';

const setup = KeySetup.forEachTest();
const { platform, created, fault } = postsOf(setup.platform);
let host: FileHost;
beforeAll(async () => {
	host = await FileHost.start();
});
afterAll(async () => await host.stop());

const photo = jpegOf(1080, 1350, 'photo');
const store = async (content = photo, executionId = 'temp') =>
	await host.store(content, 'photo.jpg', 'image/jpeg', executionId);
const inline = (content: Buffer) => ({
	...{ data: content.toString('base64'), mimeType: 'image/jpeg', fileName: 'a.jpg' },
});
const linkOf = ({ body }: { body: unknown }) => (body as { media_urls: string[] }).media_urls[0]!;

/** Posts an item with a file for each text. */
const run = async (
	texts: string[],
	files: Array<IBinaryKeyData[string] | undefined>,
	more: Partial<NodeRun> = {},
	change: IDataObject = {},
) =>
	await platform.run(
		{
			...{ text: '={{ $json.text }}', mediaUrls: ['={{ $binary.data }}'] },
			...{ options: { maxConcurrentRequests: 1 }, ...change },
		},
		{
			items: texts.map((one) => ({ text: one })),
			files: files.map((data): IBinaryKeyData => (data ? { data } : {})),
			...{ restApiUrl: host.restApiUrl, workflowId: setup.workflowId, ...more },
		},
	);

describe('A post with a file', () => {
	test('is sent once with Retry on Fail, although each attempt copies the file', async () => {
		fault('refused', { bodyHas: 'two', times: 2 });
		const files = [await store(), await store(samples.jpeg)];
		const { error } = await run(['one', 'two'], files, { settings: retryOnFail });
		expect(error).toBeUndefined();
		expect(textsOf(created())).toStrictEqual(['one', 'two', 'two', 'two']);
		expect(new Set(created().map(linkOf)).size).toBe(4);
	});

	test.each([
		['after n8n has moved the file', store],
		['when it holds the content of the file', async (content?: Buffer) => inline(content ?? photo)],
	])('is the same request with another item %s, and not with another file', async (_, give) => {
		const change = { text: 'one', mediaUrls: ['data'] };
		const data = await give();
		const earlier = retryOf(await run(['one'], [data], {}, change));
		const same = 'id' in data ? await host.endExecution(data) : data;
		await run(['other item'], [same], earlier, change);
		expect(created()).toHaveLength(1);
		await run(['other item'], [await give(samples.jpeg)], earlier, change);
		expect(created()).toHaveLength(2);
	});

	test('stays accepted in a retry, although the file was deleted', async () => {
		const data = await store();
		const first = await run(['one'], [data]);
		await host.remove(data);
		const again = await run(['one'], [data], retryOf(first));
		expect(again.error).toBeUndefined();
		expect(jsonOf(again)).toStrictEqual(jsonOf(first));
		expect(created()).toHaveLength(1);
	});

	test('gets a new link after it has waited for a rate limit, but no second copy', async () => {
		stopClock();
		fault('rate-limited-429', { retryAfter: 0.1 });
		const running = run(['one'], [await store()]);
		await until(() => created()[0]?.status === 429);
		pass(2_000);
		const { error } = await running;
		jest.useRealTimers();
		expect(error).toBeUndefined();
		const [first, second] = created().map((request) => {
			const [, payload = ''] = new URL(linkOf(request)).searchParams.get('token')!.split('.');
			return JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
				id: string;
				iat: number;
			};
		});
		expect(second!.iat - first!.iat).toBeGreaterThanOrEqual(2);
		expect(second!.id).toBe(first!.id);
	});

	test('is not sent when its file was deleted while it waited for a rate limit', async () => {
		const data = await store(photo, '1');
		fault('rate-limited-429', { retryAfter: 0.8 });
		const running = run(['other', 'one'], [await store(samples.jpeg), data]);
		await until(() => created().length === 1);
		await sleep(300);
		await host.remove(data);
		expect((await running).error!.message).toMatch(
			/^Post 2 of 2, “one”: 'Media' row 1 \(photo\.jpg\) cannot be read/,
		);
		expect(textsOf(created())).toStrictEqual(['other', 'other']);
	});
});

test.each([
	['accepted', {}],
	['unknown', {}],
	['used', { oncePerKey: 'a key' }],
])('Check Media opens no link of a post that is %s and not sent again', async (outcome, more) => {
	const site = await loopback((_, response) => response.end(photo));
	const change = { mediaUrls: [`${site.url}/a.jpg`], options: { checkMedia: true, ...more } };
	if (outcome === 'unknown') fault('reset-after');
	const first = await run(['one'], [undefined], {}, change);
	expect(site.received).toHaveLength(1);
	await run(['one'], [undefined], outcome === 'used' ? {} : retryOf(first), change);
	expect(site.received).toHaveLength(1);
	expect(created()).toHaveLength(1);
	await site.stop();
});

describe('The token of a link', () => {
	const refuse = (message: string) => (response: ServerResponse) =>
		void respond(response, 200, { success: false, code: 2150, message });

	test.each<[string, (link: string) => (response: ServerResponse) => void]>([
		[
			'an accepted post',
			(link) => (response) =>
				void respond(response, 200, {
					success: true,
					code: 200,
					data: { link, payload: link.split('.').at(-3) },
				}),
		],
		['a refused post', (link) => refuse(`No access to …${link.slice(-150)}`)],
		['a message that is cut off', (link) => refuse(link.slice(0, -25))],
		['a redirect', (location) => (response) => void response.writeHead(302, { location }).end()],
	])('is only in the request, although the response to %s repeats it', async (_, repeat) => {
		const custom = await startCustomPlatform(platform);
		let link = '';
		custom.post = async (request, response) => {
			link = linkOf({ body: JSON.parse(await text(request)) });
			repeat(link)(response);
		};
		const result = await run(['one'], [await store()], { settings: retryOnFail });
		await custom.stop();
		const [, token = ''] = /token=([\w.-]+)/.exec(link)!;
		const left = JSON.stringify([result.run, result.contextData, result.error?.context]);
		expect([token.length > 100, left.length > 1000]).toStrictEqual([true, true]);
		const [, payload = '', signature = ''] = token.split('.');
		expect(left).not.toContain(payload.slice(0, 60));
		expect(left).not.toContain(signature);
	});
});
