import { article, byId } from './keyedPosts';
import { PostFlow, postOfText, type Item, type PostSettings } from './postFlow';
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

describe('Clear Deduplication Keys', () => {
	const forget = (more: Item) => ({ resource: 'post', operation: 'forget', ...more });
	const list = [article, { id: 'article 2', text: 'b' }];

	it('clears all keys of its node', async () => {
		const saved = await posts(list);
		await saved.run();
		await saved.set(forget({ forget: 'all', keyScope: 'node' }));
		const forgotten = await saved.run();
		expect(forgotten.status).toBe('success');
		await saved.set(saved.parameters);
		expect(flow.texts(await saved.run())).toStrictEqual(['a', 'b']);
		expect(flow.sent()).toStrictEqual(['a', 'b', 'a', 'b']);
	});

	it('clears one key and keeps the others', async () => {
		const saved = await posts(list);
		await saved.run();
		await saved.set(forget({ forget: 'one', key: 'article 2', keyScope: 'node' }));
		expect((await saved.run()).status).toBe('success');
		await saved.set(saved.parameters);
		expect(flow.texts(await saved.run())).toStrictEqual(['skipped', 'b']);
		expect(flow.sent()).toStrictEqual(['a', 'b', 'b']);
	});

	it.each([
		['one', ['skipped', 'b']],
		['all', ['a', 'b']],
	])('clears keys that another node of the workflow has claimed: %s', async (which, expected) => {
		const first = postOfText(credential, byId({ keyScope: 'workflow' }));
		const parameters = forget({ forget: which, key: 'article 2', keyScope: 'workflow' });
		const node: WorkflowNode = { ...first, name: 'Forget', parameters };
		// The node is connected only to a separate trigger.
		const own = { ...manual(), name: 'By hand' };
		const workflow = row('forgets', manual(), first, own, node);
		const { Post, ...connections } = workflow.connections;
		const pinData = given(workflow, ...list).pinData;
		const saved = await SavedFlow.of(setup, { ...workflow, connections, pinData });
		await saved.run();
		expect((await saved.run('By hand')).status).toBe('success');
		expect(flow.texts(await saved.run())).toStrictEqual(expected);
	});
});
