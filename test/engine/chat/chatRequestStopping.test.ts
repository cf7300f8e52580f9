import type { FaultSpec } from '../../emulator';
import { chatsAt, complete, eachChat } from '../harness/chats';
import { itemsOf, jsonOf, textOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { soon, until } from '../harness/storage';

const platform = usePlatform();

const chats = () => chatsAt(platform);
const addFault = (index: number, fault: Partial<FaultSpec> & Pick<FaultSpec, 'kind'>) =>
	platform.emulator.fault({ bodyHas: textOf(index), ...fault });
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

describe('A chat operation in a canceled execution', () => {
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
});
