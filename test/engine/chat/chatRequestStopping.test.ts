import type { FaultSpec } from '../../emulator';
import { chatTextsAt, chat, chatsAt, complete, eachChat } from '../harness/chats';
import { itemsOf, jsonOf, textOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { soon, until } from '../harness/storage';

const platform = usePlatform();

const chats = () => chatsAt(platform);
const addFault = (index: number, fault: Partial<FaultSpec> & Pick<FaultSpec, 'kind'>) =>
	platform.emulator.fault({ bodyHas: textOf(index), ...fault });
/** No test waits for this delay. It is not longer, because its timer keeps the process alive. */
const LONG_S = 8;
const expectNoLongWait = (from: number) =>
	expect(Date.now() - from).toBeLessThan(LONG_S * 1000 - 2000);

describe('A chat operation that stops at the first error', () => {
	test('starts no more requests, and waits for those in progress', async () => {
		for (const index of [0, 1, 3, 4]) addFault(index, { kind: 'slow', delayMs: 1_000 });
		addFault(2, { kind: 'refused' });
		const { error, outputs } = await platform.run(eachChat(complete), {
			items: itemsOf(20),
		});
		expect(chatTextsAt(platform, complete).sort()).toStrictEqual([0, 1, 2, 3, 4].map(textOf));
		expect(outputs.flat()).toStrictEqual([]);
		expect(error).toMatchObject({
			message: expect.stringMatching(/^The platform refused chat request 3 of 20: /),
			context: { data: { item_index: 2 } },
		});
	});

	test('reports the error of the first item, even when its response arrives last', async () => {
		addFault(0, { kind: 'slow', delayMs: 1_000 });
		platform.emulator.scriptChat([{ bodyHas: textOf(0) }]);
		addFault(3, { kind: 'refused' });
		const { error } = await platform.run(eachChat(complete), { items: itemsOf(4) });
		expect(error).toMatchObject({
			message: 'The answer is empty',
			context: { data: { item_index: 0 } },
		});
	});

	test('sends the items before an invalid item, and none after it', async () => {
		const items = [...itemsOf(1), { text: '' }, ...itemsOf(30).slice(1)];
		const { error } = await platform.run(eachChat(complete), { items });
		expect(error).toMatchObject({
			message: expect.stringMatching(/^Chat request 2 of 31: 'Messages' /),
			description: expect.stringMatching(/^Nothing was sent for this item\./),
			context: { data: { item_index: 1, outcome: 'invalid' } },
		});
		expect(chatTextsAt(platform, complete)).toStrictEqual([textOf(0)]);
	});
});

describe('A chat operation that continues on errors', () => {
	test('processes the other items, and returns each error with its details', async () => {
		addFault(1, { kind: 'server-error-before' });
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

	test('reports an unusable credential for every item', async () => {
		Object.assign(platform.credential, { appId: '' });
		const more = { items: itemsOf(2), onError: 'continueErrorOutput' as const };
		const { outputs } = await platform.run(eachChat(complete), more);
		expect(outputs[1]!.map(({ json }) => json)).toMatchObject(
			[0, 1].map((item_index) => ({
				error: expect.stringMatching(/^Nothing was sent for the chat request\. 'App ID' is empty/),
				details: { outcome: 'not_sent', item_index },
			})),
		);
	});
});

describe('A chat operation in a cancelled execution', () => {
	test('sends no more requests, aborts those in progress, and reports no error', async () => {
		// A busy machine must cancel before the first response arrives.
		platform.emulator.adjust({ latencyMs: 3_000 });
		const running = platform.start(eachChat(complete), { items: itemsOf(30) });
		await until(() => chats().length === 5);
		running.cancel();
		const { run } = await running.done;
		await soon();
		expect(run.status).toBe('canceled');
		expect(chats()).toHaveLength(5);
		await until(() => platform.emulator.connections.open === 0);
	});

	test('ends a rate-limit wait at once', async () => {
		addFault(0, { kind: 'rate-limited-429', retryAfter: LONG_S });
		const running = platform.start(chat(complete, textOf(0)));
		await until(() => chats()[0]?.status === 429);
		await soon();
		const from = Date.now();
		running.cancel();
		await running.done;
		expectNoLongWait(from);
		expect(chats()).toHaveLength(1);
	});
});
