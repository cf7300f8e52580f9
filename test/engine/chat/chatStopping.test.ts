import type { FaultSpec } from '../../emulator';
import { askedAt, chat, chatsAt, complete, eachChat, ways } from '../harness/chats';
import { itemsOf, jsonOf, textOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { soon, until } from '../harness/storage';

const platform = usePlatform();

const chats = () => chatsAt(platform);
const strike = (index: number, fault: Partial<FaultSpec> & Pick<FaultSpec, 'kind'>) =>
	platform.emulator.fault({ bodyHas: textOf(index), ...fault });
/** What nobody waits for; no longer, because a timer may go on for that long. */
const LONG_S = 8;
const sooner = (from: number) => expect(Date.now() - from).toBeLessThan(LONG_S * 1000 - 2000);

describe.each(ways)('The first error of a node that stops then: $operation', (way) => {
	test('begins nothing more, and what is under way is awaited and counted', async () => {
		for (const index of [0, 1, 3, 4]) strike(index, { kind: 'slow', delayMs: 500 });
		strike(2, { kind: 'refused' });
		const { error, outputs } = await platform.run(eachChat(way), { items: itemsOf(20) });
		expect(askedAt(platform, way).sort()).toStrictEqual([0, 1, 2, 3, 4].map(textOf));
		expect(outputs.flat()).toStrictEqual([]);
		expect(error).toMatchObject({
			message: expect.stringMatching(/^The platform refused the chat request: /),
			description: expect.stringMatching(
				/ Answers: 4 whole, 1 not, 15 not asked for yet\. Tokens: \d+\.$/,
			),
			context: { itemIndex: 2 },
		});
	});

	test('is told of the item that comes first, even when its answer comes last', async () => {
		strike(0, { kind: 'slow', delayMs: 500 });
		platform.emulator.scriptChat([{ bodyHas: textOf(0) }]);
		strike(3, { kind: 'refused' });
		const { error } = await platform.run(eachChat(way), { items: itemsOf(4) });
		expect(error).toMatchObject({ message: 'The answer is empty', context: { itemIndex: 0 } });
		expect(error!.description).toMatch(/Answers: 2 whole, 2 not\. Tokens: \d+\.$/);
	});

	test('found before sending stops those behind it, and those before it are still asked', async () => {
		const items = [...itemsOf(1), { text: '' }, ...itemsOf(30).slice(1)];
		const { error } = await platform.run(eachChat(way), { items });
		expect(error).toMatchObject({
			message: expect.stringMatching(/^'(Messages|Input)' /),
			description: expect.stringMatching(/^Nothing was sent for item 1\./),
			context: { itemIndex: 1, data: { outcome: 'invalid' } },
		});
		expect(askedAt(platform, way)).toStrictEqual([textOf(0)]);
	});
});

test('The first error of a single item is told without counts', async () => {
	strike(0, { kind: 'refused' });
	const { error } = await platform.run(eachChat(complete), { items: itemsOf(1) });
	expect(error!.description).not.toContain('Answers:');
});

describe('A node that goes on', () => {
	test('answers the other items, and puts out each error with its facts', async () => {
		strike(1, { kind: 'server-error-before' });
		platform.emulator.scriptChat([{ bodyHas: textOf(3) }]);
		const items = [...itemsOf(4), { text: '' }];
		const more = { items, onError: 'continueRegularOutput' as const };
		const result = await platform.run(eachChat(complete), more);
		expect(jsonOf(result)).toMatchObject([
			{ text: `You said: ${textOf(0)}` },
			{
				error: expect.stringMatching(/^No usable answer to the chat request: /),
				details: { outcome: 'unknown', http_status: 500, item_index: 1 },
			},
			{ text: `You said: ${textOf(2)}` },
			{ error: 'The answer is empty', details: { outcome: 'incomplete', item_index: 3 } },
			{
				error: expect.stringMatching(/^'Messages' /),
				details: { outcome: 'invalid', item_index: 4 },
			},
		]);
	});

	test('tells a credential that cannot be used with every item', async () => {
		Object.assign(platform.credential, { appId: '' });
		const more = { items: itemsOf(2), onError: 'continueErrorOutput' as const };
		const { outputs } = await platform.run(eachChat(complete), more);
		expect(outputs[1]!.map(({ json }) => json)).toMatchObject(
			[0, 1].map((item_index) => ({
				error: expect.stringMatching(/^Nothing was sent for the chat request\. App ID is empty/),
				details: { outcome: 'not_sent', item_index },
			})),
		);
	});
});

describe('Cancelling the execution', () => {
	test('sends nothing more, ends what is under way, and is not called a failure', async () => {
		platform.emulator.adjust({ latencyMs: 400 });
		const running = platform.start(eachChat(complete), { items: itemsOf(30) });
		await until(() => chats().length === 5);
		running.cancel();
		const { run } = await running.done;
		await soon();
		expect(run.status).toBe('canceled');
		expect(chats()).toHaveLength(5);
		await until(() => platform.emulator.connections.open === 0);
	});

	test.each(ways)('ends a wait for a rate limit at once: $operation', async (way) => {
		strike(0, { kind: 'rate-limited-429', retryAfter: LONG_S });
		const running = platform.start(eachChat(way), { items: itemsOf(1) });
		await until(() => chats()[0]?.status === 429);
		await soon();
		const from = Date.now();
		running.cancel();
		await running.done;
		sooner(from);
		expect(chats()).toHaveLength(1);
	});

	test('ends a long answer at once', async () => {
		platform.emulator.fault({ kind: 'slow', delayMs: LONG_S * 1000 });
		const running = platform.start(chat(complete));
		await until(() => chats().length === 1);
		const from = Date.now();
		running.cancel();
		await running.done;
		await until(() => platform.emulator.connections.open === 0);
		sooner(from);
	});
});
