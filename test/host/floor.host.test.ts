import { AgentFlow, PostingAgent } from './agentFlow';
import { agent as agentNode } from './aiNodes';
import { ChatFlow, complete, respond } from './chatFlow';
import { ChatModelFlow } from './chatModelFlow';
import { floor } from './hosts';
import { items, PostFlow } from './postFlow';
import type { Credential } from './rest';
import { Stage } from './stage';
import { TriggerFlow } from './triggerFlow';
import { CREDENTIAL_TYPE, NODE_TYPE, TRIGGER_TYPE } from './workflows';

let stage: Stage;
let credential: Credential;
let flow: PostFlow;
beforeAll(async () => {
	stage = await Stage.set({ host: floor });
	credential = await stage.credential('platform');
	flow = new PostFlow(stage, credential);
});
afterAll(async () => await stage?.strike());
/** A reset ends all tokens; the test of the credential fetches one that is good again. */
beforeEach(async () => {
	stage.emulator.reset();
	await stage.rest.testCredential(credential);
});

const messages: string[] = [];

it('the package loads in the oldest n8n it is made for, and all its nodes are there', async () => {
	const ours = async (path: string) =>
		(await stage.rest.call<Array<{ name: string }>>('GET', path))
			.map(({ name }) => name)
			.filter((name) => /socialOpenPlatform/i.test(name))
			.sort();
	const settings = await stage.rest.call<{ versionCli: string }>('GET', '/rest/settings');
	expect(settings.versionCli).toBe(floor.version);
	expect(await ours('/types/credentials.json')).toStrictEqual([CREDENTIAL_TYPE]);
	expect(await ours('/types/nodes.json')).toStrictEqual([
		NODE_TYPE,
		`${NODE_TYPE}ChatModel`,
		`${NODE_TYPE}Tool`,
		TRIGGER_TYPE,
	]);
	expect(stage.n8n.log()).not.toMatch(/social-?open-?platform|error loading|failed to load/i);
});

describe('testing the credential', () => {
	it('exchanges once and leaves a token that the next post uses', async () => {
		const own = await stage.credential('good');
		expect(await stage.rest.testCredential(own)).toMatchObject({ status: 'OK' });
		await new PostFlow(stage, own).run(items('hello'));
		expect(stage.arrived('createPost')).toBe(1);
		expect(stage.arrived('getAccessToken')).toBe(2);
	});

	it.each([
		['a wrong secret', { appSecret: 'wrong' }, /签名错误.*check the App Secret/i],
		['a port nobody listens on', { baseUrl: 'http://127.0.0.1:9' }, /refused/],
	])('says in plain words what %s means', async (what, data, says) => {
		const own = await stage.credential(what, data);
		const { status, message } = await stage.rest.testCredential(own);
		messages.push(message);
		expect([status, message]).toStrictEqual(['Error', expect.stringMatching(says)]);
	});
});

describe('the node', () => {
	it('creates one post of each item, and puts out what the platform answered', async () => {
		const execution = await flow.run(items('one', 'two'));
		expect(execution.status).toBe('success');
		const bodies = stage.bodies().map((body) => JSON.parse(body) as { text: string });
		expect(bodies.sort((a, b) => a.text.localeCompare(b.text))).toStrictEqual(
			['one', 'two'].map((text) => ({
				social_account_id: 'acc_1',
				type: 'POST',
				text,
				media_urls: ['https://example.com/a.jpg'],
			})),
		);
		expect(flow.texts(execution)).toStrictEqual(['one', 'two']);
	});

	it('sends a post once with Retry on Fail, when the answer to it got lost', async () => {
		flow.strike('one', { kind: 'reset-after' });
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
		const execution = await flow.run(items('one'), { settings });
		expect(execution.error?.message).toMatch(/unknown whether/);
		expect(flow.sent()).toStrictEqual(['one']);
	});

	it('says so when the platform refuses a post', async () => {
		flow.strike('one', { kind: 'refused', message: '图片不符合要求' });
		const execution = await flow.run(items('one'));
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toMatch(/refused the post.*图片不符合要求/);
		expect(flow.posted()).toStrictEqual([]);
	});

	it('validates without sending anything', async () => {
		const parameters = { operation: 'validate' };
		const execution = await flow.run(items('one'), { parameters });
		expect(flow.items(execution)).toMatchObject([{ valid: true }]);
		expect(stage.arrived('createPost')).toBe(0);
	});

	it.each([complete, respond])('answers by the chat operation $operation', async (way) => {
		const chat = new ChatFlow(stage, credential, way);
		const execution = await chat.run(['hello', 'again']);
		expect(execution.status).toBe('success');
		expect(chat.items(execution).map(({ text }) => text)).toStrictEqual([
			'You said: hello',
			'You said: again',
		]);
	});
});

describe('the trigger', () => {
	const event = { id: 'evt_1', data: { action_sn: 'SA1', social_post_id: 1, status: 'published' } };

	it('starts one execution when the platform reports a status, and then reports it again', async () => {
		const status = await TriggerFlow.active(stage, credential);
		for (let times = 0; times < 2; times++) {
			const { attempts } = await stage.emulator.deliver(event, { url: status.url });
			expect(attempts).toMatchObject([{ status: 200 }]);
		}
		expect(await status.items()).toMatchObject([{ action_sn: 'SA1', outcome: 'published' }]);
		expect(await status.count()).toBe(1);
	});

	it('refuses what is signed with another secret', async () => {
		const other = await stage.credential('other', { appSecret: 'another' });
		const status = await TriggerFlow.active(stage, other);
		const { attempts } = await stage.emulator.deliver(event, { url: status.url });
		expect(attempts[0]).toMatchObject({ status: 401 });
		expect(await status.count()).toBe(0);
	});
});

describe('an AI Agent with the model of n8n', () => {
	let agent: PostingAgent;
	beforeAll(async () => {
		agent = new PostingAgent(await AgentFlow.withOpenAi(stage), credential);
	});

	it.each([3, 2.2])('of version %s creates a post by its tool, no second one', async (version) => {
		const execution = await agent.run(version, [['hello'], ['hello']]);
		expect(execution.status).toBe('success');
		expect(flow.sent()).toStrictEqual(['hello']);
		expect(agent.flow.offered().Post?.description).toMatch(/^Publish a post for real in Social/);
		const { action_sn } = stage.emulator.posts[0]!;
		expect(agent.flow.itemsTold()).toMatchObject([{ action_sn }, { action_sn, repeated: true }]);
	});

	const refused = /refused the post.*图片不符合要求/;
	const goOn = { settings: { onError: 'continueRegularOutput' } };
	it.each([
		[2.2, 'as it comes', {}],
		[2.2, 'told to continue', goOn],
		[3, 'told to continue', goOn],
	])('of version %s, %s, lets its model hear of a refusal', async (version, _, more) => {
		flow.strike('hello', { kind: 'refused', message: '图片不符合要求' });
		const execution = await agent.run(version, [['hello']], more);
		expect(execution.status).toBe('success');
		expect(agent.flow.results()).toStrictEqual([expect.stringMatching(refused)]);
		expect(flow.posted()).toStrictEqual([]);
	});

	it('of version 3, as it comes, ends at a refusal', async () => {
		flow.strike('hello', { kind: 'refused', message: '图片不符合要求' });
		const execution = await agent.run(3, [['hello']]);
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toMatch(refused);
		expect(flow.posted()).toStrictEqual([]);
	});
});

it.each([3, 2.2])(
	'the chat model says under an agent %s that it needs n8n 2.16',
	async (version) => {
		const execution = await new ChatModelFlow(stage, credential).run(agentNode(version), 'hello');
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toBe(
			'The Social Open Platform Chat Model needs n8n 2.16 or newer',
		);
		expect(execution.error?.description).toMatch(/other nodes of this package work/);
		expect(stage.arrived('chatCompletions')).toBe(0);
	},
);

it('n8n keeps neither the app secret nor a token of all this', async () => {
	expect(await stage.sweep({ messages: messages.join('\n') })).toStrictEqual([]);
});
