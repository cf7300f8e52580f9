import type { FaultSpec } from '../emulator';
import { thisHost } from '../n8n/hosts';
import {
	items,
	numbers,
	pause,
	PostFlow,
	retryOnFail,
	textField,
	until,
	type PostSettings,
} from './postFlow';
import { usePostSetup } from './postSetup';
import type { Credential, Execution } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { given, manual, post, row, webhook } from '../n8n/workflows';

let setup: Setup;
let credential: Credential;
let flow: PostFlow;
usePostSetup((set) => ({ setup, credential, flow } = set), { env: thisHost.envToStop });

const fields = { text: '={{ $json.text }}', mediaUrls: ['={{ $json.picture }}'] };
const picture = 'https://example.com/a.jpg';

async function run(nodes: Parameters<typeof given>[0], ...items: Array<Record<string, unknown>>) {
	const { id } = await setup.rest.createWorkflow(given(nodes, ...items));
	return await setup.rest.run(id, 'Start');
}

const output = (execution: Execution, index: number) =>
	execution.runs.Post?.[0]?.data?.main[index] ?? [];

describe('Create', () => {
	/** An article as WordPress plugins send it, with database names, markup, and more fields than needed. */
	const article = {
		post_id: 4711,
		post: {
			ID: 4711,
			post_title: 'Zürich im Winter — 東京の冬',
			post_excerpt: 'Acht Orte, die man „gesehen“ haben muss.\nMit Karte. 🗺️',
			post_status: 'publish',
			post_date: '2099-12-24 18:30:00',
		},
		post_permalink: 'https://blog.example.com/zuerich-im-winter/?utm=a&b=c',
		gallery: ['https://blog.example.com/see%20und%20berg.jpg', 'https://blog.example.com/2.jpg'],
		poster: 'https://blog.example.com/poster.jpg',
		taxonomy: { place: '213385402', authors: ['@anna.example', 'ben_example'] },
	};

	const everything = {
		socialAccountId: { __rl: true, mode: 'list', value: 'acc_1024', cachedResultName: 'Blog' },
		// An expression hides no option, so that n8n keeps all of them.
		contentType: '={{ "REEL" }}',
		text: '={{ $json.body.post.post_excerpt }}\n{{ $json.body.post_permalink }}',
		mediaUrls: ['={{ $json.body.gallery }}'],
		publishTime: 'at',
		publishAt: '={{ $json.body.post.post_date }}',
		postOptions: {
			title: '={{ $json.body.post.post_title }}',
			videoCoverImageUrl: '={{ $json.body.poster }}',
			additionalBodyFields:
				'={{ JSON.stringify({ cms_id: $json.body.post_id, exclusive: { first_comment: "Mehr im Blog" } }) }}',
			altText: '={{ "Foto: " + $json.body.post.post_title }}',
			shareToFeed: true,
			autoFitImage: true,
			videoCoverOffset: 1500,
			collaborators: ['={{ $json.body.taxonomy.authors }}'],
			autoCropImage: false,
			locationId: '={{ $json.body.taxonomy.place }}',
			trialReel: 'SS_PERFORMANCE',
		},
	};

	const expected =
		'{"social_account_id":"acc_1024","post_date":"2099-12-24T18:30:00+01:00",' +
		'"title":"Zürich im Winter — 東京の冬","type":"REEL",' +
		'"text":"Acht Orte, die man „gesehen“ haben muss.\\nMit Karte. 🗺️\\n' +
		'https://blog.example.com/zuerich-im-winter/?utm=a&b=c",' +
		'"media_urls":["https://blog.example.com/see%20und%20berg.jpg","https://blog.example.com/2.jpg"],' +
		'"thumbnail":"https://blog.example.com/poster.jpg",' +
		'"exclusive":{"alt_text":"Foto: Zürich im Winter — 東京の冬","share_to_feed":true,' +
		'"auto_fit_image":true,"thumbnail_offset":1500,"collaborators":["anna.example","ben_example"],' +
		'"auto_crop_image":false,"location_id":"213385402",' +
		'"trial_params":[{"graduation_strategy":"SS_PERFORMANCE"}],"first_comment":"Mehr im Blog"},' +
		'"cms_id":4711}';

	it('sends every option of an article from a webhook exactly, and outputs the action record', async () => {
		const workflow = row('cms', webhook('cms'), post(credential, everything));
		const settings = { timezone: 'Europe/Zurich' };
		await setup.rest.activate(await setup.rest.createWorkflow({ ...workflow, settings }));
		const answer = await setup.production('cms', article);
		expect(setup.bodies()).toEqual([expected]);
		expect(answer.status).toBe(200);
		expect(JSON.parse(answer.body)).toEqual([
			expect.objectContaining({
				action_sn: expect.stringMatching(/^SA\d+$/) as string,
				social_post_id: '9007199254740993',
				status: 'queued',
				platform: 'PHOTO',
				request_id: expect.stringMatching(/.+/) as string,
			}),
		]);
	});

	it('refuses a text whose expression throws or returns nothing', async () => {
		for (const text of ['={{ $json.n.toFixed(2) + $json.text }}', '={{ $json.caption }}']) {
			const workflow = row('captions', manual(), post(credential, { ...fields, text }));
			const execution = await run(workflow, { text: 'one', picture, caption: null });
			expect(execution.status).toBe('error');
			expect(execution.error?.message).toMatch(
				/^'Text' has an expression that returns no value for this item; correct it, or leave/,
			);
		}
		expect(setup.bodies()).toEqual([]);
	});
});

describe('Posts that fail', () => {
	const failing: Array<{ fault: FaultSpec; outcome: string; says: RegExp }> = [
		{
			fault: { kind: 'refused', code: 1002, message: '图片不符合要求' },
			outcome: 'refused',
			says: /refused (the post|post \d).*1002.*图片不符合要求/,
		},
		{ fault: { kind: 'html' }, outcome: 'unknown', says: /not known whether.*(HTML|web page)/i },
		{
			fault: { kind: 'server-error-after' },
			outcome: 'unknown',
			says: /not known whether.*HTTP 500/,
		},
		{ fault: { kind: 'reset-after' }, outcome: 'unknown', says: /not known whether.*connection/ },
	];

	it('go to the error output, and the others are published', async () => {
		for (const { fault } of failing) setup.emulator.fault({ ...fault, operation: 'createPost' });
		const texts = [...failing.map(({ fault }) => fault.kind), 'fine', 'fine too'];
		const settings = { onError: 'continueErrorOutput' };
		// The faults apply in the order in which posts arrive.
		const oneByOne = { ...fields, options: { maxConcurrentRequests: 1 } };
		const workflow = row('sorts', manual(), post(credential, oneByOne, settings));
		const list = [
			...texts.map((text) => ({ text, picture })),
			{ text: 'no URL', picture: 'a.jpg' },
		];
		const execution = await run(workflow, ...list);

		expect(execution.status).toBe('success');
		expect(setup.bodies().map((body) => (JSON.parse(body) as { text: string }).text)).toEqual(
			texts,
		);
		const [good, bad] = [output(execution, 0), output(execution, 1)];
		expect(good.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 4 }, { item: 5 }]);
		expect(bad.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3, 6].map((item) => ({ item })),
		);
		failing.forEach(({ outcome, says }, index) => {
			expect(bad[index]?.json.error).toMatch(says);
			expect(bad[index]?.json).toMatchObject({ details: { outcome, item_index: index } });
		});
		expect(bad[4]?.json.error).toMatch(/Media/);
	});

	it('stop the execution with an error message', async () => {
		setup.emulator.fault({ kind: 'echo-secrets', operation: 'createPost' });
		const workflow = row('stops', manual(), post(credential, fields));
		const execution = await run(workflow, { text: 'one', picture });
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toMatch(/^The platform refused the post.*请求被拒绝/);
		expect(execution.error?.description).toMatch(/\w+ .+\.$/);
	});
});

describe('An execution that is stopped', () => {
	/** Stops an execution of 9 posts, two at a time, while two of them wait for a response. */
	const stopped = async ({ settings, options }: PostSettings = {}) => {
		for (const text of ['4', '5']) flow.fault(text, { kind: 'slow', delayMs: 60_000 });
		const id = await flow.create(
			items(...numbers(9)),
			{ settings, options: { maxConcurrentRequests: 2, ...options } },
			// n8n retries a stopped execution only if it has stored the data before the node.
			{ saveExecutionProgress: true },
		);
		const executionId = await setup.rest.start(id, 'Start');
		await until(() => flow.sent().length === 5);
		await setup.rest.stop(executionId);
		expect((await setup.rest.finished(executionId)).status).toBe('canceled');
		await pause(1_000);
		expect(flow.sent().sort()).toStrictEqual(numbers(5));
		return await setup.rest.retry(executionId);
	};

	if (thisHost.behaviour.rerunsStoppedNodes) {
		it('is retried without a second post with Deduplication Key', async () => {
			const again = await stopped({ settings: retryOnFail, options: { oncePerKey: textField } });
			// It is not known whether the platform accepted the two posts that were under way.
			expect(again.status).toBe('error');
			expect(again.error?.message).toMatch(/^It is not known whether/);
			expect(flow.sent().sort()).toStrictEqual(numbers(9));
		});

		it('is retried from its first item without keys, because n8n discards the data of a stopped node', async () => {
			await stopped();
			expect(flow.sent().sort()).toStrictEqual([...numbers(5), ...numbers(9)].sort());
		});
	} else {
		it('continues after the node when it is retried, because n8n uses the partial output of the node', async () => {
			const again = await stopped({ settings: retryOnFail });
			expect(again.status).toBe('success');
			expect(flow.sent()).toHaveLength(5);
			// The run did not wait for the pending responses.
			expect(flow.texts(again)).toStrictEqual(['1', '2', '3', 'unknown', 'unknown']);
		});
	}

	it('by the timeout of its workflow, sends nothing more, and a new one skips posts with a key', async () => {
		flow.fault('b', { kind: 'rate-limited-429', retryAfter: 60 });
		const options = { maxConcurrentRequests: 1, oncePerKey: textField };
		const id = await flow.create(items('a', 'b', 'c'), { options }, { executionTimeout: 10 });
		const execution = await setup.rest.run(id, 'Start');
		expect(execution.status).toBe('canceled');
		expect((await setup.rest.retry(execution.id)).status).toBe('success');
		expect(flow.sent()).toStrictEqual(['a', 'b']);
		expect(flow.texts(await setup.rest.run(id, 'Start'))).toStrictEqual(['skipped', 'b', 'c']);
	});
});
