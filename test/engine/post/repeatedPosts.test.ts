import type { IDataObject } from 'n8n-workflow';
import type { FaultKind } from '../../emulator';
import { pass, stopClock } from '../harness/clock';
import { ledgerOf, retryOf, retryOnFail } from '../harness/ledgerOf';
import { eachText, itemsOf, jsonOf, textOf, textsOf } from '../harness/manyPosts';
import { startPlatform, usePlatform } from '../harness/platform';

const platform = usePlatform();

const created = () => platform.received('createPost');
const posts = () => platform.emulator.posts;
const oneByOne = { maxConcurrentRequests: 1 };
const fault = (kind: FaultKind, more = {}) =>
	platform.emulator.fault({ kind, operation: 'createPost', ...more });

describe('A retry of Create', () => {
	test('does not resend a post when the Base URL is written differently', async () => {
		const first = await platform.run();
		const baseUrl = platform.emulator.url.replace('127.0.0.1', 'localhost');
		platform.store.stored.set('1', { ...platform.store.stored.get('1')!, baseUrl });
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
		const items = itemsOf(3);
		const result = await platform.run({ text }, { items, settings: retryOnFail });
		expect(result.error).toBeUndefined();
		const sent = textsOf(created());
		for (const index of [0, 1]) {
			expect(sent.filter((one) => one.startsWith(textOf(index)))).toHaveLength(1);
		}
		expect(new Set(sent.filter((one) => one.startsWith(textOf(2)))).size).toBe(3);
		expect(posts()).toHaveLength(3);
	});

	test('does not resend a post of unknown outcome when its time is an expression', async () => {
		stopClock();
		fault('reset-after');
		const parameters = { publishTime: 'at', publishAt: '={{ $now.plus({ days: 1 }) }}' };
		const first = await platform.run(parameters);
		pass(1_000);
		const { error } = await platform.run(parameters, retryOf(first));
		jest.useRealTimers();
		expect(error!.message).toContain('It is not known whether');
		expect(created()).toHaveLength(1);
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
});

describe('A retry of Create after the node was edited', () => {
	const items = itemsOf(2);
	const edits = {
		'a text that all items share': [
			{ text: '={{ $json.text }} tpyo' },
			{ text: '={{ $json.text }} typo' },
		],
		'the account': [{ text: '={{ $json.text }}' }, { socialAccountId: 'acc_2' }],
		'the publish time': [
			{ text: '={{ $json.text }}' },
			{ publishTime: 'at', publishAt: '={{ $now.plus({ hours: 1 }) }}' },
		],
	};

	test.each(Object.entries(edits))(
		'does not resend an accepted post after a change of %s',
		async (_, [before, change]) => {
			fault('refused', { bodyHas: textOf(1) });
			const first = await platform.run({ ...before, options: oneByOne }, { items });
			const edited = { ...before, ...change, options: oneByOne };
			const again = await platform.run(edited, { items, ...retryOf(first) });
			expect(again.error).toBeUndefined();
			expect(jsonOf(again)[0]).toMatchObject({ action_sn: posts()[0]!.action_sn });
			expect(textsOf(created()).map((text) => text.slice(0, 8))).toStrictEqual(
				[0, 1, 1].map(textOf),
			);
		},
	);

	test('keeps an unknown outcome, and quotes the text that was sent', async () => {
		fault('server-error-after');
		const first = await platform.run({ text: 'tpyo' });
		const again = await platform.run({ text: 'typo' }, retryOf(first));
		expect(again.error).toMatchObject({
			description: expect.stringContaining('begins “tpyo”'),
			context: { data: { outcome: 'unknown', text_beginning: 'tpyo' } },
		});
		expect(textsOf(created())).toStrictEqual(['tpyo']);
	});
});

describe('Create with a similar item', () => {
	test('sends another post for an equal item of the same run', async () => {
		const result = await platform.run({}, { items: [{}, {}, {}] });
		expect(posts()).toHaveLength(3);
		expect(new Set(jsonOf(result).map(({ action_sn }) => action_sn)).size).toBe(3);
	});

	test('sends another post in the next iteration of a loop, even for an equal item', async () => {
		const moreRuns = [[{ text: 'a' }], [{ text: 'b' }], [{ text: 'a' }]];
		const result = await platform.run(eachText(), { items: [{ text: 'a' }], moreRuns });
		expect(textsOf(posts())).toStrictEqual(['a', 'a', 'b', 'a']);
		expect(Object.keys(ledgerOf(result.contextData))).toStrictEqual(['0:0', '1:0', '2:0', '3:0']);
		const results = result.runs.flatMap((outputs) => jsonOf({ outputs }));
		expect(results.map(({ action_sn }) => action_sn)).toStrictEqual(
			posts().map(({ action_sn }) => action_sn),
		);
	});

	test.each(['Hello', '={{ $json.text + " at " + $now.toMillis() }}'])(
		'sends another post for another application, with the text %s',
		async (text) => {
			const other = await startPlatform();
			const items = [{ text: 'Hello' }];
			const first = await platform.run({ text }, { items });
			const { store } = other;
			const again = await platform.run({ text }, { items, store, ...retryOf(first) });
			expect(again.error).toBeUndefined();
			expect(posts()).toHaveLength(1);
			expect(other.emulator.posts).toHaveLength(1);
			await other.stop();
		},
	);

	test.each(['={{ $json.text }}', '={{ $json.text + " at " + $now.toMillis() }}'])(
		'sends another post for another item at the same position, with the text %s',
		async (text) => {
			const first = await platform.run({ text }, { items: [{ text: 'one' }] });
			await platform.run({ text }, { items: [{ text: 'two' }], ...retryOf(first) });
			expect(posts()).toHaveLength(2);
		},
	);
});
