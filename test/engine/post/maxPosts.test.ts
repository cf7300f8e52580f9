import type { IDataObject } from 'n8n-workflow';
import { agents, fromAI, runAgent } from '../harness/agentRun';
import { jsonOf, textsOf } from '../harness/manyPosts';
import { retryOf } from '../harness/ledgerOf';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

const items = (count: number) =>
	Array.from({ length: count }, (_, i) => ({ text: `post ${i}`, max: i === 0 ? 2 : 100 }));

const limited = (maxPostsPerRun: string | number): IDataObject => ({
	text: '={{ $json.text }}',
	options: { maxPostsPerRun, checkMedia: false },
});

describe('Max Posts per Run', () => {
	test('sends nothing if there are more, and reports one error with both numbers', async () => {
		const { error } = await platform.run(limited(3), { items: items(4) });
		expect(error).toMatchObject({
			message: "'Max Posts per Run' is 3, but 4 posts are to be sent",
			description: expect.stringMatching(
				/^Nothing was sent\. Check the option, and increase it if you want to send all of these posts\.$/,
			),
			context: { data: { outcome: 'invalid' } },
		});
		expect(platform.emulator.received).toEqual([]);
	});

	test('is reported for each item when the node continues on errors', async () => {
		const result = await platform.run(limited(1), {
			items: items(2),
			onError: 'continueRegularOutput',
		});
		expect(jsonOf(result)).toMatchObject([
			{ error: "'Max Posts per Run' is 1, but 2 posts are to be sent", details: { item_index: 0 } },
			{ details: { outcome: 'invalid', item_index: 1 } },
		]);
		expect(platform.emulator.received).toEqual([]);
	});

	test('has the value of the first item', async () => {
		const { error } = await platform.run(limited('={{ $json.max }}'), { items: items(3) });
		expect(error!.message).toBe("'Max Posts per Run' is 2, but 3 posts are to be sent");
	});

	test('can be a number as text, as spreadsheets contain it', async () => {
		const { error } = await platform.run(limited('={{ "2" }}'), { items: items(3) });
		expect(error!.message).toBe("'Max Posts per Run' is 2, but 3 posts are to be sent");
	});

	test.each([
		['={{ $json.missing }}', 'is not a number of posts'],
		[0, 'must be at least 1'],
		[1.5, 'is not a whole number'],
	])('sends nothing if it is unusable: %s', async (limit, message) => {
		const onError = 'continueRegularOutput';
		const result = await platform.run(limited(limit), { items: items(2), onError });
		expect(jsonOf(result).map(({ error }) => error)).toHaveLength(2);
		const { error } = await platform.run(limited(limit), { items: items(2) });
		expect(error!.message).toBe(`'Max Posts per Run' ${message}`);
		expect(error!.description).not.toContain('increase the option');
		expect(platform.emulator.received).toEqual([]);
	});

	test('does not count the posts that an earlier attempt has sent', async () => {
		const given = items(4).map((item, i) => ({ ...item, account: i === 2 ? '' : 'acc_1' }));
		const socialAccountId = '={{ $json.account }}';
		const first = await platform.run({ ...limited(4), socialAccountId }, { items: given });
		expect(first.error!.message).toMatch(/^Post 3 of 4, “post 2”: 'Account' is empty/);
		const tooLow = await platform.run(limited(1), { items: given, ...retryOf(first) });
		expect(tooLow.error).toMatchObject({
			message: "'Max Posts per Run' is 1, but 2 posts are to be sent",
		});
		const { error } = await platform.run(limited(2), { items: given, ...retryOf(first) });
		expect(error).toBeUndefined();
		expect(platform.emulator.posts).toHaveLength(4);
	});

	test('does not count posts whose unknown outcome prevents sending', async () => {
		const fault = (kind: 'reset-after' | 'refused', bodyHas: string) =>
			platform.emulator.fault({ kind, operation: 'createPost', bodyHas });
		fault('reset-after', 'post 0');
		fault('refused', 'post 1');
		const more = { items: items(3), onError: 'continueRegularOutput' as const };
		const first = await platform.run(limited(3), more);
		const retry = async (max: number, options = {}) =>
			jsonOf(
				await platform.run(
					{ ...limited(max), options: { maxPostsPerRun: max, ...options } },
					{ ...more, ...retryOf(first) },
				),
			).map(({ details }) => (details as IDataObject | undefined)?.outcome);
		expect(await retry(1, { resendUnknown: true })).toEqual(['invalid', 'invalid', 'invalid']);
		expect(platform.emulator.posts).toHaveLength(2);
		expect(await retry(1)).toEqual(['unknown', undefined, undefined]);
		expect(platform.emulator.posts).toHaveLength(3);
	});

	test('counts items whose data have changed since they were sent', async () => {
		const first = await platform.run(limited(2), { items: items(2) });
		const changed = items(2).map(({ text }) => ({ text: `${text} changed` }));
		const { error } = await platform.run(limited(1), { items: changed, ...retryOf(first) });
		expect(error!.message).toBe("'Max Posts per Run' is 1, but 2 posts are to be sent");
		expect(platform.emulator.posts).toHaveLength(2);
	});

	test.each(['create', 'validate'])('is not read from other items in %s', async (operation) => {
		const given = items(2).map(({ text }, i) => (i === 0 ? { text, max: 2 } : { text }));
		const parameters = { ...limited('={{ $json.max }}'), operation };
		const { error, outputs } = await platform.run(parameters, { items: given });
		expect(error).toBeUndefined();
		expect(outputs[0]).toHaveLength(2);
		for (const { json } of outputs[0]!) expect(json).not.toHaveProperty('problems');
	});

	test('is a problem of every item in Validate', async () => {
		const parameters = { ...limited(1), operation: 'validate' };
		const issue = { field: 'Max Posts per Run', message: 'is 1, but 2 posts are to be sent' };
		expect(jsonOf(await platform.run(parameters, { items: items(2) }))).toMatchObject([
			{ summary: 'Not ready: 1 problem', valid: false, problems: [issue] },
			{ summary: 'Not ready: 1 problem', valid: false, problems: [issue] },
		]);
	});
});

describe.each(agents)('Max Posts per Run in a tool of $name', ({ type: agent }) => {
	const post = async (turns: string[][], options: IDataObject = {}) =>
		await runAgent({
			...{ platform, agent },
			turns: turns.map((texts) => texts.map((text) => ({ text }))),
			parameters: {
				...{ socialAccountId: 'acc_1', text: fromAI('text') },
				...{ mediaUrls: ['https://cdn.example/a.jpg'], options: { maxPostsPerRun: 2, ...options } },
			},
		});

	test('counts the calls of an execution, without repeated ones', async () => {
		const told = await post([['one'], ['two'], ['two'], ['three']]);
		expect(told[2]).toMatchObject({ repeated: true });
		expect(told[3]).toMatchObject({
			error:
				"'Max Posts per Run' is 2, and this execution has already sent 2 posts. Nothing was sent. Do not call again.",
		});
		expect(textsOf(platform.emulator.posts)).toStrictEqual(['one', 'two']);
	});

	test('counts the calls of a turn, and posts with a key', async () => {
		const told = await post([['one', 'two', 'three', 'four']], { oncePerKey: fromAI('text') });
		expect(told.filter(({ error }) => error)).toHaveLength(2);
		expect(platform.received('createPost')).toHaveLength(2);
		expect(await post([['three', 'four']], { oncePerKey: fromAI('text') })).toHaveLength(2);
		expect(textsOf(platform.emulator.posts).sort()).toStrictEqual(['four', 'one', 'three', 'two']);
	});

	test('counts posts of unknown outcome, but not refused ones', async () => {
		const fault = (kind: 'reset-after' | 'refused', bodyHas: string) =>
			platform.emulator.fault({ kind, operation: 'createPost', bodyHas });
		fault('refused', 'one');
		fault('reset-after', 'two');
		await post([['one'], ['two'], ['three'], ['four']]);
		expect(textsOf(platform.received('createPost'))).toStrictEqual(['one', 'two', 'three']);
	});

	test('does not count posts of another execution', async () => {
		for (let execution = 0; execution < 2; execution++) await post([['one', 'two']]);
		expect(platform.emulator.posts).toHaveLength(4);
	});
});
