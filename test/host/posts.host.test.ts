import type { FaultSpec } from '../emulator';
import { sampleArticle, textOf, failingArticle } from '../n8n/article';
import { example } from '../n8n/examples';
import { usePostSetup } from './postSetup';
import type { Credential, Execution } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { given, manual, NODE_TYPE, post, reference, row, webhook } from '../n8n/workflows';

let setup: Setup;
let credential: Credential;
usePostSetup((set) => ({ setup, credential } = set));

const fields = { text: '={{ $json.text }}', mediaUrls: ['={{ $json.picture }}'] };
const picture = 'https://example.com/a.jpg';

async function run(nodes: Parameters<typeof given>[0], ...items: Array<Record<string, unknown>>) {
	const { id } = await setup.rest.createWorkflow(given(nodes, ...items));
	return await setup.rest.run(id, 'Start');
}

const output = (execution: Execution, index: number) =>
	execution.runs.Post?.[0]?.data?.main[index] ?? [];

describe('Create for an article that a CMS announces by webhook', () => {
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
		socialAccountId: 'acc_1024',
		contentType: 'REEL',
		text: '={{ $json.body.post.post_excerpt }}\n{{ $json.body.post_permalink }}',
		mediaUrls: ['={{ $json.body.gallery }}'],
		publishTime: 'at',
		publishAt: '={{ $json.body.post.post_date }}',
		additionalFields: {
			title: '={{ $json.body.post.post_title }}',
			videoCoverImageUrl: '={{ $json.body.poster }}',
			additionalBodyFields: '={{ JSON.stringify({ cms_id: $json.body.post_id }) }}',
		},
		exclusive: {
			altText: '={{ "Foto: " + $json.body.post.post_title }}',
			shareToFeed: true,
			autoFitImage: true,
			videoCoverOffset: 1500,
			collaborators: ['={{ $json.body.taxonomy.authors }}'],
			autoCropImage: false,
			locationId: '={{ $json.body.taxonomy.place }}',
			trialSettings: { setting: [{ graduationStrategy: 'SS_PERFORMANCE' }] },
			additionalExclusiveOptions: '{"first_comment": "Mehr im Blog"}',
		},
		options: { fullEnvelope: false, timeout: 30 },
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

	const zurich = { settings: { timezone: 'Europe/Zurich' } };

	it('sends every option exactly as set, and outputs the action record', async () => {
		const workflow = row('cms', webhook('cms'), post(credential, everything));
		await setup.rest.activate(await setup.rest.createWorkflow({ ...workflow, ...zurich }));
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

	it('is validated without sending anything', async () => {
		const operation = 'validate';
		const workflow = row('dry', webhook('dry'), post(credential, { ...everything, operation }));
		await setup.rest.activate(await setup.rest.createWorkflow({ ...workflow, ...zurich }));
		const before = setup.emulator.received.length;
		const answer = await setup.production('dry', article);
		const [checked] = JSON.parse(answer.body) as Array<Record<string, unknown>>;
		expect(checked).toMatchObject({ summary: expect.stringMatching(/^Ready/), valid: true });
		expect(JSON.stringify(checked?.request_body)).toBe(expected);
		expect(setup.emulator.received).toHaveLength(before);
	});
});

describe('The account of a post', () => {
	const accounts = {
		account: [
			{ name: 'Harbour', id: ' acc_1 ' },
			{ name: 'Blog', id: 'acc_2' },
			{ name: 'Blog', id: 'acc_3' },
		],
	};
	const locator = (mode: string, value: string) => ({ __rl: true, mode, value });
	let listed: Credential;
	beforeAll(async () => {
		listed = await setup.credential('listed', { accounts, onlyListedAccounts: true });
	});

	const posted = async (socialAccountId: unknown) => {
		const workflow = row('accounts', manual(), post(listed, { ...fields, socialAccountId }));
		return await run(workflow, { text: 'Hello', picture, account: 'acc_2' });
	};

	it.each([
		['the plain text of an older workflow', 'acc_2'],
		['the expression of an older workflow', '={{ $json.account }}'],
		['chosen from the list', { ...locator('list', 'acc_2'), cachedResultName: 'Blog (acc_2)' }],
		['given by its ID', locator('id', 'acc_2')],
		['an expression that names a field', locator('id', '={{ $json.account }}')],
		['an expression that n8n evaluates', locator('id', '={{ $json.account.toLowerCase() }}')],
		['edited text of an older workflow', locator('', ' acc_2 ')],
	])('can be %s', async (_, value) => {
		expect((await posted(value)).status).toBe('success');
		expect(setup.bodies()).toEqual([expect.stringMatching(/^\{"social_account_id":"acc_2",/)]);
	});

	it('can be a name with Only Listed Accounts, which refuses other values', async () => {
		expect((await posted(locator('id', 'Harbour'))).status).toBe('success');
		for (const other of ['acc_9', 'Blog', 'harbour']) {
			const { status, error } = await posted(locator('id', other));
			expect(status).toBe('error');
			expect(error?.message).toMatch(`'Social Account ID' (${other}) is `);
			expect(error?.message).not.toMatch(/acc_[123]/);
		}
		expect(setup.bodies()).toEqual([expect.stringMatching(/^\{"social_account_id":"acc_1",/)]);
	});

	it('is found by name in the list of the editor', async () => {
		const found = async (own: Credential, filter?: string) =>
			await setup.rest.call('POST', '/rest/dynamic-node-parameters/resource-locator-results', {
				nodeTypeAndVersion: { name: NODE_TYPE, version: 1 },
				...{ path: 'parameters.socialAccountId', methodName: 'searchAccounts', filter },
				...{ currentNodeParameters: {}, credentials: reference(own) },
			});
		const blogs = [
			{ name: 'Blog (acc_2)', value: 'acc_2' },
			{ name: 'Blog (acc_3)', value: 'acc_3' },
		];
		const all = [{ name: 'Harbour', value: 'acc_1' }, ...blogs];
		expect(await found(listed)).toEqual({ results: all });
		expect(await found(listed, 'BLOG')).toEqual({ results: blogs });
		await expect(found(credential)).rejects.toThrow(
			"The credential lists no accounts. Open it, add names and IDs under 'Accounts'",
		);
	});

	it('is refused with its row by the credential test if it has no ID', async () => {
		const account = [...accounts.account, { name: 'Shop', id: '' }];
		const answer = await setup.rest.testCredential(
			await setup.credential('incomplete', { accounts: { account } }),
		);
		expect(answer).toEqual({ status: 'Error', message: "'Accounts' row 4 (Shop) has no ID." });
	});
});

describe('The example for a CMS', () => {
	it('posts an article, and reports why another one was refused', async () => {
		const workflow = example('cms-publish-to-post', credential);
		await setup.rest.activate(await setup.rest.createWorkflow(workflow));
		const article = sampleArticle(setup.emulator.url, new Date());
		const answer = await setup.production('article-published', article);
		expect(JSON.parse(answer.body)).toMatchObject({ status: 'processing' });
		expect(setup.bodies()).toEqual([
			'{"social_account_id":"acc_1024","title":"Six mountain lakes worth a detour","type":"POST",' +
				`"text":${JSON.stringify(textOf(article))},` +
				`"media_urls":["${setup.emulator.url}/media/lake.jpg"],` +
				'"exclusive":{"alt_text":"A green valley with two peaks in the morning sun",' +
				'"auto_fit_image":true,"collaborators":["anna.example"],"location_id":"213385402"}}',
		]);

		setup.emulator.fault({ kind: 'refused-without-code', operation: 'createPost' });
		const another = failingArticle(setup.emulator.url, new Date());
		const refused = await setup.production('article-published', another);
		expect(JSON.parse(refused.body)).toMatchObject({
			posted: false,
			reason: expect.stringMatching(/refused the post/) as string,
		});
	});
});

describe('A caption whose expression gives no value', () => {
	const caption = '={{ $json.n.toFixed(2) + $json.text }}';
	const nothing = '={{ $json.missing }}';
	const errorMessage =
		/^'Text' has an expression that returns no value for this item; correct it, or leave/;

	it('is refused, and nothing is sent', async () => {
		for (const text of [caption, '={{ $json.caption }}']) {
			const workflow = row('captions', manual(), post(credential, { ...fields, text }));
			const execution = await run(workflow, { text: 'one', picture, caption: null });
			expect(execution.status).toBe('error');
			expect(execution.error?.message).toMatch(errorMessage);
		}
		expect(setup.bodies()).toEqual([]);
	});

	it('is left out with an empty field or with empty text', async () => {
		for (const text of ['', "={{ $json.caption ?? '' }}"]) {
			const workflow = row('captions', manual(), post(credential, { ...fields, text }));
			expect((await run(workflow, { picture })).status).toBe('success');
		}
		const body = `{"social_account_id":"acc_1","type":"POST","media_urls":["${picture}"]}`;
		expect(setup.bodies()).toEqual([body, body]);
	});

	it('is a problem in Validate, which warns of optional fields without a value', async () => {
		const optional = {
			additionalFields: { title: nothing },
			exclusive: { altText: nothing, collaborators: ['anna', nothing], locationId: nothing },
		};
		const checks = { ...fields, ...optional, text: caption, operation: 'validate' };
		const workflow = row('captions', manual(), post(credential, checks));
		const execution = await run(workflow, { text: 'one', picture });
		const [{ json } = { json: {} }] = output(execution, 0);
		expect(json).toMatchObject({ valid: false, problems: [{ field: 'Text' }] });
		const warned = (json.warnings as Array<{ field: string }>).map(({ field }) => field);
		expect(warned.sort()).toEqual(['Alt Text', 'Collaborators', 'Location ID', 'Title']);
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

	it.each(failing)('stop the execution with an error message: $fault.kind', async (failure) => {
		setup.emulator.fault({ ...failure.fault, operation: 'createPost' });
		const workflow = row('stops', manual(), post(credential, fields));
		const execution = await run(workflow, { text: 'one', picture });
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toMatch(failure.says);
		expect(execution.error?.description).toMatch(/\w+ .+\.$/);
		expect(setup.arrived('createPost')).toBe(1);
	});

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

	it('do not contain secrets that the platform repeats in its message', async () => {
		setup.emulator.fault({ kind: 'echo-secrets', operation: 'createPost' });
		const workflow = row('echoes', manual(), post(credential, fields));
		const execution = await run(workflow, { text: 'one', picture });
		expect(execution.error?.message).toMatch(/请求被拒绝/);
		expect(await setup.sweep()).toEqual([]);
	});
});
