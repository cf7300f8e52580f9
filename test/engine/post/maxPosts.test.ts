import type { IDataObject } from 'n8n-workflow';
import { agents, fromAI } from '../harness/agentRun';
import { itemsOf, jsonOf, textOf, textsOf } from '../harness/manyPosts';
import { retryOf } from '../harness/ledgerOf';
import { usePosts } from './postSetup';

const { platform, created, posts, fault, callTool } = usePosts();

const limited = (maxPostsPerRun: unknown, more: IDataObject = {}) =>
	({
		text: '={{ $json.text }}',
		options: { maxPostsPerRun, checkMedia: false, ...more },
	}) as IDataObject;
const onError = 'continueRegularOutput';

describe('Max Posts per Run', () => {
	test('sends nothing if there are more, and reports one error with both numbers', async () => {
		const { error } = await platform.run(limited(3), { items: itemsOf(4) });
		expect(error).toMatchObject({
			message: "'Max Posts per Run' is 3, but 4 posts are to be sent",
			description:
				'Nothing was sent for this item. Correct the fields named above. No post of this run was sent. To send all of them, increase the limit.',
			context: { data: { outcome: 'invalid' } },
		});
		expect(platform.emulator.received).toEqual([]);
	});

	test.each(['create', 'validate'])(
		'has the value of the first item in %s, which may be text',
		async (operation) => {
			const items = itemsOf(2).map((item, index) => (index === 0 ? { ...item, max: '2' } : item));
			const parameters = { ...limited('={{ $json.max }}'), operation };
			const { error, outputs } = await platform.run(parameters, { items });
			expect(error).toBeUndefined();
			expect(outputs[0]).toHaveLength(2);
			for (const { json } of outputs[0]!) expect(json).not.toHaveProperty('problems');
		},
	);

	test.each([
		['={{ $json.missing }}', 'is not a number of posts'],
		[0, 'must be at least 1'],
		[1.5, 'is not a whole number'],
	])('sends nothing if it is unusable: %s', async (limit, message) => {
		const { error } = await platform.run(limited(limit), { items: itemsOf(2) });
		expect(error!.message).toBe(`'Max Posts per Run' ${message}`);
		expect(platform.emulator.received).toEqual([]);
	});

	test('does not count the posts that an earlier attempt has sent', async () => {
		const items = itemsOf(4);
		fault('refused', { bodyHas: textOf(1) });
		const first = await platform.run(limited(4, { maxConcurrentRequests: 1 }), { items });
		const tooLow = await platform.run(limited(1), { items, ...retryOf(first) });
		expect(tooLow.error!.message).toBe("'Max Posts per Run' is 1, but 3 posts are to be sent");
		const { error } = await platform.run(limited(3), { items, ...retryOf(first) });
		expect(error).toBeUndefined();
		expect(posts()).toHaveLength(4);
	});

	test('does not count posts whose unknown outcome prevents sending', async () => {
		fault('reset-after', { bodyHas: textOf(0) });
		fault('refused', { bodyHas: textOf(1) });
		const more = { items: itemsOf(3), onError } as const;
		const first = await platform.run(limited(3), more);
		const retry = async (options?: IDataObject) => {
			const output = jsonOf(
				await platform.run(limited(1, options), { ...more, ...retryOf(first) }),
			);
			return output.map(({ details }) => (details as IDataObject | undefined)?.outcome);
		};
		expect(await retry({ resendUnknown: true })).toEqual(['invalid', 'invalid', 'invalid']);
		expect(posts()).toHaveLength(2);
		expect(await retry()).toEqual(['unknown', undefined, undefined]);
		expect(posts()).toHaveLength(3);
	});

	test('is a problem of every item in Validate', async () => {
		const parameters = { ...limited(1), operation: 'validate' };
		const message = 'is 1, but 2 posts are to be sent';
		const problems = [{ field: 'Max Posts per Run', message }];
		expect(jsonOf(await platform.run(parameters, { items: itemsOf(2) }))).toMatchObject(
			Array(2).fill({ summary: 'Not ready: 1 problem', valid: false, problems }),
		);
	});
});

describe.each(agents)('Max Posts per Run in a tool of $name', ({ type: agent }) => {
	const post = async (turns: string[][], options: IDataObject = {}) =>
		await callTool(agent, turns, { options: { maxPostsPerRun: 2, ...options } });

	test('counts the calls of an execution, without repeated ones', async () => {
		const told = await post([['one'], ['two'], ['two'], ['three']]);
		expect(told[2]).toMatchObject({ repeated: true });
		expect(told[3]).toMatchObject({
			error:
				"'Max Posts per Run' is 2, and this execution has already sent as many posts. Nothing was sent. Do not call again.",
		});
		expect(textsOf(posts())).toStrictEqual(['one', 'two']);
	});

	test('counts the calls of a turn, and frees the keys of those that were not sent', async () => {
		const options = { oncePerKey: fromAI('text') };
		const told = await post([['one', 'two', 'three', 'four']], options);
		expect(told.filter(({ error }) => error)).toHaveLength(2);
		expect(created()).toHaveLength(2);
		await post([['three', 'four']], options);
		expect(textsOf(posts()).sort()).toStrictEqual(['four', 'one', 'three', 'two']);
	});

	test('counts posts of unknown outcome, but not refused ones', async () => {
		fault('refused', { bodyHas: 'one' });
		fault('reset-after', { bodyHas: 'two' });
		await post([['one'], ['two'], ['three'], ['four']]);
		expect(textsOf(created())).toStrictEqual(['one', 'two', 'three']);
	});
});
