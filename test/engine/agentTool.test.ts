import type { IDataObject, INode } from 'n8n-workflow';
import { node, NODE_TYPE, start } from './execution';
import { retryOnFail } from './ledgerOf';
import { textsOf } from './manyPosts';
import { startPlatform, type Platform } from './platform';

let platform: Platform;
beforeEach(async () => {
	platform = await startPlatform();
});
afterEach(async () => await platform.stop());

const posts = () => platform.emulator.posts;
const created = () => platform.received('createPost');
const fault = (kind: 'refused' | 'server-error-after' | 'slow', more = {}) =>
	platform.emulator.fault({ kind, operation: 'createPost', ...more });

/** An agent with the node as its tool makes these calls, turn by turn; what it is told of each. */
async function talk(turns: string[][], settings: Partial<INode> = {}): Promise<IDataObject[]> {
	const calls = turns.map((texts) => texts.map((text) => ({ text })));
	const tool: INode = {
		...node('Post', `${NODE_TYPE}Tool`, {
			socialAccountId: 'acc_1',
			text: "={{ $fromAI('text', 'Caption of the post', 'string') }}",
			mediaUrls: ['https://cdn.example/a.jpg'],
		}),
		credentials: { socialOpenPlatformApi: { id: '1', name: 'Platform' } },
		...settings,
	};
	const { done } = start({
		nodes: [node('Agent', 'test.agent', { turns: calls }), tool],
		connections: { Post: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] } },
		store: platform.store,
	});
	const { data } = await done;
	expect(data.resultData.error).toBeUndefined();
	return data.resultData.runData.Agent![0]!.data!.main![0]!.map(({ json }) => json);
}

test('An agent posts, and is told what the platform answered', async () => {
	const told = await talk([['hello']]);
	expect(textsOf(posts())).toStrictEqual(['hello']);
	expect(told).toStrictEqual([
		expect.objectContaining({ action_sn: posts()[0]!.action_sn, status: 'processing' }),
	]);
	expect(told[0]).not.toHaveProperty('repeated');
	expect(told[0]).not.toHaveProperty('note');
});

test('What it posts twice in a conversation goes out once, and the second call says so', async () => {
	const [first, second] = await talk([['hello'], ['hello']]);
	expect(created()).toHaveLength(1);
	expect(second).toStrictEqual({
		...first,
		repeated: true,
		note: 'This very post was accepted earlier in this execution. It was not posted a second time.',
	});
});

test('What it posts twice at the same time goes out once', async () => {
	fault('slow', { delayMs: 300 });
	const told = await talk([['hello', 'hello', 'hello']]);
	expect(created()).toHaveLength(1);
	expect(told.map(({ action_sn }) => action_sn)).toStrictEqual(
		Array(3).fill(posts()[0]!.action_sn),
	);
	expect(told.map(({ repeated }) => repeated)).toStrictEqual([undefined, true, true]);
});

test('What differs goes out each', async () => {
	const told = await talk([['one', 'two'], ['three'], ['two']]);
	expect(textsOf(posts()).sort()).toStrictEqual(['one', 'three', 'two']);
	expect(told.map(({ repeated }) => repeated)).toStrictEqual([
		...[undefined, undefined, undefined, true],
	]);
});

test('What differs and is posted at the same time does not wait for each other', async () => {
	platform.emulator.adjust({ latencyMs: 300 });
	await talk([['one'], ['two', 'three']]);
	const [two, three] = created().slice(1);
	expect(Math.abs(Date.parse(two!.at) - Date.parse(three!.at))).toBeLessThan(280);
});

test('A later conversation may post the same again', async () => {
	await talk([['hello']]);
	await talk([['hello']]);
	expect(posts()).toHaveLength(2);
});

test('What was refused may be tried again', async () => {
	fault('refused', { message: 'no' });
	const [first, second] = await talk([['hello'], ['hello']]);
	expect(first!.error).toMatch(/The platform refused the post: “no”/);
	expect(second).toMatchObject({ action_sn: posts()[0]!.action_sn });
	expect(second).not.toHaveProperty('repeated');
});

test('What was refused while another call waited for it is sent by that one', async () => {
	fault('refused');
	const told = await talk([['hello', 'hello']]);
	expect(told.map(({ error }) => typeof error)).toStrictEqual(['string', 'undefined']);
	expect(posts()).toHaveLength(1);
});

test('What may be out is not sent again, and the agent is told each time', async () => {
	fault('server-error-after');
	const told = await talk([['hello'], ['hello', 'hello']]);
	expect(created()).toHaveLength(1);
	for (const { error } of told) expect(error).toMatch(/^It is unknown whether/);
});

test('With Retry on Fail a refused post is sent again, and one that may be out is not', async () => {
	fault('refused', { bodyHas: 'one', times: 2 });
	fault('server-error-after', { bodyHas: 'two' });
	const told = await talk([['one'], ['two'], ['one']], retryOnFail);
	expect(textsOf(created())).toStrictEqual(['one', 'one', 'one', 'two']);
	expect(told[0]).not.toHaveProperty('repeated');
	expect(told[1]!.error).toMatch(/^It is unknown whether/);
	expect(told[2]).toMatchObject({ repeated: true, action_sn: told[0]!.action_sn });
});

test('A node that is no tool posts the same again in another run', async () => {
	await platform.run({}, { items: [{}], moreRuns: [[{}]] });
	expect(posts()).toHaveLength(2);
});
