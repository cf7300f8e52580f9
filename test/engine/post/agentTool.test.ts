import type { IDataObject, INode } from 'n8n-workflow';
import { node, NODE_TYPE, start } from '../harness/execution';
import { retryOnFail } from '../harness/ledgerOf';
import { textsOf } from '../harness/manyPosts';
import { postFields, usePlatform } from '../harness/platform';
import { until } from '../harness/storage';
import { agents, callWithoutExecution, fromAI, runAgent } from '../harness/agentRun';

const platform = usePlatform();

const posts = () => platform.emulator.posts;
const created = () => platform.received('createPost');
const fault = (kind: 'refused' | 'server-error-after' | 'slow', more = {}) =>
	platform.emulator.fault({ kind, operation: 'createPost', ...more });

/** Lets an agent call the node with these texts, turn by turn, and returns what its model receives. */
const posting = async (agent: string, turns: string[][], settings: Partial<INode> = {}) =>
	await runAgent({
		...{ platform, agent, settings },
		turns: turns.map((texts) => texts.map((text) => ({ text }))),
		parameters: {
			...{ socialAccountId: 'acc_1', text: fromAI('text') },
			mediaUrls: ['https://cdn.example/a.jpg'],
		},
	});

describe.each(agents)('Create as a tool of $name', ({ type: agent }) => {
	const post = async (turns: string[][], settings?: Partial<INode>) =>
		await posting(agent, turns, settings);

	test("sends a post and returns the platform's response", async () => {
		const told = await post([['hello']]);
		expect(textsOf(posts())).toStrictEqual(['hello']);
		expect(told).toStrictEqual([
			expect.objectContaining({ action_sn: posts()[0]!.action_sn, status: 'processing' }),
		]);
		expect(told[0]).not.toHaveProperty('repeated');
		expect(told[0]).not.toHaveProperty('note');
	});

	test('sends a repeated post once, and reports this at the second call', async () => {
		const [first, second] = await post([['hello'], ['hello']]);
		expect(created()).toHaveLength(1);
		expect(second).toStrictEqual({
			...first,
			repeated: true,
			note: 'This post was already accepted earlier in this execution. It was not published a second time.',
		});
	});

	test('sends a post once when it is repeated in the same turn', async () => {
		fault('slow', { delayMs: 100 });
		const told = await post([['hello', 'hello', 'hello']]);
		expect(created()).toHaveLength(1);
		expect(told.map(({ action_sn }) => action_sn)).toStrictEqual(
			Array(3).fill(posts()[0]!.action_sn),
		);
		expect(told.map(({ repeated }) => repeated)).toStrictEqual([undefined, true, true]);
	});

	test('sends each of several different posts', async () => {
		const told = await post([['one', 'two'], ['three'], ['two']]);
		expect(textsOf(posts()).sort()).toStrictEqual(['one', 'three', 'two']);
		expect(told.map(({ repeated }) => repeated)).toStrictEqual([
			...[undefined, undefined, undefined, true],
		]);
	});

	test('sends the same post again in a later execution, unless it has a key', async () => {
		// n8n's MCP Server Trigger starts an execution for each call.
		const call = async (options: IDataObject = {}) =>
			await runAgent({
				...{ platform, agent, turns: [[{ text: 'hello', key: 'article 1' }]] },
				parameters: {
					...{ socialAccountId: 'acc_1', text: fromAI('text'), options },
					mediaUrls: ['https://cdn.example/a.jpg'],
				},
			});
		await call();
		await call();
		expect(posts()).toHaveLength(2);
		const options = { oncePerKey: fromAI('key') };
		await call(options);
		expect(await call(options)).toMatchObject([{ skipped: true, key: 'article 1' }]);
		expect(posts()).toHaveLength(3);
	});

	test.each(['1', '3'])(
		'sends a post once when it was refused before and the arguments vary (%s)',
		async (again) => {
			fault('refused');
			const told = await runAgent({
				...{ platform, agent },
				turns: ['1', '2', again].map((other) => [{ text: 'hello', other }]),
				parameters: {
					...{ socialAccountId: 'acc_1', text: fromAI('text') },
					mediaUrls: ['https://cdn.example/a.jpg'],
				},
			});
			expect(created()).toHaveLength(2);
			expect(told[2]).toMatchObject({ action_sn: posts()[0]!.action_sn, repeated: true });
		},
	);

	test('sends a refused post again', async () => {
		fault('refused', { message: 'no' });
		const [first, second] = await post([['hello'], ['hello']]);
		expect(first!.error).toMatch(/The platform refused the post: it gave no code \(“no”\)/);
		expect(second).toMatchObject({ action_sn: posts()[0]!.action_sn });
		expect(second).not.toHaveProperty('repeated');
	});

	test('sends a refused post again when the same turn repeats the call', async () => {
		fault('refused');
		const told = await post([['hello', 'hello']]);
		expect(told.map(({ error }) => typeof error)).toStrictEqual(['string', 'undefined']);
		expect(posts()).toHaveLength(1);
	});

	test('reports an unknown outcome at each call, and does not resend the post', async () => {
		fault('server-error-after');
		const told = await post([['hello'], ['hello', 'hello']]);
		expect(created()).toHaveLength(1);
		for (const { error } of told) expect(error).toMatch(/^It is not known whether/);
	});

	test('resends refused posts with Retry on Fail, but not posts of unknown outcome', async () => {
		fault('refused', { bodyHas: 'one', times: 2 });
		fault('server-error-after', { bodyHas: 'two' });
		const told = await post([['one'], ['two'], ['one']], retryOnFail);
		expect(textsOf(created())).toStrictEqual(['one', 'one', 'one', 'two']);
		expect(told[0]).not.toHaveProperty('repeated');
		expect(told[1]!.error).toMatch(/^It is not known whether/);
		expect(told[2]).toMatchObject({ repeated: true, action_sn: told[0]!.action_sn });
	});
});

describe.each(agents)(
	'Create with an expression that varies, as a tool of $name',
	({ type: agent }) => {
		const varying = [
			"={{ $fromAI('text', 'The text', 'string') + ' ' + $now.toMillis() }}",
			"={{ $fromAI('text', 'The text', 'string') + ' ' + Math.random() + ' run ' + $runIndex }}",
		];
		const post = async (text: string, turns: string[][], settings: Partial<INode> = {}) =>
			await runAgent({
				...{ platform, agent, settings },
				turns: turns.map((texts) => texts.map((one) => ({ text: one }))),
				parameters: { socialAccountId: 'acc_1', text, mediaUrls: ['https://cdn.example/a.jpg'] },
			});

		test.each(varying)(
			'does not resend a post of unknown outcome with Retry on Fail: %s',
			async (text) => {
				fault('server-error-after');
				const told = await post(text, [['hello'], ['hello']], retryOnFail);
				expect(created()).toHaveLength(1);
				for (const { error } of told) expect(error).toMatch(/^It is not known whether/);
			},
		);

		test.each(varying)('sends an accepted post again when its text varies: %s', async (text) => {
			const told = await post(text, [['hello'], ['hello']]);
			expect(told.map(({ repeated }) => repeated)).toStrictEqual([undefined, undefined]);
			expect(created()).toHaveLength(2);
		});
	},
);

describe.each(agents)('Create in a loop, as a tool of $name', ({ type: agent }) => {
	/** Runs an agent once for each text of a loop, and returns the results of all calls. */
	const loop = async (texts: string[], parameters: IDataObject) => {
		const tool: INode = {
			...node('Post', `${NODE_TYPE}Tool`, {
				...{ socialAccountId: 'acc_1', mediaUrls: ['https://cdn.example/a.jpg'] },
				...parameters,
			}),
			credentials: { socialOpenPlatformApi: { id: '1', name: 'Platform' } },
		};
		const rounds = texts.map((text, round) => ({ name: `Round ${round}`, text }));
		const to = (name: string) => ({ node: name, type: 'main' as const, index: 0 });
		const { done } = start({
			nodes: [
				node('Start', 'test.passThrough'),
				...rounds.map(({ name }) => node(name, 'test.passThrough')),
				node('Each', 'test.passThrough'),
				node('Agent', agent, { turns: [[{}]] }),
				tool,
			],
			connections: {
				Start: { main: [rounds.map(({ name }) => to(name))] },
				...Object.fromEntries(rounds.map(({ name }) => [name, { main: [[to('Each')]] }])),
				Each: { main: [[to('Agent')]] },
				Post: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
			},
			pinData: Object.fromEntries(rounds.map(({ name, text }) => [name, [{ json: { text } }]])),
			store: platform.store,
		});
		const { data } = await done;
		return data.resultData.runData.Agent!.map((run) => run.data!.main![0]![0]!.json);
	};
	const text = "={{ $('Each').first().json.text }}";

	test('sends a post in each iteration, even with the same arguments', async () => {
		await loop(['one', 'two'], { text });
		expect(textsOf(posts()).sort()).toStrictEqual(['one', 'two']);
	});

	test('reads the item of the iteration with item instead of first(), or is refused', async () => {
		const [, second] = await loop(['one', 'two'], { text: text.replace('first()', 'item') });
		if (agent === 'test.agent') expect(textsOf(posts()).sort()).toStrictEqual(['one', 'two']);
		// Agents of version 3 read the item of the first iteration.
		else expect(second!.error).toMatch(/^'Text' may read the wrong item of /);
	});

	test.each([
		['no publish time', {}],
		[
			'a varying publish time',
			{ publishTime: 'at', publishAt: '={{ $now.plus({ days: 1 + $runIndex }) }}' },
		],
	])('sends equal posts once, with %s', async (_, more) => {
		const told = await loop(['one', 'one'], { text, ...more });
		expect(created()).toHaveLength(1);
		expect(told.map(({ repeated }) => repeated)).toStrictEqual([undefined, true]);
	});
});

describe.each(agents)('Create for several items, as a tool of $name', ({ type: agent }) => {
	const items = ['one', 'two'].map((text) => ({ json: { text } }));
	const post = async (text: string) =>
		await runAgent({
			...{ platform, agent, items, turns: [[{}]] },
			parameters: { socialAccountId: 'acc_1', text, mediaUrls: ['https://cdn.example/a.jpg'] },
		});

	test('sends each post whose fields differ, although the arguments are the same', async () => {
		await post("={{ $('Start').all()[$runIndex].json.text }}");
		expect(textsOf(posts())).toStrictEqual(['one', 'two']);
	});
});

describe.each(agents)('Publish At of a post as a tool of $name', ({ type: agent }) => {
	const post = async (publishAt: string, times: string[]) =>
		await runAgent({
			...{ platform, agent, turns: times.map((at) => [{ at }]) },
			parameters: {
				...{ socialAccountId: 'acc_1', text: 'hello', publishTime: 'at', publishAt },
				mediaUrls: ['https://cdn.example/a.jpg'],
			},
		});

	test('makes another post only if its arguments differ', async () => {
		const at = "={{ $now.plus({ days: 1 + $runIndex, hours: $fromAI('at', 'Hours', 'string') }) }}";
		const told = await post(at, ['2', '2', '3']);
		expect(told.map(({ repeated }) => repeated)).toStrictEqual([undefined, true, undefined]);
		expect(created()).toHaveLength(2);
	});

	test('makes another post if an expression that does not read the clock returns another time', async () => {
		const days = [1, 2, 3].map((day) => ({ json: { at: `2099-12-0${day}T18:00` } }));
		const told = await runAgent({
			...{ platform, agent, items: days, turns: [[{}]] },
			parameters: {
				...{ socialAccountId: 'acc_1', text: 'hello', publishTime: 'at' },
				publishAt: "={{ $('Start').all()[$runIndex].json.at }}",
				mediaUrls: ['https://cdn.example/a.jpg'],
			},
		});
		expect(created()).toHaveLength(3);
		expect(told.map(({ repeated }) => repeated)).toStrictEqual([undefined, undefined, undefined]);
	});

	test('is part of the result of each call', async () => {
		const [first, second] = await post(fromAI('at'), ['2099-12-31T18:00', '2099-12-31T18:00']);
		expect(first).toHaveProperty('scheduled_for', '2099-12-31T18:00:00+01:00 (Europe/Berlin)');
		expect(second).toMatchObject({ ...first, repeated: true });
	});

	test('makes another post if Other Fields contain another time', async () => {
		const told = await runAgent({
			...{ platform, agent, turns: ['2098', '2099', '2099'].map((year) => [{ year }]) },
			parameters: {
				...{ socialAccountId: 'acc_1', mediaUrls: ['https://cdn.example/a.jpg'] },
				postOptions: {
					additionalBodyFields:
						"={\"post_date\": \"{{ $fromAI('year', 'Year', 'string') }}-12-31T18:00:00Z\"}",
				},
			},
		});
		expect(told.map(({ repeated }) => repeated)).toStrictEqual([undefined, undefined, true]);
	});

	test('is the same in each of its formats', async () => {
		const times = ['2099-12-31T18:00', '2099-12-31 18:00:00+01:00', '2099-12-31T19:00'];
		const told = await post(fromAI('at'), times);
		expect(told.map(({ repeated }) => repeated)).toStrictEqual([undefined, true, undefined]);
	});
});

test('Create sends different posts of an agent concurrently', async () => {
	for (const bodyHas of ['two', 'three']) fault('slow', { delayMs: 600_000, bodyHas });
	const running = posting('test.agent', [['one'], ['two', 'three']]);
	await until(() => created().length === 3);
	await platform.emulator.stop();
	await running;
});

test('Create outside an agent sends the same post again in another run', async () => {
	await platform.run({}, { items: [{}], moreRuns: [[{}]] });
	expect(posts()).toHaveLength(2);
});

describe('A call without an execution, which has no ledger', () => {
	const call = async (operation: string) =>
		await callWithoutExecution(
			platform,
			{ ...postFields, resource: 'post', operation, text: fromAI('text') },
			{ text: 'hello' },
		);

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
