import { article, byId, ID } from './keyedPosts';
import { pause, PostFlow, postOfText, until, type Item, type PostSettings } from './postFlow';
import { usePostSetup } from './postSetup';
import { say } from '../n8n/progress';
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

const skipped = (key: string, first: object) => ({
	skipped: true,
	note: expect.stringContaining(`'${key}'`) as string,
	key,
	first,
});

const known = (post: Item | undefined) => ({
	outcome: 'accepted',
	action_sn: post?.action_sn,
	social_post_id: post?.social_post_id,
	request_id: post?.request_id,
	posted_at: expect.stringMatching(/^\d{4}-.+Z$/) as string,
});

describe('A post with a key', () => {
	it('is sent once in two executions, and the second one outputs the first post', async () => {
		const saved = await posts([article]);
		const [post] = flow.items(await saved.run());
		const second = await saved.run();
		expect(second.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['a']);
		expect(flow.items(second)).toStrictEqual([skipped('article 1', known(post))]);
	});

	it('is sent once within one execution', async () => {
		const twice = [article, { id: 'article 2', text: 'b' }, { ...article, text: 'a, changed' }];
		const execution = await (await posts(twice)).run();
		expect(flow.sent()).toStrictEqual(['a', 'b']);
		const [first, , third] = flow.items(execution);
		expect(flow.texts(execution)).toStrictEqual(['a', 'b', 'skipped']);
		expect(third).toStrictEqual(skipped('article 1', known(first)));
	});

	it('is sent once within one execution with five requests at a time', async () => {
		const list = [article, article, { id: 2, text: 'b' }, { id: '2', text: 'c' }, article];
		const options = byId({ maxConcurrentRequests: 5 });
		const execution = await (await posts(list, options)).run();
		expect(flow.posted().sort()).toStrictEqual(['a', 'b']);
		expect(flow.texts(execution)).toStrictEqual(['a', 'skipped', 'b', 'skipped', 'skipped']);
	});

	it.each([
		[1, 0.6],
		[5, 0.2],
	])('with %i requests at a time takes less than %f seconds longer', async (width, limit) => {
		const list = Array.from({ length: 40 }, (_, index) => ({ id: index, text: `${index}` }));
		const secondsPerPost = async (key: Item): Promise<number> => {
			const saved = await posts(list, { options: { maxConcurrentRequests: width, ...key } });
			const started = Date.now();
			expect((await saved.run()).status).toBe('success');
			return (Date.now() - started) / 1000 / list.length;
		};
		let seconds = Infinity;
		let runs = 0;
		// A busy machine may delay n8n's database in one of the runs.
		while (seconds >= limit && runs < 6) {
			const withKey = await secondsPerPost({ oncePerKey: ID });
			seconds = Math.min(seconds, withKey - (await secondsPerPost({})));
			runs += 2;
		}
		say(`• a key adds ${seconds.toFixed(3)} s per post with ${width} requests at a time`);
		expect(seconds).toBeLessThan(limit);
		expect(flow.sent()).toHaveLength(runs * list.length);
	});

	it('is sent once by two executions at the same time', async () => {
		setup.emulator.fault({ kind: 'slow', delayMs: 1500, operation: 'createPost', times: 2 });
		const saved = await posts([article]);
		const ids = [await saved.start(), await saved.start()];
		const both = await Promise.all(ids.map((id) => setup.rest.finished(id)));
		expect(both.map(({ status }) => status)).toStrictEqual(['success', 'success']);
		expect(flow.sent()).toStrictEqual(['a']);
		expect(both.flatMap((execution) => flow.texts(execution)).sort()).toStrictEqual([
			'a',
			'skipped',
		]);
	});

	it('is sent by the other execution when the platform refused the first post', async () => {
		flow.fault('slow', { kind: 'slow', delayMs: 1500 });
		flow.fault('a', { kind: 'refused' });
		const saved = await posts([{ id: 'slow', text: 'slow' }, article]);
		const ids = [await saved.start(), await saved.start()];
		const both = await Promise.all(ids.map((id) => setup.rest.finished(id)));
		expect(both.map(({ status }) => status).sort()).toStrictEqual(['error', 'success']);
		expect(flow.sent()).toStrictEqual(['slow', 'a', 'a']);
		expect(flow.posted()).toStrictEqual(['slow', 'a']);
	});

	it('is sent by a later execution when the platform refused it', async () => {
		setup.emulator.fault({ kind: 'refused', operation: 'createPost' });
		const saved = await posts([article]);
		expect((await saved.run()).status).toBe('error');
		const second = await saved.run();
		expect(flow.sent()).toStrictEqual(['a', 'a']);
		expect(flow.texts(second)).toStrictEqual(['a']);
	});

	it('is skipped when the outcome of the first one is unknown, which the item reports', async () => {
		setup.emulator.fault({ kind: 'server-error-after', operation: 'createPost' });
		const saved = await posts([article]);
		expect((await saved.run()).error?.message).toMatch(/not known whether/);
		const second = await saved.run();
		expect(second.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['a']);
		expect(flow.items(second)).toStrictEqual([skipped('article 1', { outcome: 'unknown' })]);
	});

	it('is sent again after an unknown outcome only with Resend If Outcome Unknown', async () => {
		setup.emulator.fault({ kind: 'reset-after', operation: 'createPost' });
		const saved = await posts([article]);
		await saved.run();
		const options = { ...(saved.parameters.options as Item), resendUnknown: true };
		await saved.set({ ...saved.parameters, options });
		expect(flow.texts(await saved.run())).toStrictEqual(['a']);
		expect(flow.texts(await saved.run())).toStrictEqual(['skipped']);
		expect(flow.sent()).toStrictEqual(['a', 'a']);
	});

	it('is sent again with Retry on Fail when the platform refused it', async () => {
		flow.fault('b', { kind: 'refused', times: 2 });
		const list = [article, { id: 'article 2', text: 'b' }];
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
		const execution = await (await posts(list, { ...byId(), settings })).run();
		expect(flow.sent()).toStrictEqual(['a', 'b', 'b', 'b']);
		expect(flow.texts(execution)).toStrictEqual(['a', 'b']);
	});

	it('is sent again by another workflow', async () => {
		await (await posts([article])).run();
		await (await posts([article])).run();
		expect(flow.sent()).toStrictEqual(['a', 'a']);
	});

	it('is sent if the key was never used, even with a small History Size', async () => {
		const list = Array.from({ length: 100 }, (_, index) => ({ id: index, text: `text ${index}` }));
		const options = {
			oncePerKey: '={{ $execution.id }} {{ $json.id }}',
			keyHistory: 1,
			maxConcurrentRequests: 100,
		};
		const saved = await posts(list, byId(options));
		const ids = [await saved.start(), await saved.start(), await saved.start()];
		const all = await Promise.all(ids.map((id) => setup.rest.finished(id)));
		const texts = all.flatMap((execution) => flow.texts(execution));
		expect(texts.filter((text) => text === 'skipped')).toStrictEqual([]);
		expect(flow.posted()).toHaveLength(300);
	});

	const nothing = { 'an empty text': '', blanks: '  ', null: null, 'no such field': undefined };
	const unusable = { ...nothing, 'a number beyond 2^53': 2 ** 53 + 2 };
	it.each(Object.entries(unusable))(
		'is refused when its key is %s, and nothing is sent for the item',
		async (_, id) => {
			const list = [
				{ text: 'a', id },
				{ id: 'b', text: 'b' },
			];
			const settings = { onError: 'continueErrorOutput' };
			const execution = await (await posts(list, { ...byId(), settings })).run();
			expect(flow.sent()).toStrictEqual(['b']);
			expect(flow.texts(execution, 1)).toStrictEqual(['invalid']);
			expect(JSON.stringify(flow.items(execution, 1))).toContain("'Deduplication Key'");
		},
	);
});

describe('Two nodes of a workflow', () => {
	const both = (scope: string) => {
		const first = postOfText(credential, byId({ keyScope: scope }));
		const second: WorkflowNode = { ...first, name: 'Second' };
		const workflow = row('two', manual(), first, second);
		const to = (node: string) => ({ node, type: 'main', index: 0 });
		const connections = { Start: { main: [[to('Post'), to('Second')]] } };
		return given({ ...workflow, connections, settings: { executionOrder: 'v1' } }, article);
	};

	it('have separate keys with the scope Node', async () => {
		const execution = await (await SavedFlow.of(setup, both('node'))).run();
		expect(flow.sent()).toStrictEqual(['a', 'a']);
		expect(flow.texts(execution, 0, 'Second')).toStrictEqual(['a']);
	});

	it('share their keys with the scope Workflow', async () => {
		const execution = await (await SavedFlow.of(setup, both('workflow'))).run();
		expect(flow.sent()).toStrictEqual(['a']);
		const [post] = flow.items(execution);
		const second = flow.items(execution, 0, 'Second');
		expect(second).toStrictEqual([skipped('article 1', known(post))]);
	});
});

/** The first item is sent at once. The others have reserved their keys and wait. */
const withInterval = { maxConcurrentRequests: 5, minimumInterval: 60 };

describe('After a restart of n8n', () => {
	it('accepted keys and keys with an unknown outcome stay claimed', async () => {
		flow.fault('b', { kind: 'server-error-after' });
		const settings = { onError: 'continueErrorOutput' };
		const list = [article, { id: 'article 2', text: 'b' }];
		const saved = await posts(list, { ...byId(), settings });
		await saved.run();
		await setup.n8n.stop();
		await setup.restart();
		const again = await saved.run();
		expect(flow.sent()).toStrictEqual(['a', 'b']);
		expect(flow.items(again)).toStrictEqual([
			skipped('article 1', { outcome: 'accepted' }),
			skipped('article 2', { outcome: 'unknown' }),
		]);
	});

	it('a post is sent if its key was only reserved when n8n was killed', async () => {
		const saved = await posts([article, { id: 'b', text: 'b' }], byId(withInterval));
		await saved.start();
		await until(() => flow.sent().length === 1);
		await pause(3_000);
		setup.n8n.kill('SIGKILL');
		await setup.n8n.ended;
		await setup.restart();
		const again = await saved.run();
		expect([again.status, again.error?.message]).toStrictEqual(['success', undefined]);
		expect(flow.texts(again)).toStrictEqual(['skipped', 'b']);
		expect(flow.items(again)[0]).toStrictEqual(skipped('article 1', { outcome: 'accepted' }));
		expect(flow.sent()).toStrictEqual(['a', 'b']);
	});

	it('a key stays claimed if n8n was killed during its request', async () => {
		flow.fault('b', { kind: 'slow', delayMs: 60_000 });
		const list = ['a', 'b', 'c'].map((text) => ({ id: text, text }));
		const saved = await posts(list);
		await saved.start();
		await until(() => flow.sent().length === 2);
		setup.n8n.kill('SIGKILL');
		await setup.n8n.ended;
		await setup.restart();
		const again = await saved.run();
		expect(flow.sent()).toStrictEqual(['a', 'b', 'c']);
		expect(flow.texts(again)).toStrictEqual(['skipped', 'skipped', 'c']);
		expect(flow.items(again)[1]).toStrictEqual(skipped('b', { outcome: 'unknown' }));
	});
});
