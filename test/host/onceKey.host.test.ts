import { article, byId } from './keyedPosts';
import { PostFlow, postOfText, until, type Item, type PostSettings } from './postFlow';
import { usePostSetup } from './postSetup';
import type { Credential, WorkflowNode } from '../n8n/rest';
import { SavedFlow } from './savedFlow';
import type { Setup } from '../n8n/setup';
import { given, manual, row } from '../n8n/workflows';

let setup: Setup;
let credential: Credential;
let flow: PostFlow;
usePostSetup((set) => ({ setup, credential, flow } = set));

/** A saved workflow that posts these items once per `id`. */
const posts = async (list: Item[], more: PostSettings = byId()): Promise<SavedFlow> =>
	await SavedFlow.of(setup, flow.workflow(list, more));

const skipped = (key: string) => ({
	skipped: true,
	note: expect.stringContaining(`'${key}'`) as string,
	key,
});

describe('A post with a key', () => {
	it('is sent once in one execution and in a later one, which outputs the first post', async () => {
		const list = [article, article, { id: 2, text: 'b' }, { id: '2', text: 'c' }, article];
		const saved = await posts(list, byId({ maxConcurrentRequests: 5 }));
		const first = await saved.run();
		expect(flow.texts(first)).toStrictEqual(['a', 'skipped', 'b', 'skipped', 'skipped']);
		const known = [skipped('article 1'), skipped('2')];
		expect(flow.items(await saved.run())).toStrictEqual([0, 0, 1, 1, 0].map((at) => known[at]));
		expect(flow.posted().sort()).toStrictEqual(['a', 'b']);
	});

	it('is sent once by two executions at the same time, or again after a refusal', async () => {
		flow.fault('slow', { kind: 'slow', delayMs: 1500 });
		flow.fault('a', { kind: 'refused' });
		const saved = await posts([{ id: 'slow', text: 'slow' }, article]);
		const ids = [await saved.start(), await saved.start()];
		const both = await Promise.all(ids.map((id) => setup.rest.finished(id)));
		expect(both.map(({ status }) => status).sort()).toStrictEqual(['error', 'success']);
		expect(flow.sent()).toStrictEqual(['slow', 'a', 'a']);
		expect(flow.posted()).toStrictEqual(['slow', 'a']);
	});

	it('is sent by a later execution if it was refused, but not if its outcome is unknown', async () => {
		flow.fault('b', { kind: 'refused' });
		flow.fault('c', { kind: 'server-error-after' });
		const list = ['a', 'b', 'c'].map((text) => ({ id: text, text }));
		const settings = { onError: 'continueErrorOutput' };
		const saved = await posts(list, { ...byId(), settings });
		await saved.run();
		const second = await saved.run();
		expect(flow.sent()).toStrictEqual(['a', 'b', 'c', 'b']);
		expect(flow.texts(second)).toStrictEqual(['skipped', 'b']);
		expect(second.runs.Post!.at(-1)!.data!.main[1]).toMatchObject([
			{ json: { details: { outcome: 'unknown', key: 'c' } } },
		]);
	});

	it('is sent once by two nodes of the workflow', async () => {
		const first = postOfText(credential, byId());
		const second: WorkflowNode = { ...first, name: 'Second' };
		const to = (node: string) => ({ node, type: 'main', index: 0 });
		const connections = { Start: { main: [[to('Post'), to('Second')]] } };
		const workflow = { ...row('two', manual(), first, second), connections };
		await (await SavedFlow.of(setup, given(workflow, article))).run();
		expect(flow.sent()).toStrictEqual(['a']);
	});

	it('is sent again after Clear Deduplication Keys has cleared its key', async () => {
		const saved = await posts([article, { id: 'article 2', text: 'b' }]);
		await saved.run();
		const { socialAccountId } = saved.parameters;
		const clear = { resource: 'post', operation: 'clear', socialAccountId, key: 'article 2' };
		await saved.set(clear);
		expect((await saved.run()).status).toBe('success');
		await saved.set(saved.parameters);
		expect(flow.texts(await saved.run())).toStrictEqual(['skipped', 'b']);
	});
});

it('After n8n was killed, a post is sent unless its key was in use', async () => {
	flow.fault('b', { kind: 'slow', delayMs: 60_000 });
	const list = ['a', 'b', 'c'].map((text) => ({ id: text, text }));
	// A post that waits for its turn does not use its key.
	const saved = await posts(list, byId({ maxConcurrentRequests: 5, minimumInterval: 2 }));
	await saved.start();
	await until(() => flow.sent().length === 2);
	setup.n8n.kill('SIGKILL');
	await setup.n8n.ended;
	await setup.restart();
	const again = await saved.run();
	expect(again.status).toBe('error');
	expect(again.error?.message).toMatch(
		/^It is not known whether the platform accepted post 2 of 3/,
	);
	expect(flow.sent()).toStrictEqual(['a', 'b', 'c']);
});
