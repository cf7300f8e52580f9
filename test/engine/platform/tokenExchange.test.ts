import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import {
	giveToken,
	notSent,
	respond,
	startCustomPlatform,
	type CustomPlatform,
} from '../harness/customPlatform';
import { eachText, itemsOf, jsonOf } from '../harness/manyPosts';
import { startPlatform, usePlatform } from '../harness/platform';
import { until } from '../harness/storage';

const platform = usePlatform();
let custom: CustomPlatform;
beforeEach(async () => {
	custom = await startCustomPlatform(platform);
});
afterEach(async () => await custom.stop());

const noWait = { options: { rateLimitWait: 0 } };
const isClosed = () => custom.exchanges().every(({ socket }) => socket.destroyed);
const refusal = { success: false, message: '签名错误' };

describe('A refused token exchange', () => {
	test.each([
		[
			{ code: 10108 },
			200,
			/: the signature is wrong, .* \(code 10108: “签名.+ Check the App Secret/,
		],
		[{ code: 1003, message: '无权限' }, 200, /: no permission \(code 1003: “无权限”\)/],
		[
			{ code: 7, message: 'no' },
			401,
			/not authorized \(code 7: “no”\)\. Check App ID and App Secret/,
		],
		[
			{ code: 429, message: '系统繁忙' },
			200,
			/: too many requests \(code 429: “系统繁忙”\)\. The request had no effect\. Wait a moment, then retry\. The platform asks/,
		],
	])('is explained: %j with HTTP %i', async (body, status, says) => {
		custom.exchange = (response) =>
			respond(response, status, { ...refusal, ...body }, { 'retry-after': '1' });
		const { error } = await platform.run(noWait);
		expect(error).toMatchObject(notSent(says));
		expect(error!.message).not.toMatch(/this account|Minimum Interval/);
	});

	test('happens once for many items if the credential must be fixed', async () => {
		custom.exchange = (response) => respond(response, 200, { success: false, code: 10108 });
		const onError = 'continueRegularOutput';
		const { outputs } = await platform.run({}, { items: itemsOf(40), onError });
		expect(outputs[0]).toHaveLength(40);
		expect(outputs[0]![39]!.json.error).toContain('the signature is wrong');
		expect(custom.exchanges()).toHaveLength(1);
	});

	test('happens once for runs at the same time, and does not affect later ones', async () => {
		custom.exchange = (response) => void response.writeHead(502).end('<h1>down');
		const run = async () => (await platform.run()).error;
		const errors = await Promise.all(Array.from({ length: 10 }, run));
		expect(errors).not.toContain(undefined);
		expect(custom.exchanges()).toHaveLength(1);
		custom.exchange = giveToken;
		expect(await run()).toBeUndefined();
	});
});

test('The signature of a token request is redacted in its error', async () => {
	const emulated = await startPlatform();
	emulated.emulator.fault({ kind: 'echo-secrets', operation: 'getAccessToken' });
	const { error } = await emulated.run();
	expect(error!.message).toContain('[redacted]');
	const { signature } = emulated.received('getAccessToken')[0]!.body as { signature: string };
	expect(error!.message).not.toContain(signature);
	await emulated.stop();
});

describe('A token response', () => {
	test('is aborted at 4 MB, also if it is compressed, without filling the memory', async () => {
		/** A gigabyte of spaces, compressed to a megabyte. */
		const bomb = Buffer.concat(Array<Buffer>(16).fill(gzipSync(Buffer.alloc(64 * 2 ** 20, ' '))));
		const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
		custom.exchange = (response) => response.writeHead(200, headers).end(bomb);
		const before = process.memoryUsage().rss;
		let most = 0;
		const sampling = setInterval(() => {
			most = Math.max(most, process.memoryUsage().rss - before);
		}, 5);
		const { error } = await platform.run();
		clearInterval(sampling);
		const says =
			/^Nothing was sent .*: the platform responded with more than 4 MB.* Check the Base/;
		expect(error).toMatchObject(notSent(says));
		expect(most).toBeLessThan(100 * 2 ** 20);
		await until(isClosed);
	});
});

describe('A token exchange that fails because of the network', () => {
	const AVAILABLE = /^Check that the platform is available/;
	test.each<[string, () => unknown, RegExp, RegExp]>([
		[
			'refuses the connection',
			async () => await custom.stop(),
			/the connection was refused$/,
			AVAILABLE,
		],
		[
			'resets the connection',
			() => (custom.exchange = (response) => response.socket!.resetAndDestroy()),
			/the connection was closed before a response arrived$/,
			AVAILABLE,
		],
		[
			'responds with HTTP 503',
			() => (custom.exchange = (response) => void response.writeHead(503).end('<h1>down')),
			/the platform or a proxy responded with HTTP 503$/,
			/^The platform seems to be having technical difficulties\. Try again later\.$/m,
		],
	])('does not blame the credential if the platform %s', async (_, fail, reason, advice) => {
		await fail();
		const { error } = await platform.run({}, { items: [{}, {}] });
		expect(error).toMatchObject({
			...notSent(
				/^Nothing was sent for post 1 of 2, “Hello”: could not get an access token from 127\./,
			),
			description: expect.stringMatching(advice),
			failure: { cause: 'temporarily-unavailable' },
		});
		expect(error!.message).toMatch(reason);
		expect(error!.description).not.toContain('credential');
		expect(custom.posts()).toEqual([]);
	});

	test('says that the credential must be fixed if the host does not exist', async () => {
		Object.assign(platform.credential, { baseUrl: 'https://api..example.com' });
		const { error } = await platform.run();
		expect(error).toMatchObject({
			...notSent(/^Nothing was sent for the post\. Could not get .*: the host was not found\./),
			description: 'Fix the credential, test it, and retry.',
			failure: undefined,
		});
	});
});

describe('A token exchange with a rate limit', () => {
	const tooMany = (seconds: string) => (response: ServerResponse) => {
		const body = { success: false, code: 4290, message: '操作过于频繁' };
		respond(response, 429, body, { 'retry-after': seconds });
	};
	const post = (rateLimitWait: number, count = 1) =>
		[eachText({ rateLimitWait }), { items: itemsOf(count) }] as const;

	test("happens once for 30 items, which report the platform's message", async () => {
		custom.exchange = tooMany('60');
		const [parameters, more] = post(0, 30);
		const items = jsonOf(
			await platform.run(parameters, { ...more, onError: 'continueRegularOutput' }),
		);
		expect(items).toHaveLength(30);
		for (const item of items) {
			expect(item).toMatchObject({
				error: expect.stringMatching(
					/did not issue an access token: too many requests \(.*“操作过于频繁”\).*asks you to wait: Retry-After 60\./,
				),
				details: { outcome: 'not_sent', retry_after: '60' },
			});
		}
		expect([custom.exchanges().length, custom.posts().length]).toEqual([1, 0]);
	});

	test('is repeated once after the wait for 30 items, which are then sent', async () => {
		custom.exchange = (response) => {
			custom.exchange = giveToken;
			tooMany('0.6')(response);
		};
		const begun = Date.now();
		const { error, hints } = await platform.run(...post(60, 30));
		expect(error).toBeUndefined();
		expect(Date.now() - begun).toBeGreaterThanOrEqual(600);
		expect([custom.exchanges().length, custom.posts().length]).toEqual([2, 30]);
		expect(hints[0]).toMatch(/Waited (0\.\d|1|1\.\d) s for the platform's rate limit\./);
	});

	test("is recognized by the credential's Rate-Limit Codes", async () => {
		Object.assign(platform.credential, { rateLimitCodes: '4711' });
		custom.exchange = (response) => {
			custom.exchange = giveToken;
			respond(response, 200, { ...refusal, code: 4711 });
		};
		expect((await platform.run()).error).toBeUndefined();
		expect(custom.exchanges()).toHaveLength(2);
	});

	test('pauses later runs only of the same application', async () => {
		custom.exchange = tooMany('60');
		await platform.run(...post(0));
		custom.exchange = giveToken;
		const held = await platform.run(...post(2));
		expect(held.error).toMatchObject({ context: { data: { outcome: 'not_sent' } } });
		expect(custom.exchanges()).toHaveLength(1);
		Object.assign(platform.credential, { appId: 'another' });
		expect((await platform.run()).error).toBeUndefined();
		expect(custom.exchanges()).toHaveLength(2);
	});
});
