import { thisHost } from '../n8n/hosts';
import { testFaults } from './faultTests';
import {
	items,
	numbers,
	outputOf,
	pause,
	PostFlow,
	retryOnFail,
	textField,
	until,
	type Item,
	type PostSettings,
	type PostTexts,
} from './postFlow';
import { usePostSetup } from './postSetup';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { post, row, webhook } from '../n8n/workflows';

let setup: Setup;
let credential: Credential;
let texts: PostTexts;
usePostSetup((set) => ({ setup, credential, texts } = set), { env: thisHost.envToStop });

const flowOf = async (more?: PostSettings, settings?: object) =>
	await PostFlow.active(setup, credential, more, { ...settings });
const options = { maxConcurrentRequests: 1 };

testFaults(() => setup);

test('Create sends an article from a webhook exactly, and outputs the action record', async () => {
	const article = {
		post_id: 4711,
		post: {
			post_title: 'Zürich — 東京の冬',
			post_date: '2099-12-24 18:30:00',
			text: 'Acht 🗺️\n„Orte“',
		},
		gallery: ['https://blog.example.com/see%20und%20berg.jpg', 'https://blog.example.com/2.jpg'],
		authors: ['@anna.example', 'ben_example'],
	};
	const parameters = {
		socialAccountId: { __rl: true, mode: 'list', value: 'acc_1024', cachedResultName: 'Blog' },
		// An expression hides no option, so that n8n keeps all of them.
		contentType: '={{ "REEL" }}',
		text: '={{ $json.body.post.text }}',
		mediaUrls: ['={{ $json.body.gallery }}'],
		publishTime: 'at',
		publishAt: '={{ $json.body.post.post_date }}',
		postOptions: {
			title: '={{ $json.body.post.post_title }}',
			additionalBodyFields: '={{ JSON.stringify({ cms_id: $json.body.post_id }) }}',
			collaborators: ['={{ $json.body.authors }}'],
			trialReel: 'SS_PERFORMANCE',
		},
	};
	const workflow = row('cms', webhook('cms'), post(credential, parameters));
	const settings = { timezone: 'Europe/Zurich' };
	await setup.rest.activate(await setup.rest.createWorkflow({ ...workflow, settings }));
	const answer = await setup.production('cms', article);
	expect(setup.bodies()).toEqual([
		'{"social_account_id":"acc_1024","post_date":"2099-12-24T18:30:00+01:00",' +
			'"title":"Zürich — 東京の冬","type":"REEL","text":"Acht 🗺️\\n„Orte“",' +
			`"media_urls":${JSON.stringify(article.gallery)},` +
			'"exclusive":{"collaborators":["anna.example","ben_example"],' +
			'"trial_params":[{"graduation_strategy":"SS_PERFORMANCE"}]},"cms_id":4711}',
	]);
	expect(answer.status).toBe(200);
	expect(JSON.parse(answer.body)).toMatchObject([
		{ social_post_id: '9007199254740993', status: 'queued', request_id: expect.any(String) },
	]);
});

test.each(['={{ $json.n.toFixed(2) }}', '={{ $json.caption }}'])(
	"Create refuses the text %s, which n8n's expression engine cannot evaluate",
	async (text) => {
		const { error } = await (await flowOf({ parameters: { text } })).run([{ caption: null }]);
		expect(error?.message).toMatch(/^'Text' has an expression that returns no value/);
		expect(texts.sent()).toEqual([]);
	},
);

/** Stops an execution of 9 posts, two at a time, while two of them wait for a response. */
async function stopped(more: Item) {
	for (const text of ['4', '5']) texts.fault(text, { kind: 'slow', delayMs: 60_000 });
	const settings = { options: { maxConcurrentRequests: 2, ...more }, settings: retryOnFail };
	// n8n retries a stopped execution only if it has stored the data before the node.
	const flow = await flowOf(settings, { saveExecutionProgress: true });
	const id = await flow.start(items(...numbers(9)));
	await until(() => texts.sent().length === 5);
	await setup.rest.stop(id);
	expect((await setup.rest.finished(id)).status).toBe('canceled');
	await pause(1_000);
	expect(texts.sent().sort()).toStrictEqual(numbers(5));
	return await setup.rest.retry(id);
}

describe('An execution that is stopped', () => {
	if (thisHost.behaviour.rerunsStoppedNodes) {
		it('is retried without a second post with Deduplication Key', async () => {
			const again = await stopped({ oncePerKey: textField });
			// It is not known whether the platform accepted the two posts that were under way.
			expect(again.error?.message).toMatch(/^It is not known whether/);
			expect(texts.sent().sort()).toStrictEqual(numbers(9));
		});
	} else {
		it('continues after the node when it is retried, because n8n uses the partial output of the node', async () => {
			const again = await stopped({});
			expect(again.status).toBe('success');
			expect(texts.sent()).toHaveLength(5);
			// The run did not wait for the pending responses.
			expect(texts.in(again)).toStrictEqual(['1', '2', '3', 'unknown', 'unknown']);
		});
	}
});

describe('A retry in the list of executions', () => {
	it('sends only posts that were not accepted, also after another retry has sent them', async () => {
		texts.fault('2', { kind: 'refused', times: 2 });
		const a = await (await flowOf({ options })).run(items(...numbers(3)));
		const b = await setup.rest.retry(a.id);
		expect([a.status, b.status]).toStrictEqual(['error', 'error']);
		expect(texts.in(await setup.rest.retry(b.id))).toStrictEqual(numbers(3));
		const again = await setup.rest.retry(a.id);
		expect(texts.in(again)).toStrictEqual(['1', 'skipped', 'skipped']);
		expect(outputOf(again, 'Post')[1]).toMatchObject({
			note: 'Not posted, because another retry of this execution posted it.',
		});
		expect(texts.sent()).toStrictEqual(['1', '2', '2', '2', '3']);
	});

	it('resends a post of unknown outcome only with Resend If Outcome Unknown in the current workflow', async () => {
		texts.fault('2', { kind: 'reset-after' });
		const flow = await flowOf({ options });
		const { id } = await flow.run(items(...numbers(3)));
		const again = await setup.rest.retry(id);
		expect(again.error?.message).toMatch(/not known whether/);
		expect(texts.sent()).toStrictEqual(['1', '2', '3']);
		await flow.set((before) => ({ ...before, options: { ...options, resendUnknown: true } }));
		expect((await setup.rest.retry(again.id, 'saved')).status).toBe('success');
		expect(texts.sent()).toStrictEqual(['1', '2', '3', '2']);
	});
});
