import type { FaultSpec } from '../../emulator';
import { chat, chatOperations, chatsAt, complete, eachChat } from '../harness/chats';
import { retryOnFail } from '../harness/ledgerOf';
import { itemsOf, jsonOf, spanOf, textOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { soon, until } from '../harness/storage';

const platform = usePlatform();
afterEach(() => {
	expect(platform.received('getAccessToken')).toStrictEqual([]);
});

const chats = () => chatsAt(platform);
const fault = (kind: FaultSpec['kind'], more: Partial<FaultSpec> = {}) =>
	platform.emulator.fault({ kind, ...more });
const ask = async (options = {}, more = {}) =>
	await platform.run(chat(complete, 'Hello', { options }), more);

describe('A refused chat request', () => {
	test("is reported with the platform's message, its code and an explanation", async () => {
		fault('refused', { status: 404, code: 'model_not_found', message: 'no such model' });
		expect((await ask()).error).toMatchObject({
			message: expect.stringMatching(
				/^The platform refused the chat request: there is no such model.+ \(code model_not_found: “no such model”\)$/,
			),
			description: expect.stringMatching(/^[A-Z].*\.$/),
			context: { data: { outcome: 'refused', code: 'model_not_found', http_status: 404 } },
		});
		expect(chats()).toHaveLength(1);
	});

	test('stays a refusal when the platform repeats a status event from the text', async () => {
		fault('refused', { status: 422, code: 'x', message: 'no: {"action_sn":"SA1"}' });
		expect((await ask()).error).toMatchObject({
			message: expect.stringContaining('“no: {"action_sn":"SA1"}”'),
			context: { data: { outcome: 'refused' } },
		});
	});

	test.each(['unauthorized-401', 'token-rejected-200'] as const)(
		'is sent once after the fault %s, and its error says to check the secret',
		async (kind) => {
			fault(kind, { times: 9 });
			expect((await ask()).error).toMatchObject({
				description: expect.stringMatching(
					/^Check App Secret and, under Show Advanced Settings, Chat Secret Header and Chat Secret Prefix in the credential\. /,
				),
				context: { data: { outcome: 'refused' } },
			});
			expect(chats()).toHaveLength(1);
		},
	);
});

describe('A chat request without a usable response', () => {
	test.each<[FaultSpec['kind'], string]>([
		['server-error-after', 'the platform responded with HTTP 500: “'],
		['reset-after', 'the connection was closed before a response arrived'],
		['html', 'the platform responded with an HTML page instead of JSON'],
		['truncated-json', 'the platform responded with JSON that is cut off or damaged'],
		['redirect', 'the address responds with a redirect to https://example.invalid/elsewhere'],
	])('has an unknown outcome after the fault %s, and is not sent again', async (kind, reason) => {
		fault(kind);
		const data = { outcome: 'unknown', reason: expect.stringContaining(reason), item_index: 0 };
		expect((await ask()).error).toMatchObject({
			message: expect.stringContaining(`No usable response to the chat request: ${reason}`),
			description: expect.stringMatching(
				/\w\.\nThe request publishes nothing, so it is safe to send it again\. The platform may count it twice\.$/,
			),
			context: { data },
		});
		expect(chats()).toHaveLength(1);
	});
});

describe('Retry on Fail', () => {
	test.each(chatOperations)('sends a chat request of $operation again', async (operation) => {
		platform.emulator.scriptChat([{}, { finish_reason: 'length', content: 'Half' }]);
		const { outputs } = await platform.run(chat(operation), { settings: retryOnFail });
		expect(jsonOf({ outputs })).toMatchObject([{ text: 'You said: Hello' }]);
		expect(chats()).toHaveLength(3);
	});

	test('sends every item again, also in another execution', async () => {
		fault('server-error-after', { bodyHas: textOf(1) });
		const items = itemsOf(2);
		const more = { items, settings: retryOnFail, moreRuns: [items] };
		const { runs } = await platform.run(eachChat(complete), more);
		expect(runs.map(([output]) => output!.length)).toStrictEqual([2, 2]);
		expect(chats()).toHaveLength(2 + 2 + 2);
	});
});

describe('A chat request at a rate limit', () => {
	test('is sent again after the time that the platform requests', async () => {
		fault('rate-limited-429', { retryAfter: 0.3 });
		expect(jsonOf(await ask())).toMatchObject([{ text: 'You said: Hello' }]);
		expect(chats()).toHaveLength(2);
		expect(spanOf(chats())).toBeGreaterThanOrEqual(290);
	});
});

describe('Several chat requests', () => {
	test('return their items in order, with an error and its details for each that fails', async () => {
		fault('slow', { bodyHas: textOf(0), delayMs: 250 });
		fault('server-error-before', { bodyHas: textOf(1) });
		platform.emulator.scriptChat([{ bodyHas: textOf(3) }]);
		const items = [...itemsOf(4), { text: '' }];
		const more = { items, onError: 'continueRegularOutput' as const };
		const result = await platform.run(eachChat(complete), more);
		expect(jsonOf(result)).toMatchObject([
			{ text: `You said: ${textOf(0)}` },
			{
				error: expect.stringMatching(/^No usable response to chat request 2 of 5: /),
				details: { outcome: 'unknown', http_status: 500, item_index: 1 },
			},
			{ text: `You said: ${textOf(2)}` },
			{ error: 'The answer is empty', details: { outcome: 'incomplete', item_index: 3 } },
			{
				error: expect.stringMatching(/^Chat request 5 of 5: 'Messages' /),
				details: { outcome: 'invalid', item_index: 4 },
			},
		]);
	});

	test('are sent five at a time, and aborted without an error when the execution is canceled', async () => {
		fault('slow', { delayMs: 600_000, times: Infinity });
		const running = platform.start(eachChat(complete), { items: itemsOf(7) });
		await until(() => chats().length >= 5);
		await soon();
		running.cancel();
		expect((await running.done).run.status).toBe('canceled');
		expect(chats()).toHaveLength(5);
		await until(() => platform.emulator.connections.open === 0);
	});
});
