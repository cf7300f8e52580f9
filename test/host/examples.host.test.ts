import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { failingArticle, sampleArticle } from '../n8n/article';
import { example } from '../n8n/examples';
import { thisHost } from '../n8n/hosts';
import { root } from '../n8n/pack';
import { testApproval, WITH_REVIEW } from './exampleApproval';
import { testArticles } from './exampleArticles';
import { testCheck } from './exampleCheck';
import { testFiles } from './exampleFiles';
import { ExampleFlow, publish, setup, useExamples } from './exampleFlow';
import { testReports } from './exampleReports';
import { testTables } from './exampleTables';

useExamples();

it('The examples use only nodes and versions of n8n', async () => {
	type Offered = { name: string; version: number | number[] };
	const offered = await setup.rest.call<Offered[]>('GET', '/types/nodes.json');
	const known = offered.flatMap(({ name: type, version }) =>
		[version].flat().map((each) => `${type} ${each}`),
	);
	const credential = await setup.credential('any');
	const files = readdirSync(join(root, 'examples')).map((file) => basename(file, '.json'));
	const used = files
		.filter((name) => thisHost.behaviour.hasHumanReview || name !== WITH_REVIEW)
		.flatMap((name) => example(name, credential).nodes)
		.map(({ type, typeVersion }) => `${type} ${typeVersion}`);
	expect(used.filter((each) => !known.includes(each))).toEqual([]);
});

describe('The example that sends messages about posts', () => {
	const TRIGGER = 'Post Status Changed';
	const TEAM = 'Notify Your Team';
	let articles: ExampleFlow;
	let statuses: ExampleFlow;
	beforeAll(async () => {
		articles = await ExampleFlow.active('cms-publish-to-post', {
			'Article Published': { path: randomUUID() },
		});
		statuses = await ExampleFlow.active('post-status-to-message');
		setup.emulator.setWebhook(statuses.url(TRIGGER));
	});
	afterAll(() => setup.emulator.setWebhook(undefined));

	/** Announces an article to the example for a CMS, and returns its post after it was processed. */
	const processed = async (write: typeof sampleArticle) => {
		await articles.send('Article Published', write(setup.emulator.url, new Date()));
		const { action_sn } = setup.emulator.posts.at(-1)!;
		await publish();
		return setup.emulator.posts.find((one) => one.action_sn === action_sn)!;
	};

	it('writes a message about a published post, and notifies nobody', async () => {
		const { action_sn: action, social_post_id: id } = await processed(sampleArticle);
		const message = `A post was published: account acc_1024, post ${id} (${action}).`;
		expect(await statuses.output('Published')).toEqual({ message });
		const [{ runs } = { runs: {} }] = await statuses.ended('Published');
		expect(runs).not.toHaveProperty([TEAM]);
	});

	it('notifies the team about a failed post with the platform’s reason', async () => {
		const { action_sn: action, social_post_id: id, message } = await processed(failingArticle);
		expect(message).toMatch(/could not be/);
		expect(await statuses.output(TEAM)).toEqual({
			message:
				`A post failed: account acc_1024, post ${id} (${action}), status failed.\n` +
				`The platform's reason: ${message}\n` +
				"Open it in the platform's console, correct what the reason names, and post it again.",
		});
	});

	it('asks for a check if the status is unknown or missing', async () => {
		await statuses.report(TRIGGER, {
			action_sn: 'SA9',
			social_post_id: 9007199254740993n,
			status: 'under_review',
			social_account_id: 'acc_1024',
			message: '内容审核中',
		});
		expect(await statuses.output(TEAM, 2)).toEqual({
			message:
				'A post needs to be checked: account acc_1024, post 9007199254740993 (SA9), status under_review.\n' +
				"This status means neither published nor failed. The platform's reason: 内容审核中\n" +
				"Check it in the platform's console before you post it again, because it may be published.",
		});
		await statuses.report(TRIGGER, {});
		expect((await statuses.output(TEAM, 3)).message).toMatch(
			/account unknown, post unknown \(no action number\), status unknown\.\n.*reason: none given\n/,
		);
	});
});

const testUnanswered = testApproval();
const testTimedOut = testTables();
testArticles();
testReports();
testFiles();
testCheck();
testUnanswered();
testTimedOut();
