import type { IDataObject } from 'n8n-workflow';
import { ledgerOf, retryOf, retryOnFail } from '../harness/ledgerOf';
import { eachText, itemsOf, jsonOf, textOf, textsOf } from '../harness/manyPosts';
import { startPlatform } from '../harness/platform';
import { usePosts } from './postSetup';

const { platform, created, posts, fault } = usePosts();

const actionsOf = (list: Array<{ action_sn?: unknown }>) => list.map(({ action_sn }) => action_sn);

describe('A retry of Create', () => {
	test('does not resend a post when the Base URL is written differently', async () => {
		const first = await platform.run();
		const baseUrl = platform.emulator.url.replace('127.0.0.1', 'localhost');
		Object.assign(platform.store.stored.get('1')!, { baseUrl });
		const again = await platform.run({}, retryOf(first));
		expect(again.error).toBeUndefined();
		expect(created()).toHaveLength(1);
	});

	test('does not resend a post whose item is a circular object', async () => {
		const item: IDataObject = { text: 'Hello', count: 1 };
		item.self = item;
		fault('refused');
		const result = await platform.run(eachText(), { items: [item], settings: retryOnFail });
		expect(result.error).toBeUndefined();
		expect(created()).toHaveLength(2);
	});

	test('does not resend a post whose expressions return another value each time', async () => {
		const text = '={{ $json.text + " at " + $now.toMillis() + " " + Math.random() }}';
		fault('refused', { bodyHas: textOf(2), times: 2 });
		await platform.run({ text }, { items: itemsOf(3), settings: retryOnFail });
		const sent = textsOf(created());
		for (const [index, times] of [1, 1, 3].entries()) {
			const ofItem = sent.filter((one) => one.startsWith(textOf(index)));
			expect(new Set(ofItem).size).toBe(times);
			expect(ofItem).toHaveLength(times);
		}
	});

	test('does not resend a post when its parameters are written differently', async () => {
		const first = await platform.run({ text: 'Hello' }, { items: [{ text: 'Hello' }] });
		const again = await platform.run(
			{ text: '={{ $json.other }}', postOptions: {} },
			{ items: [{ other: 'Hello' }], ...retryOf(first) },
		);
		expect(again.error).toBeUndefined();
		expect(created()).toHaveLength(1);
	});

	test('does not resend an accepted post after the node was edited, only others', async () => {
		const items = itemsOf(2);
		fault('refused', { bodyHas: textOf(1) });
		const options = { maxConcurrentRequests: 1 };
		const first = await platform.run(eachText(options), { items });
		const edited = {
			...{ text: '={{ $json.text }} edited', socialAccountId: 'acc_2', options },
			...{ publishTime: 'at', publishAt: '={{ $now.plus({ hours: 1 }) }}' },
		};
		const again = await platform.run(edited, { items, ...retryOf(first) });
		expect(actionsOf(jsonOf(again))).toStrictEqual(actionsOf(posts()));
		expect(textsOf(created())).toStrictEqual([textOf(0), textOf(1), `${textOf(1)} edited`]);
	});

	test('keeps an unknown outcome after the node was edited, and quotes the text that was sent', async () => {
		fault('server-error-after');
		const first = await platform.run({ text: 'tpyo' });
		const again = await platform.run({ text: 'typo' }, retryOf(first));
		expect(again.error).toMatchObject({
			description: expect.stringContaining('begins “tpyo”'),
			context: { data: { outcome: 'unknown', text_beginning: 'tpyo' } },
		});
		expect(textsOf(created())).toStrictEqual(['tpyo']);
	});

	test('names the account of a post with an unknown outcome after another one was chosen', async () => {
		const account = ['acc_1', 'acc_2'].map((id) => ({ name: `Name of ${id}`, id }));
		Object.assign(platform.credential, { accounts: { account } });
		fault('server-error-after');
		const first = await platform.run();
		expect(first.error!.description).toContain('whether account “Name of acc_1” (acc_1) has');
		const again = await platform.run({ socialAccountId: 'acc_2' }, retryOf(first));
		expect(again.error!.description).toContain('whether account “Name of acc_1” (acc_1) has');
	});
});

describe('Create with a similar item', () => {
	test('sends another post for an equal item of the same run, even after an unknown outcome', async () => {
		fault('reset-after');
		const options = { maxConcurrentRequests: 1 };
		const more = { items: [{}, {}, {}], onError: 'continueRegularOutput' as const };
		const result = await platform.run({ options }, more);
		expect(posts()).toHaveLength(3);
		expect(new Set(actionsOf(jsonOf(result))).size).toBe(3);
	});

	test('sends another post in the next iteration of a loop, even for an equal item', async () => {
		const moreRuns = [[{ text: 'a' }], [{ text: 'b' }], [{ text: 'a' }]];
		const result = await platform.run(eachText(), { items: [{ text: 'a' }], moreRuns });
		expect(textsOf(posts())).toStrictEqual(['a', 'a', 'b', 'a']);
		expect(Object.keys(ledgerOf(result.contextData))).toStrictEqual(['0:0', '1:0', '2:0', '3:0']);
		const results = result.runs.flatMap((outputs) => jsonOf({ outputs }));
		expect(actionsOf(results)).toStrictEqual(actionsOf(posts()));
	});

	test('sends another post for another application', async () => {
		const other = await startPlatform();
		const again = { store: other.store, ...retryOf(await platform.run()) };
		expect((await platform.run({}, again)).error).toBeUndefined();
		expect(posts()).toHaveLength(1);
		expect(other.emulator.posts).toHaveLength(1);
		await other.stop();
	});

	test('sends another post for another item at the same position', async () => {
		const first = await platform.run(eachText(), { items: [{ text: 'one' }] });
		await platform.run(eachText(), { items: [{ text: 'two' }], ...retryOf(first) });
		expect(posts()).toHaveLength(2);
	});
});
