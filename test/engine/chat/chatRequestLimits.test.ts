import type { FaultSpec } from '../../emulator';
import { loopback } from '../../loopback';
import { chat, chatsAt, complete, eachChat, chatOperations } from '../harness/chats';
import { itemsOf, jsonOf, spanOf, textOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { soon, until } from '../harness/storage';

const platform = usePlatform();
afterEach(() => {
	expect(platform.received('getAccessToken')).toStrictEqual([]);
});

const chats = () => chatsAt(platform);
const limit = (more: Partial<FaultSpec> = {}) =>
	platform.emulator.fault({ kind: 'rate-limited-429', ...more });

describe.each(chatOperations)('The operation $operation at a rate limit', (chatOperation) => {
	const ask = async (options = {}) => await platform.run(chat(chatOperation, 'Hello', { options }));

	test('resends after the time that the platform requests', async () => {
		limit({ retryAfter: 0.3 });
		expect(jsonOf(await ask())).toMatchObject([{ text: 'You said: Hello' }]);
		expect(chats()).toHaveLength(2);
		expect(spanOf(chats())).toBeGreaterThanOrEqual(290);
	});

	test('resends after a code of the credential in a response with HTTP 200', async () => {
		Object.assign(platform.credential, { rateLimitCodes: '4711' });
		platform.emulator.fault({ kind: 'refused', code: 4711, message: '系统繁忙' });
		expect(jsonOf(await ask())).toHaveLength(1);
		expect(chats()).toHaveLength(2);
	});

	test('fails at once when Wait for Rate Limits is 0', async () => {
		limit({ retryAfter: 0 });
		const { error } = await ask({ rateLimitWait: 0 });
		expect(error).toMatchObject({
			message: expect.stringContaining('too many requests'),
			description: expect.stringContaining('Retry-After 0'),
			context: { data: { outcome: 'refused', http_status: 429, code: 'rate_limit_exceeded' } },
		});
		expect(chats()).toHaveLength(1);
	});

	test('fails immediately when the platform requests a longer wait than allowed', async () => {
		limit({ retryAfter: 3 });
		const { error } = await ask({ rateLimitWait: 2.9 });
		expect(error).toMatchObject({ context: { data: { outcome: 'refused', retry_after: '3' } } });
		expect(chats()).toHaveLength(1);
	});
});

test('A rate limit pauses the other items, and all items get a reply', async () => {
	platform.emulator.adjust({ latencyMs: 30 });
	limit({ retryAfter: 1, bodyHas: textOf(2) });
	const result = await platform.run(eachChat(complete), { items: itemsOf(12) });
	expect(jsonOf(result).map(({ text }) => text)).toStrictEqual(
		itemsOf(12).map(({ text }) => `You said: ${text as string}`),
	);
	const arrivals = chats().map(({ at }) => Date.parse(at));
	const answeredAt = arrivals[chats().findIndex(({ status }) => status === 429)]! + 30;
	// Five requests run at a time, and four may be replaced before the response with 429 is read.
	expect(arrivals.filter((at) => at < answeredAt + 950).length).toBeLessThanOrEqual(9);
	expect(result.hints).toStrictEqual([
		expect.stringMatching(
			/^Waited 1(\.[0-5])? seconds?, because the platform reported a rate limit once\.$/,
		),
	]);
});

describe('Several chat requests', () => {
	test('are sent at most 5 at a time', async () => {
		platform.emulator.fault({ kind: 'slow', delayMs: 600_000, times: Infinity });
		const running = platform.start(eachChat(complete), { items: itemsOf(7) });
		await until(() => chats().length >= 5);
		await soon();
		running.cancel();
		await running.done;
		expect(chats()).toHaveLength(5);
	});

	test.each(chatOperations)(
		'return items in order when the responses arrive in another order: $operation',
		async (chatOperation) => {
			for (const [index, delayMs] of [250, 150, 0, 100, 0, 200].entries()) {
				platform.emulator.fault({ kind: 'slow', bodyHas: textOf(index), delayMs });
			}
			platform.emulator.fault({ kind: 'refused', bodyHas: textOf(7) });
			const more = { items: itemsOf(9), onError: 'continueRegularOutput' as const };
			const result = await platform.run(eachChat(chatOperation), more);
			expect(jsonOf(result).map(({ text, error }) => text ?? typeof error)).toStrictEqual(
				itemsOf(9).map(({ text }, n) => (n === 7 ? 'string' : `You said: ${text as string}`)),
			);
			expect(result.outputs[0]!.map(({ pairedItem }) => pairedItem)).toStrictEqual(
				itemsOf(9).map((_, item) => ({ item })),
			);
		},
	);
});

test.each([
	['{"error":{"message":"no","code":"1302"}}', 400],
	['{"success":false,"message":"no","code":"1302"}', 200],
])('A rate limit is recognized by a code that is text: %s', async (body, status) => {
	let refusals = 1;
	const server = await loopback((_, response) => {
		if (refusals-- > 0) response.writeHead(status, { 'retry-after': '0' }).end(body);
		else response.end('{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}');
	});
	Object.assign(platform.credential, { baseUrl: server.url, rateLimitCodes: '1302' });
	expect(jsonOf(await platform.run(chat(complete)))).toMatchObject([{ text: 'Hi' }]);
	expect(server.received).toHaveLength(2);
	await server.stop();
});

test('A chat request does not wait for the rate limit of token requests', async () => {
	const server = await loopback((_, response) => {
		response.writeHead(429, { 'retry-after': '60' }).end();
	});
	// This secret is not allowed in a header, so the chat request fails before it is sent.
	const credential = { baseUrl: server.url, appSecret: 'ключ-0123456789', accessToken: '' };
	Object.assign(platform.credential, credential);
	await platform.run({ options: { rateLimitWait: 0 } });
	const begun = Date.now();
	const { error } = await platform.run(chat(complete));
	expect(error!.message).toContain("'App Secret' contains characters that are not allowed");
	expect(Date.now() - begun).toBeLessThan(5_000);
	await server.stop();
});
