import { AgentFlow, call, fromAI } from './agentFlow';
import { ownModel } from './aiNodes';
import { chat, complete, respond } from './chatFlow';
import { showing } from './chatSetup';
import { thisHost } from '../n8n/hosts';
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
	flow = thisHost.behaviour.hasChatModels
		? new AgentFlow(setup, ownModel(credential), settings)
		: await AgentFlow.withOpenAi(setup, settings);
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
const posted = () => setup.emulator.posts.map(({ request }) => request);

/** Parameters by which the model asks another model. */
const question = fromAI('question', 'What to ask');
const asking = {
	complete: { model: 'm2', messages: { message: [{ role: 'user', content: question }] } },
	respond: { model: 'm2', input: question },
};

describe.each(thisHost.agents)(
	'AI Agent %s with the task of posting an article at nine',
	(version) => {
		it('validates the post, publishes it once for nine o’clock local time, and confirms it', async () => {
			const execution = await flow.run(version, [turn('Check'), turn('Post')], tools);
			expect(execution.status).toBe('success');
			expect(execution.runs.Agent?.at(-1)?.data?.main[0]?.[0]?.json).toMatchObject({
				output: 'That is all.',
			});
			expect(posted()).toMatchObject([sent]);
			const [checked, done] = flow.resultItems();
			expect(checked).toMatchObject({ valid: true, request_body: sent });
			expect(done).toMatchObject({ action_sn: setup.emulator.posts[0]?.action_sn });
		});

		it('learns from the descriptions which tool publishes', async () => {
			await flow.run(version, [turn('Check')], tools);
			const { Check, Post } = flow.offered();
			expect(Post?.description).toMatch(/^Publish a post in Social Open Platform$/);
			expect(Check?.description).toMatch(
				/^Validate a post without publishing in Social Open Platform$/,
			);
			for (const tool of [Check, Post]) {
				const properties = (tool?.parameters.properties ?? {}) as Item;
				expect(Object.keys(properties).sort()).toStrictEqual(Object.keys(article).sort());
				expect(properties.account).toMatchObject({ description: 'ID of the social account' });
			}
			expect(posted()).toStrictEqual([]);
		});

		it('publishes a repeated post once', async () => {
			await flow.run(version, [turn('Post'), turn('Check'), turn('Post')], tools);
			expect(posted()).toMatchObject([sent]);
			expect(flow.resultItems()).toMatchObject([
				{ action_sn: expect.any(String) },
				{ valid: true },
				{ repeated: true },
			]);
		});

		it('publishes a post once when one turn repeats it', async () => {
			const twice = { tool_calls: [call('Post', article), call('Post', article)] };
			await flow.run(version, [twice], tools);
			expect(posted()).toMatchObject([sent]);
		});

		it('learns that the time has passed, and posts at a later one', async () => {
			const turns = [turn('Check', late), turn('Post', late), turn('Post')];
			const execution = await flow.run(version, turns, tools);
			expect(execution.status).toBe('success');
			const [checked, refused, done] = flow.resultItems();
			expect(checked).toMatchObject({
				valid: false,
				problems: [
					{ field: 'Publish At', message: expect.stringMatching(/past.*2020-01-02T09:00/) },
				],
			});
			expect(refused?.error).toMatch(/Publish At.*2020-01-02/);
			expect(refused?.error).not.toMatch(/[\n<>]|&\w+;/);
			expect(done).toMatchObject({ action_sn: setup.emulator.posts[0]?.action_sn });
			expect(posted()).toMatchObject([sent]);
		});

		it('receives a refusal of the platform', async () => {
			const refusal = { kind: 'refused', code: 1002, message: '图片不符合要求' } as const;
			setup.emulator.fault({ ...refusal, operation: 'createPost' });
			const execution = await flow.run(version, [turn('Post')], tools);
			expect(execution.status).toBe('success');
			const [refused] = flow.resultItems();
			expect(refused?.error).toMatch(
				/^The platform refused the post: .+ \(.*“图片不符合要求”\)\. \w.+\.$/,
			);
			expect(refused?.error).not.toMatch(/[\n<>]/);
			expect(posted()).toStrictEqual([]);
		});

		it.each([complete, respond])('asks another model with $operation', async (way) => {
			const ask = { ...chat(credential, way, { parameters: asking[way.operation] }), name: 'Ask' };
			const turns = [turn('Ask', { question: 'And now?' }), { content: 'Now we rest.' }];
			const execution = await flow.run(version, turns, [ask]);
			expect(execution.status).toBe('success');
			expect(flow.resultItems()).toMatchObject([{ text: 'Now we rest.', finish_reason: 'stop' }]);
			const asked = setup.emulator.received.filter(({ rawBody }) => rawBody.includes('"m2"'));
			expect(asked).toMatchObject([{ operation: way.arrives, body: way.asked('And now?') }]);
			expect(flow.offered().Ask?.description).toBe(
				`Create a chat ${way === complete ? 'completion' : 'response'} in Social Open Platform`,
			);
		});
	},
);
