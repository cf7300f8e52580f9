import { AgentFlow, PostingAgent } from './agentFlow';
import { McpFlow } from './mcpFlow';
import { thisHost } from '../n8n/hosts';
import { resultItems, toolResults } from './modelRequests';
import { retryOnFail, type Item, type PostFlow } from './postFlow';
import { usePostSetup } from './postSetup';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';

let setup: Setup;
let flow: PostFlow;
let credential: Credential;
let agent: PostingAgent;
usePostSetup(async (set) => {
	({ setup, flow, credential } = set);
	agent = new PostingAgent(await AgentFlow.withOpenAi(setup), credential);
});

const refusal = { kind: 'refused', message: '图片不符合要求' } as const;

/** Since version 3, n8n runs tools as nodes of the workflow. Older agents call them themselves. */
describe.each(thisHost.agents)('the tool of AI Agent %s', (version) => {
	it('posts each text once, however often the model repeats it', async () => {
		const execution = await agent.run(version, [['one', 'two', 'one'], ['three'], ['two']]);
		expect(execution.status).toBe('success');
		expect(flow.sent().sort()).toStrictEqual(['one', 'three', 'two']);
		const snOf = (text: string) =>
			setup.emulator.posts.find(({ request }) => (request as Item).text === text)?.action_sn;
		const results = resultItems(setup);
		expect(results.map(({ action_sn }) => action_sn)).toStrictEqual(
			['one', 'two', 'one', 'three', 'two'].map(snOf),
		);
		const repeated = results.filter((item) => item.repeated === true);
		expect(repeated).toMatchObject(
			Array(2).fill({ note: expect.stringMatching(/not published a second time/) }),
		);
		expect(results.at(-1)).toHaveProperty('repeated');
	});

	it('returns each outcome with On Error: Continue, and resends only a refused post', async () => {
		flow.fault('hello', refusal);
		flow.fault('other', { kind: 'server-error-after' });
		const turns = [['hello'], ['hello'], ['other'], ['other']];
		const more = { settings: { onError: 'continueRegularOutput' } };
		const execution = await agent.run(version, turns, more);
		expect(execution.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['hello', 'hello', 'other']);
		const [refused, accepted, ...unknown] = toolResults(setup);
		expect(refused).toMatch(/refused the post.*图片不符合要求/);
		expect(accepted).toMatch(/"action_sn"/);
		expect(accepted).not.toMatch(/"repeated"/);
		expect(unknown).toStrictEqual(Array(2).fill(expect.stringMatching(/not known whether/)));
	});

	const goesOn = version < 3 || thisHost.behaviour.passesErrorsToAgents;

	it(`${goesOn ? 'returns' : 'ends the execution at'} a refusal without On Error: Continue`, async () => {
		flow.fault('hello', refusal);
		const execution = await agent.run(version, [['hello']]);
		expect(execution.status).toBe(goesOn ? 'success' : 'error');
		const error = goesOn ? resultItems(setup)[0]?.error : execution.error?.message;
		expect(error).toMatch(/^The platform refused the post: [^\n<>]*图片不符合要求[^\n<>]*\.$/);
		expect(flow.posted()).toStrictEqual([]);
	});

	it('resends refused posts with Retry on Fail, but not unknown ones, although the text varies', async () => {
		const operation = 'createPost';
		setup.emulator.fault({ ...refusal, operation, bodyHas: '"hello ', times: 2 });
		setup.emulator.fault({ kind: 'reset-after', operation, bodyHas: '"other ' });
		const text = "={{ $fromAI('text', 'Caption', 'string') + ' ' + $now.toMillis() }}";
		const more = { parameters: { text }, settings: retryOnFail };
		const execution = await agent.run(version, [['hello'], ['other'], ['other']], more);
		const words = (texts: string[]) => texts.map((one) => one.split(' ')[0]);
		expect(words(flow.sent())).toStrictEqual(['hello', 'hello', 'hello', 'other']);
		expect(words(flow.posted())).toStrictEqual(['hello', 'other']);
		expect(execution.runs.Post?.at(-1)?.error?.message).toMatch(/not known whether/);
	});
});

describe("a tool of n8n's MCP Server Trigger", () => {
	const calls = async (options: Item) => {
		const mcp = await McpFlow.active(setup, credential, options);
		return [await mcp.call({ text: 'hello' }), await mcp.call({ text: 'hello' })];
	};

	it('posts at each call, because each call is an execution', async () => {
		for (const told of await calls({})) {
			expect(told).toContain('action_sn');
			expect(told).not.toContain('repeated');
		}
		expect(flow.posted()).toStrictEqual(['hello', 'hello']);
	});

	it('posts once with a deduplication key', async () => {
		const [, told] = await calls({ oncePerKey: 'article 1' });
		expect(told).toContain('skipped');
		expect(flow.posted()).toStrictEqual(['hello']);
	});
});
