import { AgentFlow, call, fromAI } from './agentFlow';
import { chat, complete, respond } from './chatFlow';
import { showing } from './chatSetup';
import { thisHost } from '../n8n/hosts';
import { modelRequests, resultItems } from './modelRequests';
import type { Item } from './postFlow';
import { usePostSetup } from './postSetup';
import type { Credential, WorkflowNode } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { post } from '../n8n/workflows';

let setup: Setup;
let credential: Credential;
let flow: AgentFlow;
let tools: WorkflowNode[];
usePostSetup(async (set) => {
	({ setup, credential } = set);
	const settings = { timezone: 'America/New_York' };
	flow = await AgentFlow.withOpenAi(setup, settings);
	tools = [posting('Check', 'validate'), posting('Post', 'create')];
});
afterEach(() => {
	const { appSecret, received } = setup.emulator;
	expect(showing(appSecret, received)).toStrictEqual([]);
});

/** A tool that the model fills in. The tools differ only in their operation. */
function posting(name: string, operation: string): WorkflowNode {
	const parameters = {
		operation,
		socialAccountId: {
			__rl: true,
			mode: 'id',
			value: fromAI('account', 'ID of the social account'),
		},
		text: fromAI('text', 'Caption of the post'),
		mediaUrls: [fromAI('media_urls', 'List of the URLs of the media', 'json')],
		publishTime: 'at',
		publishAt: fromAI('publish_at', 'Date and time to publish at'),
		// The test has no server for the pictures.
		options: { checkMedia: false },
	};
	const settings = thisHost.behaviour.passesErrorsToAgents
		? {}
		: { onError: 'continueRegularOutput' };
	return { ...post(credential, parameters, settings), name };
}

const article = {
	account: 'acc_A',
	text: 'Six mountain lakes worth a detour',
	media_urls: ['https://example.com/lake.jpg', 'https://example.com/map.jpg'],
	publish_at: '2030-01-02T09:00',
};
const late = { ...article, publish_at: '2020-01-02T09:00' };
const turn = (name: string, args: Item = article) => ({ tool_calls: [call(name, args)] });

const sent = {
	social_account_id: 'acc_A',
	text: article.text,
	media_urls: article.media_urls,
	/** Nine o'clock in New York in winter. */
	post_date: '2030-01-02T09:00:00-05:00',
};
/** The tools that the model is offered. */
const offered = () => modelRequests(setup)[0]!.tools!.map((tool) => tool.function);
const descriptions = () =>
	Object.fromEntries(offered().map(({ name, description }) => [name, description]));
const posted = () => setup.emulator.posts.map(({ request }) => request);

describe.each(thisHost.agents)(
	'AI Agent %s with the task of posting an article at nine',
	(version) => {
		it('validates the post, publishes it once for nine o’clock local time, and confirms it', async () => {
			const turns = [turn('Check'), turn('Post'), turn('Post')];
			const execution = await flow.run(version, turns, tools);
			expect(execution.status).toBe('success');
			expect(execution.runs.Agent?.at(-1)?.data?.main[0]?.[0]?.json).toMatchObject({
				output: 'That is all.',
			});
			expect(posted()).toMatchObject([sent]);
			const { action_sn } = setup.emulator.posts[0]!;
			expect(resultItems(setup)).toMatchObject([
				{ valid: true, request_body: sent },
				{ action_sn },
				{ action_sn, repeated: true },
			]);
		});

		it('learns from the descriptions which tool publishes', async () => {
			await flow.run(version, [turn('Check')], tools);
			expect(descriptions()).toStrictEqual({
				Check: 'Validate a post without publishing in Social Open Platform',
				Post: 'Publish a post in Social Open Platform',
			});
			for (const tool of offered()) {
				const properties = tool.parameters.properties as Item;
				expect(Object.keys(properties).sort()).toStrictEqual(Object.keys(article).sort());
			}
			expect(posted()).toStrictEqual([]);
		});

		it('learns that the time has passed, and posts at a later one', async () => {
			const turns = [turn('Check', late), turn('Post', late), turn('Post')];
			const execution = await flow.run(version, turns, tools);
			expect(execution.status).toBe('success');
			const [checked, refused, done] = resultItems(setup);
			expect(checked).toMatchObject({
				valid: false,
				problems: [
					{ field: 'Publish At', message: expect.stringMatching(/past.*2020-01-02T09:00/) },
				],
			});
			expect(refused?.error).toMatch(/^[^\n<>&]*Publish At[^\n<>&]*2020-01-02[^\n<>&]*$/);
			expect(done).toMatchObject({ action_sn: setup.emulator.posts[0]?.action_sn });
			expect(posted()).toMatchObject([sent]);
		});

		it('asks other models with both chat operations', async () => {
			const question = fromAI('question', 'What to ask');
			const ask = [complete, respond].map((way) => {
				const parameters = { model: 'm2', ...way.asking(question) };
				return { ...chat(credential, way, { parameters }), name: way.operation };
			});
			const turns = [
				...[turn('complete', { question: 'Now?' }), { content: 'Now we rest.' }],
				...[turn('respond', { question: 'Then?' }), { content: 'Then we go on.' }],
			];
			const execution = await flow.run(version, turns, ask);
			expect(execution.status).toBe('success');
			expect(resultItems(setup)).toMatchObject([
				{ text: 'Now we rest.', finish_reason: 'stop' },
				{ text: 'Then we go on.', finish_reason: 'stop' },
			]);
			const asked = setup.emulator.received.filter(({ rawBody }) => rawBody.includes('"m2"'));
			expect(asked.map(({ body }) => body)).toStrictEqual([
				{ model: 'm2', ...complete.asked('Now?') },
				{ model: 'm2', ...respond.asked('Then?') },
			]);
			expect(descriptions()).toStrictEqual({
				complete: 'Create a chat completion in Social Open Platform',
				respond: 'Create a chat response in Social Open Platform',
			});
		});
	},
);
