import { callByMcp, fromAI, openAi, runAgent, turn } from './agentFlow';
import { agent, chain } from './aiNodes';
import { ChatModelFlow } from './chatModelFlow';
import { testChatModel } from './chatModelTests';
import { modelRequests, resultItems, toolResults } from './modelRequests';
import { postOfText, type Item, type PostSettings, type PostTexts } from './postFlow';
import type { PostSetup } from './postSetup';
import { newest, thisHost } from '../n8n/hosts';
import type { Credential, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { post } from '../n8n/workflows';

let setup: Setup;
let credential: Credential;
let texts: PostTexts;
let model: Credential;

const { passesErrorsToAgents } = thisHost.behaviour;
const goesOn = { onError: 'continueRegularOutput' };

/** A tool that the model fills in. The tools differ only in their operation. */
function posting(name: string, operation: string): WorkflowNode {
	const account = fromAI('account', 'ID of the social account');
	const parameters = {
		operation,
		socialAccountId: { __rl: true, mode: 'id', value: account },
		text: fromAI('text', 'Caption of the post'),
		mediaUrls: [fromAI('media_urls', 'List of the URLs of the media', 'json')],
		publishTime: 'at',
		publishAt: fromAI('publish_at', 'Date and time to publish at'),
		// The test has no server for the pictures.
		options: { checkMedia: false },
	};
	return { ...post(credential, parameters, passesErrorsToAgents ? {} : goesOn), name };
}

const article = {
	account: 'acc_A',
	text: 'Six mountain lakes worth a detour',
	media_urls: ['https://example.com/lake.jpg', 'https://example.com/map.jpg'],
	publish_at: '2030-01-02T09:00',
};
const sent = {
	social_account_id: 'acc_A',
	text: article.text,
	media_urls: article.media_urls,
	/** Nine o'clock in New York in winter. */
	post_date: '2030-01-02T09:00:00-05:00',
};
const refusal = { kind: 'refused', message: '图片不符合要求' } as const;

/** The tool `Post`, of which the model chooses the text. */
const tool = (more: PostSettings = {}) => {
	const parameters = { text: fromAI('text', 'Caption of the post') };
	return postOfText(credential, { ...more, parameters });
};
const saying = (...all: string[]) => turn('Post', ...all.map((text) => ({ text })));

/** The tools that the model is offered. */
const offered = () => modelRequests(setup)[0]!.tools!.map((one) => one.function);
const descriptions = () =>
	Object.fromEntries(offered().map(({ name, description }) => [name, description]));

/** Tests the node as a tool of agents and of an MCP server, and the chat model. */
export function testAgents(started: () => PostSetup): void {
	beforeAll(async () => {
		({ setup, credential, texts } = started());
		model = await openAi(setup);
	});

	// Since version 3, n8n runs tools as nodes of the workflow. Older agents call them themselves.
	describe.each(thisHost.agents)('AI Agent %s', (version) => {
		const run = async (turns: Array<ReturnType<typeof turn>>, tools: WorkflowNode[]) =>
			await runAgent(setup, version, model, turns, tools);

		it('learns what its tools do, validates a post, and publishes it once for nine o’clock local time', async () => {
			const tools = [posting('Check', 'validate'), posting('Post', 'create')];
			const late = { ...article, publish_at: '2020-01-02T09:00' };
			const turns = [
				turn('Check', article),
				turn('Post', late),
				...Array(2).fill(turn('Post', article)),
			];
			expect((await run(turns, tools)).status).toBe('success');
			expect(descriptions()).toStrictEqual({
				Check: 'Validate a post without publishing in Social Open Platform',
				Post: 'Publish a post in Social Open Platform',
			});
			for (const { parameters } of offered()) {
				const names = Object.keys(parameters.properties as Item).sort();
				expect(names).toStrictEqual(Object.keys(article).sort());
			}
			expect(setup.emulator.posts).toMatchObject([{ request: sent }]);
			const { action_sn } = setup.emulator.posts[0]!;
			expect(resultItems(setup)).toMatchObject([
				{ valid: true, request_body: sent },
				{ error: expect.stringMatching(/^[^\n<>&]*Publish At[^\n<>&]*2020-01-02[^\n<>&]*$/) },
				{ action_sn },
				{ action_sn, repeated: true },
			]);
		});

		it('gets each outcome with On Error: Continue, and resends only a refused post', async () => {
			texts.fault('hello', refusal);
			texts.fault('other', { kind: 'server-error-after' });
			const turns = [
				saying('hello', 'two'),
				saying('hello'),
				saying('hello', 'other'),
				saying('other'),
			];
			expect((await run(turns, [tool({ settings: goesOn })])).status).toBe('success');
			expect(texts.sent().sort()).toStrictEqual(['hello', 'hello', 'other', 'two']);
			const unknown = expect.stringMatching(/not known whether/) as string;
			expect(toolResults(setup)).toStrictEqual([
				expect.stringMatching(/refused the post.*图片不符合要求/),
				expect.stringMatching(/"action_sn"/),
				expect.not.stringMatching(/"repeated"/),
				expect.stringMatching(/"repeated":true.*not published a second time/),
				unknown,
				unknown,
			]);
		});

		const continues = version < 3 || passesErrorsToAgents;

		it(`${continues ? 'gets' : 'ends the execution at'} a refusal without On Error: Continue`, async () => {
			texts.fault('hello', refusal);
			const execution = await run([saying('hello')], [tool()]);
			expect(execution.status).toBe(continues ? 'success' : 'error');
			const error = continues ? resultItems(setup)[0]?.error : execution.error?.message;
			expect(error).toMatch(/^The platform refused the post: [^\n<>]*图片不符合要求[^\n<>]*\.$/);
		});
	});

	test("n8n's MCP Server Trigger publishes a post at each call, and only once with a deduplication key", async () => {
		const twice = [{ text: 'hello' }, { text: 'hello' }];
		for (const told of await callByMcp(setup, tool(), ...twice)) {
			expect(told).toContain('action_sn');
			expect(told).not.toContain('repeated');
		}
		const options = { oncePerKey: 'article 1' };
		const [, told] = await callByMcp(setup, tool({ options }), ...twice);
		expect(told).toContain('skipped');
		expect(texts.posted()).toStrictEqual(Array(3).fill('hello'));
	});

	if (thisHost === newest) {
		testChatModel(() => ({ setup, credential }));
	} else {
		it.each([...thisHost.agents.map((version) => agent(version)), chain(1.7)])(
			'the chat model reports that it needs n8n 2.16: $name $typeVersion',
			async (root) => {
				const { error } = await new ChatModelFlow(setup, credential).run(root, 'hello');
				expect(error?.message).toBe('The Social Open Platform Chat Model needs n8n 2.16 or newer');
				expect(error?.description).toMatch(/other nodes of this package work/);
				expect(setup.arrived('chatCompletions')).toBe(0);
			},
		);
	}
}
