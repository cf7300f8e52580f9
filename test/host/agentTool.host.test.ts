import { AgentFlow, PostingAgent } from './agentFlow';
import { thisHost } from '../n8n/hosts';
import { PostFlow, retryOnFail } from './postFlow';
import type { Credential } from '../n8n/rest';
import { Setup } from '../n8n/setup';

let setup: Setup;
let credential: Credential;
let flow: PostFlow;
let agent: PostingAgent;
let model: AgentFlow;
beforeAll(async () => {
	setup = await Setup.start();
	credential = await setup.credential('platform');
	flow = new PostFlow(setup, credential);
	model = await AgentFlow.withOpenAi(setup);
	agent = new PostingAgent(model, credential);
});
afterAll(async () => await setup?.stop());
/** A reset revokes all tokens. The credential test fetches a valid one. */
beforeEach(async () => {
	setup.emulator.reset();
	await setup.rest.testCredential(credential);
});

/** Since version 3, n8n runs tools as nodes of the workflow. Older agents call them themselves. */
describe.each(thisHost.agents)('the tool of AI Agent %s', (version) => {
	it('posts, and returns the response to the model', async () => {
		const execution = await agent.run(version, [['hello']]);
		expect(execution.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['hello']);
		const [post] = setup.emulator.posts;
		expect(model.resultItems()).toStrictEqual([
			expect.objectContaining({
				action_sn: post?.action_sn,
				social_post_id: post?.social_post_id,
				status: 'processing',
			}),
		]);
		expect(model.resultItems()[0]).not.toHaveProperty('repeated');
	});

	it.each([
		['in two turns', [['hello'], ['hello']]],
		['twice in one turn', [['hello', 'hello']]],
	])('posts once when the model repeats a post %s', async (_, turns) => {
		const execution = await agent.run(version, turns);
		expect(execution.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['hello']);
		const items = model.resultItems();
		expect(items.map(({ action_sn }) => action_sn)).toStrictEqual(
			Array<unknown>(2).fill(setup.emulator.posts[0]?.action_sn),
		);
		const repeated = items.filter((item) => item.repeated === true);
		expect(repeated).toHaveLength(1);
		expect(repeated[0]?.note).toMatch(/not published a second time/);
	});

	it('posts twice when the posts differ', async () => {
		const execution = await agent.run(version, [['one', 'two'], ['three'], ['one']]);
		expect(execution.status).toBe('success');
		expect(flow.sent().sort()).toStrictEqual(['one', 'three', 'two']);
		expect(model.resultItems().map(({ repeated }) => repeated)).toStrictEqual([
			undefined,
			undefined,
			undefined,
			true,
		]);
	});

	it('returns a refusal, and accepts a corrected post', async () => {
		flow.fault('hello', { kind: 'refused', message: '图片不符合要求' });
		const more = { settings: { onError: 'continueRegularOutput' } };
		const execution = await agent.run(version, [['hello'], ['hello']], more);
		expect(execution.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['hello', 'hello']);
		expect(flow.posted()).toStrictEqual(['hello']);
		const [first, second] = model.results();
		expect(first).toMatch(/refused the post.*图片不符合要求/);
		expect(second).toMatch(/"action_sn"/);
		expect(second).not.toMatch(/"repeated"/);
	});

	const inOneParagraph = /^The platform refused the post: .*图片不符合要求.*\. \w.+\.$/;

	if (version < 3 || thisHost.behaviour.passesErrorsToAgents) {
		it('returns a refusal as one paragraph without On Error: Continue', async () => {
			flow.fault('hello', { kind: 'refused', message: '图片不符合要求' });
			const execution = await agent.run(version, [['hello']]);
			expect(execution.status).toBe('success');
			const [item] = model.resultItems();
			expect(item?.error).toMatch(inOneParagraph);
			expect(item?.error).not.toMatch(/[\n<>]/);
			expect(flow.posted()).toStrictEqual([]);
		});
	} else {
		it('ends the execution at a refusal without On Error: Continue', async () => {
			flow.fault('hello', { kind: 'refused', message: '图片不符合要求' });
			const execution = await agent.run(version, [['hello']]);
			expect(execution.status).toBe('error');
			expect(execution.error?.message).toMatch(inOneParagraph);
			expect(flow.posted()).toStrictEqual([]);
		});
	}

	it('returns an unknown outcome, and does not resend', async () => {
		flow.fault('hello', { kind: 'server-error-after' });
		const more = { settings: { onError: 'continueRegularOutput' } };
		const execution = await agent.run(version, [['hello'], ['hello']], more);
		expect(execution.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['hello']);
		for (const result of model.results()) expect(result).toMatch(/not known whether/);
	});

	it('does not resend an unknown post whose text contains the time, with Retry on Fail', async () => {
		setup.emulator.fault({ kind: 'server-error-after', operation: 'createPost' });
		const text = "={{ $fromAI('text', 'Caption', 'string') + ' ' + $now.toMillis() }}";
		const more = { parameters: { text }, settings: retryOnFail };
		await agent.run(version, [['hello'], ['hello']], more);
		expect(flow.sent()).toHaveLength(1);
	});

	it('resends a refused post with Retry on Fail, but not one with an unknown outcome', async () => {
		flow.fault('hello', { kind: 'refused', times: 2 });
		flow.fault('other', { kind: 'reset-after' });
		const settings = retryOnFail;
		const execution = await agent.run(version, [['hello'], ['other']], { settings });
		expect(flow.sent()).toStrictEqual(['hello', 'hello', 'hello', 'other']);
		expect(flow.posted()).toStrictEqual(['hello', 'other']);
		expect(model.results()[0]).toMatch(/"action_sn"/);
		expect(execution.runs.Post?.at(-1)?.error?.message).toMatch(/not known whether/);
	});
});
