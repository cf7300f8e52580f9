import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { agents, callWithoutExecution, fromAI } from '../harness/agentRun';
import { retryOnFail } from '../harness/ledgerOf';
import { textsOf } from '../harness/manyPosts';
import { postFields } from '../harness/platform';
import { until } from '../harness/storage';
import { usePosts } from './postSetup';

const { platform, created, posts, fault, callTool } = usePosts();

const repeatedIn = (told: IDataObject[]) => told.map(({ repeated }) => repeated);

describe.each(agents)('Create as a tool of $name', ({ type: agent }) => {
	test('sends a repeated post once, and reports this at the second call', async () => {
		const told = await callTool(agent, [['one', 'two'], ['three'], ['two']]);
		expect(textsOf(created()).sort()).toStrictEqual(['one', 'three', 'two']);
		expect(told.slice(0, 3)).not.toContainEqual(
			expect.objectContaining({ note: expect.any(String) }),
		);
		expect(told[3]).toStrictEqual({
			...told[1],
			repeated: true,
			note: 'This post was already accepted earlier in this execution. It was not published a second time.',
		});
	});

	test('sends a post once when it is repeated in the same turn', async () => {
		fault('slow', { delayMs: 100 });
		const told = await callTool(agent, [['hello', 'hello', 'hello']]);
		expect(created()).toHaveLength(1);
		expect(repeatedIn(told)).toStrictEqual([undefined, true, true]);
	});

	test('sends a post once when it was refused before and the arguments vary', async () => {
		fault('refused');
		const turns = ['1', '2', '1'].map((other) => [{ text: 'hello', other }]);
		const told = await callTool(agent, turns);
		expect(created()).toHaveLength(2);
		expect(told[2]).toMatchObject({ action_sn: posts()[0]!.action_sn, repeated: true });
	});

	test('sends a refused post again when the same turn repeats the call', async () => {
		fault('refused');
		const told = await callTool(agent, [['hello', 'hello']]);
		expect(told.map(({ error }) => typeof error)).toStrictEqual(['string', 'undefined']);
		expect(told[1]).not.toHaveProperty('repeated');
		expect(posts()).toHaveLength(1);
	});

	test.each([
		['the same text', ['hello', 'hello', 'hello'], {}],
		['the same key', ['one', 'two', 'three'], { oncePerKey: 'article 1' }],
	])(
		'sends a post of unknown outcome once, even with Resend If Outcome Unknown: %s',
		async (_, [first, ...others], options) => {
			fault('server-error-after', { times: 3 });
			const parameters = { options: { ...options, resendUnknown: true } };
			const more = { workflowId: randomUUID() };
			const told = await callTool(agent, [[first!], others], parameters, more);
			expect(created()).toHaveLength(1);
			for (const { error } of told) expect(error).toMatch(/^It is not known whether/);
		},
	);

	test('resends a post of unknown outcome in a retry of its execution, if the user allows it', async () => {
		fault('server-error-after');
		const options = { resendUnknown: true };
		await callTool(agent, [['hello'], ['hello']], { options }, { mode: 'retry' });
		expect(created()).toHaveLength(2);
	});

	test('resends refused posts with Retry on Fail, but not posts of unknown outcome', async () => {
		fault('refused', { bodyHas: 'one', times: 2 });
		fault('server-error-after', { bodyHas: 'two' });
		const settings = retryOnFail;
		const told = await callTool(agent, [['one'], ['two'], ['one']], {}, { settings });
		expect(textsOf(created())).toStrictEqual(['one', 'one', 'one', 'two']);
		expect(told[0]).not.toHaveProperty('repeated');
		expect(told[1]!.error).toMatch(/^It is not known whether/);
		expect(told[2]).toMatchObject({ repeated: true, action_sn: told[0]!.action_sn });
	});

	test('sends a post once in two retries of an execution, also with other arguments', async () => {
		platform.credential.accounts = { account: [{ name: 'Harbour', id: 'acc_1' }] };
		const retry = { mode: 'retry', contextData: { 'node:Post': { execution: 'x' } } } as const;
		const workflowId = `retries-${Math.random()}`;
		for (const more of [{ account: 'acc_1' }, { account: 'Harbour', reason: 'second try' }]) {
			const parameters = { socialAccountId: fromAI('account') };
			await callTool(agent, [[{ text: 'hello', ...more }]], parameters, { ...retry, workflowId });
		}
		expect(posts()).toHaveLength(1);
	});

	test('sends each post whose fields differ, although the arguments are the same', async () => {
		const items = ['one', 'two'].map((text) => ({ json: { text } }));
		const text = "={{ $('Start').all()[$runIndex].json.text }}";
		await callTool(agent, [[{}]], { text }, { items });
		expect(textsOf(posts())).toStrictEqual(['one', 'two']);
	});

	describe('with a text that varies', () => {
		const text = "={{ $fromAI('text', 'The text', 'string') + ' ' + Math.random() }}";

		test('does not resend a post of unknown outcome with Retry on Fail', async () => {
			fault('server-error-after');
			const settings = retryOnFail;
			const told = await callTool(agent, [['hello'], ['hello']], { text }, { settings });
			expect(created()).toHaveLength(1);
			for (const { error } of told) expect(error).toMatch(/^It is not known whether/);
		});

		test('sends an accepted post again', async () => {
			const told = await callTool(agent, [['hello'], ['hello']], { text });
			expect(repeatedIn(told)).toStrictEqual([undefined, undefined]);
			expect(created()).toHaveLength(2);
		});
	});
});

describe.each(agents)('Publish At of a post as a tool of $name', ({ type: agent }) => {
	const at = (publishAt: string) => ({ text: 'hello', publishTime: 'at', publishAt });

	test('makes another post only if its arguments differ', async () => {
		const publishAt =
			"={{ $now.plus({ days: 1 + $runIndex, hours: $fromAI('at', 'Hours', 'string') }) }}";
		const turns = ['2', '2', '3'].map((hours) => [{ at: hours }]);
		const told = await callTool(agent, turns, at(publishAt));
		expect(repeatedIn(told)).toStrictEqual([undefined, true, undefined]);
		expect(created()).toHaveLength(2);
	});
});

test('Create sends different posts of an agent concurrently', async () => {
	for (const bodyHas of ['two', 'three']) fault('slow', { delayMs: 600_000, bodyHas });
	const running = callTool(undefined, [['one'], ['two', 'three']]);
	await until(() => created().length === 3);
	await platform.emulator.stop();
	await running;
});

describe('A call without an execution, which has no ledger', () => {
	const call = async (operation: string) => {
		const parameters = { ...postFields, resource: 'post', operation, text: fromAI('text') };
		return await callWithoutExecution(platform, parameters, { text: 'hello' });
	};

	test('is refused by Create', async () => {
		await expect(call('create')).rejects.toThrow(
			'Nothing was sent: this call is not part of an execution. Use the tool in an AI Agent of a workflow.',
		);
		expect(platform.emulator.received).toEqual([]);
	});

	test('lets an agent validate a post', async () => {
		expect(await call('validate')).toMatchObject([[{ json: { valid: true } }]]);
	});
});
