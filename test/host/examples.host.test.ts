import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EmulatedPost } from '../emulator';
import { type Article, sampleArticle, failingArticle } from '../n8n/article';
import { testApproval, WITH_REVIEW } from './exampleApproval';
import { testArticles } from './exampleArticles';
import { testCaption } from './exampleCaption';
import { testFailures } from './exampleFailures';
import { testFeed } from './exampleFeed';
import { testFiles } from './exampleFiles';
import { PUBLISHED_AFTER_SECONDS } from './exampleFlow';
import { testQueue } from './exampleQueue';
import { testReport } from './exampleReport';
import { testWaiting } from './exampleWaiting';
import { type ActiveWorkflow, activate, example } from '../n8n/examples';
import { thisHost } from '../n8n/hosts';
import { root } from '../n8n/pack';
import { postJson } from '../n8n/postJson';
import type { Credential, Execution } from '../n8n/rest';
import { Setup, withEditor } from '../n8n/setup';

let setup: Setup;
let articles: ActiveWorkflow;
let statuses: ActiveWorkflow;
beforeAll(async () => {
	// n8n 1 keeps files in memory by default.
	const env = { ...withEditor, N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };
	setup = await Setup.start({ env }, { publishAfterSeconds: PUBLISHED_AFTER_SECONDS });
	const credential = await setup.credential('platform');
	const active = async (name: string) => {
		const { id } = await setup.rest.createWorkflow(example(name, credential));
		return await activate(setup.rest, id);
	};
	articles = await active('cms-publish-to-post');
	statuses = await active('post-status-to-message');
	setup.emulator.setWebhook(statuses.url);
});
afterAll(async () => await setup?.stop());

/** Announces an article to the first workflow, and waits until the platform has processed its post. */
async function announce(article: Article): Promise<EmulatedPost> {
	const answer = await postJson(articles.url, article);
	expect(await answer.json()).toMatchObject({ status: 'processing' });
	await setup.emulator.advance(PUBLISHED_AFTER_SECONDS);
	return setup.emulator.posts.at(-1)!;
}

/** The executions of the second workflow. n8n lists a new one a moment after it has responded. */
async function moreThan(count: number): Promise<string[]> {
	let ids: string[] = [];
	for (let tries = 0; ids.length <= count && tries < 100; tries++) {
		ids = await setup.rest.executionIds(statuses.id);
		await sleep(50);
	}
	return ids;
}

/** Reports to the second workflow, and returns the execution, which must succeed. */
async function reaction(report: () => Promise<unknown>): Promise<Execution> {
	const before = await setup.rest.executionIds(statuses.id);
	await report();
	expect(setup.emulator.deliveries.at(-1)?.attempts).toMatchObject([{ status: 200 }]);
	const [id = '', ...earlier] = await moreThan(before.length);
	expect(earlier).toEqual(before);
	const execution = await setup.rest.finished(id);
	expect(execution.status).toBe('success');
	return execution;
}

const items = ({ runs }: Execution, node: string) =>
	runs[node]?.[0]?.data?.main[0]?.map(({ json }) => json);

describe('the example that sends messages about posts', () => {
	it('has a URL of its own each time it is imported', async () => {
		const credential = await setup.credential('another');
		const again = await setup.rest.createWorkflow(example('post-status-to-message', credential));
		const { url } = await activate(setup.rest, again.id);
		expect(url).toMatch(/\/webhook\/[-0-9a-f]{36}\/webhook$/);
		expect(url).not.toBe(statuses.url);
	});

	it('writes a message about a published post, and notifies nobody', async () => {
		let post: EmulatedPost;
		const execution = await reaction(async () => {
			post = await announce(sampleArticle(setup.emulator.url, new Date()));
		});
		const { action_sn: action, social_post_id: id } = post!;
		const message = `A post was published: account acc_1024, post ${id} (${action}).`;
		expect(items(execution, 'Published')).toEqual([{ message }]);
		expect(execution.runs).not.toHaveProperty('Notify Your Team');
	});

	it('notifies the team about a failed post with the platform’s reason', async () => {
		let post: EmulatedPost;
		const execution = await reaction(async () => {
			post = await announce(failingArticle(setup.emulator.url, new Date()));
		});
		const { action_sn: action, social_post_id: id, message: reason } = post!;
		const message =
			`A post failed: account acc_1024, post ${id} (${action}), status failed.\n` +
			`The platform's reason: ${reason}\n` +
			"Open it in the platform's console, correct what the reason names, and post it again.";
		expect(reason).toMatch(/rejected the media/);
		expect(items(execution, 'Notify Your Team')).toEqual([{ message }]);
		expect(execution.runs).not.toHaveProperty('Published');
	});

	it('asks for a check if the status is unknown', async () => {
		const data = {
			action_sn: 'SA9',
			social_post_id: 9007199254740993n,
			status: 'under_review',
			social_account_id: 'acc_1024',
			message: '内容审核中',
		};
		const event = { event: 'post.under_review', id: 'evt_9', data };
		const execution = await reaction(async () => await setup.emulator.deliver(event));
		expect(items(execution, 'Post Status Changed')).toMatchObject([{ outcome: 'unknown' }]);
		const message =
			'A post needs to be checked: account acc_1024, post 9007199254740993 (SA9), status under_review.\n' +
			"This status means neither published nor failed. The platform's reason: 内容审核中\n" +
			"Check it in the platform's console before you post it again, because it may be published.";
		expect(items(execution, 'Notify Your Team')).toEqual([{ message }]);
	});

	it('notifies the team about an event without data', async () => {
		const execution = await reaction(async () => await setup.emulator.deliver({ id: 'evt_10' }));
		expect(items(execution, 'Notify Your Team')).toEqual([
			{
				message: expect.stringMatching(
					/^A post needs to be checked: account unknown, post unknown \(no action number\), status unknown\.\n.*reason: none given\n/,
				) as string,
			},
		]);
	});

	it('ignores a post that is still processed', async () => {
		const before = await setup.rest.executionIds(statuses.id);
		const data = { action_sn: 'SA11', status: 'retrying' };
		const delivery = await setup.emulator.deliver({ id: 'evt_11', data });
		expect(delivery.attempts).toMatchObject([{ status: 200 }]);
		expect(await setup.rest.executionIds(statuses.id)).toEqual(before);
	});

	it('refuses a delivery that is signed with another secret', async () => {
		const before = await setup.rest.executionIds(statuses.id);
		const forged = { id: 'evt_12', data: { action_sn: 'SA12', status: 'failed' } };
		const delivery = await setup.emulator.deliver(forged, { secret: 'a guess' });
		expect(delivery.attempts).toMatchObject([{ status: 401 }]);
		expect(await setup.rest.executionIds(statuses.id)).toEqual(before);
	});
});

describe('every example', () => {
	const files = readdirSync(join(root, 'examples')).map((file) => basename(file, '.json'));
	const names = files.filter((name) => thisHost.behaviour.hasHumanReview || name !== WITH_REVIEW);
	let known: string[];
	let credential: Credential;
	beforeAll(async () => {
		type Offered = { name: string; version: number | number[] };
		const offered = await setup.rest.call<Offered[]>('GET', '/types/nodes.json');
		known = offered.flatMap(({ name: type, version }) =>
			[version].flat().map((each) => `${type} ${each}`),
		);
		credential = await setup.credential('any');
	});
	it.each(names)('uses only nodes and versions of n8n: %s', (name) => {
		const { nodes } = example(name, credential);
		const used = nodes.map(({ type, typeVersion }) => `${type} ${typeVersion}`);
		expect(used.filter((each) => !known.includes(each))).toEqual([]);
	});
});

const getSetup = () => setup;
const testUnanswered = testApproval(getSetup);
testArticles(getSetup, () => articles);
testFeed(getSetup);
testFailures(getSetup);
testCaption(getSetup);
testReport(getSetup);
testUnanswered();
// These restart n8n, which marks executions that it continues while it starts as crashed.
testFiles(getSetup);
testQueue(getSetup);
testWaiting(getSetup);
