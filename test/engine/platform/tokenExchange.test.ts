import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import {
	giveToken,
	notSent,
	respond,
	startCustomPlatform,
	type CustomPlatform,
} from '../harness/customPlatform';
import { startPlatform, usePlatform } from '../harness/platform';
import { until } from '../harness/storage';
import { withToken } from '../../storedToken';

const platform = usePlatform();
let custom: CustomPlatform;
beforeEach(async () => {
	custom = await startCustomPlatform(platform);
});
afterEach(async () => await custom.stop());

describe('Token exchange', () => {
	test.each([
		[
			{ success: false, code: 1003, message: '签名错误' },
			/: the signature is wrong, .* \(code 1003: “签名错误”\)\. Check the App Secret/,
		],
		[
			{ success: false, code: 1002, message: 'Invalid signature' },
			/: the signature is wrong, .* \(code 1002/,
		],
		[
			{ success: false, code: 10108, message: '签名错误' },
			/: the signature is wrong, which usually means a wrong App Secret/,
		],
		[{ success: false, code: 1003, message: '无权限' }, /: no permission \(code 1003: “无权限”\)/],
		[
			{ success: false, code: 429, message: '系统繁忙' },
			/: too many requests \(code 429: “系统繁忙”\)\. The request had no effect\. Wait a moment, then retry\. The platform asks/,
		],
	])('explains the refusal %j', async (body, says) => {
		custom.exchange = (response) => respond(response, 200, body, { 'retry-after': '1' });
		const { error } = await platform.run({ options: { rateLimitWait: 0 } });
		expect(error).toMatchObject(notSent(says));
		expect(error!.message).not.toMatch(/this account|Minimum Interval/);
	});

	test('happens once for many items if the credential must be fixed', async () => {
		custom.exchange = (response) => respond(response, 200, { success: false, code: 10108 });
		const more = {
			items: Array<object>(40).fill({}) as [],
			onError: 'continueRegularOutput' as const,
		};
		const { outputs } = await platform.run({}, more);
		expect(outputs[0]).toHaveLength(40);
		expect(outputs[0]![39]!.json.error).toContain('the signature is wrong');
		expect(custom.exchanges()).toHaveLength(1);
	});

	describe('with a very large response', () => {
		/** A gigabyte of spaces, compressed to a megabyte. */
		const bomb = Buffer.concat(Array<Buffer>(16).fill(gzipSync(Buffer.alloc(64 * 2 ** 20, ' '))));

		const respondWithBomb = (status: number) => (response: ServerResponse) =>
			response
				.writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
				.end(bomb);

		test.each([200, 404])(
			'aborts a compressed response without filling the memory: HTTP %i',
			async (status) => {
				const says =
					/^Nothing was sent .*: the platform responded with more than 4 MB.* Check the Base URL/;
				expect(bomb.length).toBeLessThan(1.1 * 2 ** 20);
				custom.exchange = respondWithBomb(status);
				const before = process.memoryUsage().rss;
				let most = 0;
				const sampling = setInterval(() => {
					most = Math.max(most, process.memoryUsage().rss - before);
				}, 5);
				const begun = Date.now();
				const { error } = await platform.run();
				clearInterval(sampling);
				expect(error).toMatchObject(notSent(says));
				expect(Date.now() - begun).toBeLessThan(5_000);
				expect(most).toBeLessThan(100 * 2 ** 20);
				await until(() => custom.exchanges().every(({ socket }) => socket.destroyed));
				expect(custom.posts()).toEqual([]);
			},
		);

		test('aborts an uncompressed response at 4 MB', async () => {
			custom.exchange = (response) => {
				response.writeHead(200, { 'content-type': 'application/json' });
				response.write(' '.repeat(2 ** 22 + 1));
			};
			const begun = Date.now();
			expect((await platform.run()).error).toMatchObject(notSent(/more than 4 MB/));
			await until(() => custom.exchanges().every(({ socket }) => socket.destroyed));
			expect(Date.now() - begun).toBeLessThan(5_000);
		});

		test('reads the token of a response of almost 4 MB', async () => {
			custom.exchange = (response) => {
				const data = { filling: ' '.repeat(2 ** 22 - 200), access_token: 'a-token' };
				respond(response, 200, { success: true, code: 200, data });
			};
			expect((await platform.run()).error).toBeUndefined();
			expect(custom.posts()[0]!.headers['x-legacy-token']).toBe('a-token');
		});
	});

	test('reports a connection that closes during the response', async () => {
		custom.exchange = (response) => {
			response.writeHead(200, { 'content-type': 'application/json' });
			response.write('{"success":');
			setTimeout(() => response.destroy(), 50);
		};
		expect((await platform.run()).error).toMatchObject(
			notSent(/could not get an access token from .*: the connection was closed/),
		);
	});
});

describe('A token exchange that fails because of the network', () => {
	const down: Record<string, [fail: () => unknown, reason: RegExp, advice: RegExp]> = {
		'refuses the connection': [
			async () => await custom.stop(),
			/the connection was refused$/,
			/^Check that the platform is available/,
		],
		'resets the connection': [
			() => (custom.exchange = (response) => response.socket!.resetAndDestroy()),
			/the connection was closed before a response arrived$/,
			/^Check that the platform is available/,
		],
		'responds with HTTP 503': [
			() => (custom.exchange = (response) => void response.writeHead(503).end('<h1>down')),
			/the platform or a proxy responded with HTTP 503$/,
			/^The platform seems to be having technical difficulties\. Try again later\.$/m,
		],
	};

	test.each(Object.keys(down))('does not blame the credential if the platform %s', async (how) => {
		const [fail, reason, advice] = down[how]!;
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
	const tooMany =
		(headers = {}, body = {}) =>
		(response: ServerResponse) =>
			respond(
				response,
				429,
				{ success: false, code: 4290, message: '操作过于频繁', ...body },
				headers,
			);
	const items = (count: number) =>
		Array.from({ length: count }, (_, index) => ({ text: `${index}` }));
	const eachText = (rateLimitWait: number) => ({
		text: '={{ $json.text }}',
		options: { rateLimitWait },
	});
	const continuing = { onError: 'continueRegularOutput' } as const;
	const detailsOf = (outputs: Array<Array<{ json: object }>>) =>
		outputs[0]!.map(({ json }) => (json as { details?: object }).details);

	test("happens once for 30 items, which report the platform's message", async () => {
		custom.exchange = tooMany({ 'retry-after': '60' });
		const { outputs } = await platform.run(eachText(0), { items: items(30), ...continuing });
		expect(custom.exchanges()).toHaveLength(1);
		expect(custom.posts()).toEqual([]);
		expect(detailsOf(outputs)).toEqual(
			Array(30).fill(expect.objectContaining({ outcome: 'not_sent', retry_after: '60' })),
		);
		expect(outputs[0]![29]!.json.error).toMatch(
			/did not issue an access token: too many requests \(.*“操作过于频繁”\).*asks you to wait: Retry-After 60\./,
		);
	});

	test('is repeated once after the wait for 30 items, which are then sent', async () => {
		custom.exchange = (response) => {
			custom.exchange = giveToken;
			tooMany({ 'retry-after': '0.6' })(response);
		};
		const begun = Date.now();
		const { error, hints } = await platform.run(eachText(60), { items: items(30) });
		expect(error).toBeUndefined();
		expect(Date.now() - begun).toBeGreaterThanOrEqual(600);
		expect(custom.exchanges()).toHaveLength(2);
		expect(custom.posts()).toHaveLength(30);
		expect(hints[0]).toMatch(
			/Waited (0\.\d|1|1\.\d) seconds?, because the platform reported a rate limit once/,
		);
	});

	test("is recognized by the credential's Rate-Limit Codes", async () => {
		Object.assign(platform.credential, { rateLimitCodes: '4711' });
		custom.exchange = (response) => {
			custom.exchange = giveToken;
			respond(response, 200, { success: false, code: 4711, message: '系统繁忙' });
		};
		expect((await platform.run()).error).toBeUndefined();
		expect(custom.exchanges()).toHaveLength(2);
	});

	test('pauses later runs only of the same application', async () => {
		custom.exchange = tooMany({ 'retry-after': '60' });
		await platform.run(eachText(0), { items: items(1) });
		custom.exchange = giveToken;
		const held = await platform.run(eachText(2), { items: items(1) });
		expect(held.error).toMatchObject({ context: { data: { outcome: 'not_sent' } } });
		expect(custom.exchanges()).toHaveLength(1);
		const other = await startPlatform();
		const url = platform.credential.baseUrl;
		Object.assign(other.credential, { baseUrl: url });
		expect((await other.run()).error).toBeUndefined();
		expect(custom.exchanges()).toHaveLength(2);
		await other.stop();
	});

	test('fails if the platform asks for a longer wait than allowed', async () => {
		custom.exchange = tooMany({ 'retry-after': '61' });
		const begun = Date.now();
		const { error } = await platform.run(eachText(60), { items: items(3) });
		expect(error).toMatchObject(notSent(/Retry-After 61/));
		expect(Date.now() - begun).toBeLessThan(30_000);
	});

	test('can be canceled during the wait', async () => {
		custom.exchange = tooMany({ 'retry-after': '60' });
		const running = platform.start(eachText(300), { items: items(5) });
		await until(() => custom.exchanges().length === 1);
		await new Promise((resolve) => setTimeout(resolve, 200));
		running.cancel();
		await running.done;
		expect(custom.exchanges()).toHaveLength(1);
		expect(custom.posts()).toEqual([]);
	});
});

describe('A revoked token', () => {
	test.each([30, 300])(
		'is replaced by one exchange for 10 executions if a new token keeps the others valid: %i ms',
		async (latencyMs) => {
			let posts = 0;
			custom.post = async (request, response) => {
				const ms = ((posts++ % 10) / 10) * latencyMs;
				await new Promise((resolve) => setTimeout(resolve, ms));
				const isGood = request.headers['x-legacy-token'] === 'a-token';
				if (isGood) respond(response, 200, { success: true, code: 200, data: { id: '1' } });
				else respond(response, 200, { success: false, code: 10104, message: 'access_token 无效' });
			};
			custom.exchange = (response) => setTimeout(() => giveToken(response), latencyMs / 3);
			withToken(platform.credential, `revoked-${latencyMs}`);
			const results = await Promise.all(
				Array.from({ length: 10 }, async (_, index) => {
					await new Promise((resolve) => setTimeout(resolve, 10 * index));
					return await platform.run();
				}),
			);
			expect(results.filter(({ error }) => error)).toEqual([]);
			expect(custom.exchanges()).toHaveLength(1);
		},
	);

	test('is read from the store after another process has replaced it, without an exchange', async () => {
		const seen: string[] = [];
		const credential = withToken({ ...platform.store.stored.get('1')! }, 'first');
		custom.post = async (request, response) => {
			seen.push(request.headers['x-legacy-token'] as string);
			const isGood = seen.length > 2;
			if (isGood) respond(response, 200, { success: true, code: 200, data: { id: '1' } });
			else respond(response, 200, { success: false, code: 10104, message: 'access_token 无效' });
			// Another process stores a token and revokes the earlier one.
			platform.store.stored.set('1', withToken({ ...credential }, `other-${seen.length}`));
		};
		platform.store.stored.set('1', credential);
		expect((await platform.run()).error).toBeUndefined();
		expect(seen).toEqual(['first', 'other-1', 'other-2']);
		expect(custom.exchanges()).toEqual([]);
	});
});
