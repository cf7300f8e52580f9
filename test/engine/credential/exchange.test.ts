import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { loopback, type Loopback } from '../../loopback';
import { statesOf } from '../harness/ledgerOf';
import { startPlatform, type Platform } from '../harness/platform';
import { until } from '../harness/storage';

let platform: Platform;
beforeEach(async () => {
	platform = await startPlatform();
});
afterEach(async () => await platform.stop());

/** A platform of another make: what its token exchange does can be changed. */
interface OtherMake extends Loopback {
	exchange: (response: ServerResponse) => void;
	post: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
	exchanges: () => IncomingMessage[];
	posts: () => IncomingMessage[];
}

const say = (response: ServerResponse, status: number, body: object, headers = {}) =>
	response.writeHead(status, headers).end(JSON.stringify(body));

const giveToken = (response: ServerResponse) =>
	say(response, 200, { success: true, code: 200, data: { access_token: 'a-token' } });

async function otherMake(of: Platform): Promise<OtherMake> {
	const isExchange = ({ url }: IncomingMessage) => url === '/api/v1/getAccessToken';
	const server = await loopback((request, response) => {
		if (isExchange(request)) made.exchange(response);
		else void made.post(request, response);
	});
	const made: OtherMake = {
		...server,
		exchange: giveToken,
		post: (_, response) => {
			say(response, 200, { success: true, code: 200, data: { id: '1' } });
		},
		exchanges: () => server.received.filter(isExchange),
		posts: () => server.received.filter((request) => !isExchange(request)),
	};
	Object.assign(of.credential, { baseUrl: server.url, accessToken: '' });
	return made;
}

const notSent = (message: RegExp) => ({
	message: expect.stringMatching(message),
	context: { data: { outcome: 'not_sent' } },
});

describe('A token exchange that does not end', () => {
	const drips: Record<string, (response: ServerResponse) => void> = {
		body: (response) => {
			response.writeHead(200, { 'content-type': 'application/json' });
			const drops = setInterval(() => response.write(' '), 200);
			response.on('close', () => clearInterval(drops));
		},
		header: ({ socket }) => {
			socket!.write('HTTP/1.1 200 OK\r\nx-slow: ');
			const drops = setInterval(() => socket!.write('x'), 200);
			socket!.on('close', () => clearInterval(drops));
		},
	};

	test.each(Object.keys(drips))(
		'is aborted after 20 seconds for all who wait, and forgotten: a %s in drops',
		async (what) => {
			const make = await otherMake(platform);
			make.exchange = drips[what]!;
			const begun = Date.now();
			const first = platform.run();
			await new Promise((resolve) => setTimeout(resolve, 5_000));
			const results = await Promise.all([first, platform.run()]);
			expect(Date.now() - begun).toBeGreaterThan(19_900);
			expect(Date.now() - begun).toBeLessThan(22_000);
			for (const { error } of results) {
				expect(error).toMatchObject(notSent(/No access token from .*no answer came in time/));
			}
			await until(() => make.exchanges().every(({ socket }) => socket.destroyed));
			make.exchange = giveToken;
			expect((await platform.run()).error).toBeUndefined();
			expect(make.exchanges()).toHaveLength(2);
			expect(make.posts()).toHaveLength(1);
			await make.stop();
		},
		40_000,
	);
});

describe('A token exchange', () => {
	test('whose token no header can carry says so', async () => {
		const make = await otherMake(platform);
		make.exchange = (response) =>
			say(response, 200, { success: true, code: 200, data: { access_token: 'a-token\n' } });
		expect((await platform.run()).error).toMatchObject(
			notSent(/accepted App ID and App Secret, but the access_token in its answer cannot be used/),
		);
		await make.stop();
	});

	describe('with a very large response', () => {
		/** A gigabyte of blanks, in a megabyte. */
		const bomb = Buffer.concat(Array<Buffer>(16).fill(gzipSync(Buffer.alloc(64 * 2 ** 20, ' '))));

		const sayBomb = (status: number) => (response: ServerResponse) =>
			response
				.writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
				.end(bomb);

		test.each([
			[200, /^Nothing was sent .*: the platform answered with more than 1 MB.* Check the Base URL/],
			[404, /gave no access token: HTTP 404/],
		])('ends at once, without filling the memory: HTTP %i', async (status, says) => {
			expect(bomb.length).toBeLessThan(1.1 * 2 ** 20);
			const make = await otherMake(platform);
			make.exchange = sayBomb(status);
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
			await until(() => make.exchanges().every(({ socket }) => socket.destroyed));
			expect(make.posts()).toEqual([]);
			await make.stop();
		});

		test('ends at 1 MB without compression too, while more would follow', async () => {
			const make = await otherMake(platform);
			make.exchange = (response) => {
				response.writeHead(200, { 'content-type': 'application/json' });
				response.write(' '.repeat(2 ** 20 + 1));
			};
			const begun = Date.now();
			expect((await platform.run()).error).toMatchObject(notSent(/more than 1 MB/));
			expect(Date.now() - begun).toBeLessThan(5_000);
			await until(() => make.exchanges().every(({ socket }) => socket.destroyed));
			await make.stop();
		});

		test('of just less than 1 MB gives its token', async () => {
			const make = await otherMake(platform);
			make.exchange = (response) => {
				const data = { filling: ' '.repeat(2 ** 20 - 200), access_token: 'a-token' };
				say(response, 200, { success: true, code: 200, data });
			};
			expect((await platform.run()).error).toBeUndefined();
			expect(make.posts()[0]!.headers['x-legacy-token']).toBe('a-token');
			await make.stop();
		});
	});

	test('whose connection breaks within the response says so', async () => {
		const make = await otherMake(platform);
		make.exchange = (response) => {
			response.writeHead(200, { 'content-type': 'application/json' });
			response.write('{"success":');
			setTimeout(() => response.destroy(), 50);
		};
		expect((await platform.run()).error).toMatchObject(
			notSent(/No access token from .*: (the connection was closed|no usable answer)/),
		);
		await make.stop();
	});

	test('that HTTP 4xx refuses in other words shows them', async () => {
		const make = await otherMake(platform);
		make.exchange = (response) => say(response, 400, { msg: '应用不存在', code: 10000 });
		expect((await platform.run()).error).toMatchObject(
			notSent(/gave no access token: “应用不存在” \(code 10000: the application is unknown/),
		);
		await make.stop();
	});
});

describe('A token that n8n cannot store', () => {
	test('lets nothing be sent, and the next run sends', async () => {
		const { store } = platform;
		const update = store.updateCredentials.bind(store);
		store.updateCredentials = async () => {
			throw new Error('SQLITE_BUSY: database is locked');
		};
		const { error, contextData } = await platform.run();
		expect(error).toMatchObject(
			notSent(/^Nothing was sent for the post: n8n .*database is locked/),
		);
		expect(statesOf({ contextData })).toStrictEqual({ '0:0': 'refused' });
		expect(platform.received('createPost')).toEqual([]);
		store.updateCredentials = update;
		expect((await platform.run()).error).toBeUndefined();
		expect(platform.received('getAccessToken')).toHaveLength(1);
	});

	test('in time is not sent with after the run has ended', async () => {
		const { store } = platform;
		const update = store.updateCredentials.bind(store);
		let isStored = false;
		store.updateCredentials = async (...args) => {
			await new Promise((resolve) => setTimeout(resolve, 27_000));
			await update(...args);
			isStored = true;
		};
		const { error } = await platform.run({ options: { timeout: 1 } });
		expect(error).toMatchObject(notSent(/^Nothing was sent for the post: n8n could not prepare/));
		expect(isStored).toBe(false);
		await until(() => isStored);
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(platform.received('createPost')).toEqual([]);
	}, 40_000);
});

describe('A token exchange that comes too fast', () => {
	const tooMany =
		(headers = {}, body = {}) =>
		(response: ServerResponse) =>
			say(response, 429, { success: false, code: 4290, message: '操作过于频繁', ...body }, headers);
	const items = (count: number) =>
		Array.from({ length: count }, (_, index) => ({ text: `${index}` }));
	const eachText = (rateLimitWait: number) => ({
		text: '={{ $json.text }}',
		options: { rateLimitWait },
	});
	const goingOn = { onError: 'continueRegularOutput' } as const;
	const detailsOf = (outputs: Array<Array<{ json: object }>>) =>
		outputs[0]!.map(({ json }) => (json as { details?: object }).details);

	test('is not repeated by 200 items, which are told what the platform said', async () => {
		const make = await otherMake(platform);
		make.exchange = tooMany({ 'retry-after': '60' });
		const { outputs } = await platform.run(eachText(0), { items: items(200), ...goingOn });
		expect(make.exchanges()).toHaveLength(1);
		expect(make.posts()).toEqual([]);
		expect(detailsOf(outputs)).toEqual(
			Array(200).fill(expect.objectContaining({ outcome: 'not_sent', retry_after: '60' })),
		);
		expect(outputs[0]![199]!.json.error).toMatch(
			/gave no access token: “操作过于频繁” .*asks to wait: Retry-After 60\./,
		);
		await make.stop();
	});

	test('is repeated once after the wait, and all 200 items are sent', async () => {
		const make = await otherMake(platform);
		make.exchange = (response) => {
			make.exchange = giveToken;
			tooMany({ 'retry-after': '2' })(response);
		};
		const begun = Date.now();
		const { error, hints } = await platform.run(eachText(60), { items: items(200) });
		expect(error).toBeUndefined();
		expect(Date.now() - begun).toBeGreaterThan(2_000);
		expect(make.exchanges()).toHaveLength(2);
		expect(make.posts()).toHaveLength(200);
		expect(hints[0]).toMatch(/Waited 2(\.\d)? seconds, because the platform said once that/);
		await make.stop();
	});

	test('is repeated after a moment where the platform asks for no time', async () => {
		const make = await otherMake(platform);
		make.exchange = (response) => {
			make.exchange = giveToken;
			say(response, 200, { success: false, message: 'Too many requests' });
		};
		expect((await platform.run()).error).toBeUndefined();
		expect(make.exchanges()).toHaveLength(2);
		await make.stop();
	});

	test("is told so by one of the credential's Rate-Limit Codes too", async () => {
		Object.assign(platform.credential, { rateLimitCodes: '4711' });
		const make = await otherMake(platform);
		make.exchange = (response) => {
			make.exchange = giveToken;
			say(response, 200, { success: false, code: 4711, message: '系统繁忙' });
		};
		expect((await platform.run()).error).toBeUndefined();
		expect(make.exchanges()).toHaveLength(2);
		await make.stop();
	});

	test('holds back later runs with the same application, and no others', async () => {
		const make = await otherMake(platform);
		make.exchange = tooMany({ 'retry-after': '3' });
		await platform.run(eachText(0), { items: items(1) });
		make.exchange = giveToken;
		const held = await platform.run(eachText(2), { items: items(1) });
		expect(held.error).toMatchObject({ context: { data: { outcome: 'not_sent' } } });
		expect(make.exchanges()).toHaveLength(1);
		const other = await startPlatform();
		const url = platform.credential.baseUrl;
		Object.assign(other.credential, { baseUrl: url });
		expect((await other.run()).error).toBeUndefined();
		expect(make.exchanges()).toHaveLength(2);
		expect((await platform.run(eachText(3), { items: items(1) })).error).toBeUndefined();
		expect(make.exchanges()).toHaveLength(3);
		await other.stop();
		await make.stop();
	});

	test("waits by the platform's clock where that is wrong", async () => {
		const make = await otherMake(platform);
		const at = (ms: number) => new Date(Date.parse('2031-01-01T00:00:00Z') + ms).toUTCString();
		make.exchange = (response) => {
			make.exchange = giveToken;
			tooMany({ date: at(0), 'retry-after': at(1_000) })(response);
		};
		const begun = Date.now();
		expect((await platform.run(eachText(3), { items: items(1) })).error).toBeUndefined();
		expect(Date.now() - begun).toBeGreaterThanOrEqual(1_000);
		await make.stop();
	});

	test('is refused where the platform asks for more than is allowed', async () => {
		const make = await otherMake(platform);
		make.exchange = tooMany({ 'retry-after': '61' });
		const begun = Date.now();
		const { error } = await platform.run(eachText(60), { items: items(3) });
		expect(error).toMatchObject(notSent(/Retry-After 61/));
		expect(Date.now() - begun).toBeLessThan(5_000);
		await make.stop();
	});

	test('lets a run that waits for it be cancelled', async () => {
		const make = await otherMake(platform);
		make.exchange = tooMany({ 'retry-after': '60' });
		const running = platform.start(eachText(300), { items: items(5) });
		await until(() => make.exchanges().length === 1);
		await new Promise((resolve) => setTimeout(resolve, 200));
		running.cancel();
		await running.done;
		expect(make.exchanges()).toHaveLength(1);
		expect(make.posts()).toEqual([]);
		await make.stop();
	});
});

describe('A revoked token', () => {
	const refuseOld = (make: OtherMake, latencyMs: number) => {
		make.post = async (request, response) => {
			await new Promise((resolve) => setTimeout(resolve, Math.random() * latencyMs));
			const isGood = request.headers['x-legacy-token'] === 'a-token';
			if (isGood) say(response, 200, { success: true, code: 200, data: { id: '1' } });
			else say(response, 200, { success: false, code: 10104, message: 'access_token 无效' });
		};
	};

	test.each([30, 1500])(
		'is replaced by one exchange for 20 executions where a new one ends no others: %i ms',
		async (latencyMs) => {
			const make = await otherMake(platform);
			refuseOld(make, latencyMs);
			make.exchange = (response) => void setTimeout(() => giveToken(response), latencyMs / 3);
			Object.assign(platform.credential, { accessToken: `revoked-${latencyMs}` });
			const begun = Date.now();
			const results = await Promise.all(
				Array.from({ length: 20 }, async () => {
					await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
					return await platform.run();
				}),
			);
			expect(results.filter(({ error }) => error)).toEqual([]);
			expect(make.exchanges()).toHaveLength(1);
			expect(Date.now() - begun).toBeLessThan(200 + 2.4 * latencyMs + 1_500);
			await make.stop();
		},
	);

	test('that another process replaces again and again is followed in the store, without an exchange', async () => {
		const make = await otherMake(platform);
		const seen: string[] = [];
		make.post = async (request, response) => {
			seen.push(request.headers['x-legacy-token'] as string);
			const isGood = seen.length > 3;
			if (isGood) say(response, 200, { success: true, code: 200, data: { id: '1' } });
			else say(response, 200, { success: false, code: 10104, message: 'access_token 无效' });
			// Another process of n8n, whose tokens end those before them.
			platform.store.stored.set('1', { ...credential, accessToken: `other-${seen.length}` });
		};
		const credential = { ...platform.credential, accessToken: 'first' };
		platform.store.stored.set('1', credential);
		expect((await platform.run()).error).toBeUndefined();
		expect(seen).toEqual(['first', 'other-1', 'other-2', 'other-3']);
		expect(make.exchanges()).toEqual([]);
		await make.stop();
	});
});
