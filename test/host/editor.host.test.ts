import { agent, MODEL_TYPE } from './aiNodes';
import { EditorCredential } from './editorCredential';
import { everyOption } from './editorLabels';
import { EditorNode } from './editorNode';
import type { EditorPage } from './editorPage';
import { picture } from './editorPictures';
import { EditorSteps } from './editorSteps';
import { fillOptions, fillPost, offers, request } from './editorPost';
import { EditorSetup } from './editorSetup';
import { type Item, until } from './postFlow';
import { samplePicture } from '../emulator/page/sample-picture';
import type { WorkflowNode } from '../n8n/rest';
import { given, manual, NODE_TYPE, post, row, TRIGGER_TYPE } from '../n8n/workflows';

let setup: EditorSetup;
let editor: EditorPage;
let node: EditorNode;
const steps = new EditorSteps(() => editor);
const step = steps.test;
beforeAll(async () => {
	setup = await EditorSetup.start();
	editor = setup.editor;
	node = new EditorNode(editor);
});
afterAll(async () => {
	steps.record();
	await setup?.stop();
});

const NAME = 'Social Open Platform';
const CREATE = 'Publish a post';

const accountsOf = (posts: Array<{ request: unknown }>) =>
	posts.map(({ request }) => (request as Item).social_account_id);

const next: WorkflowNode = {
	name: 'Next',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {},
};

describe('The credential in the editor', () => {
	let dialog: EditorCredential;
	const firstFields = [
		...['Base URL', 'App ID', 'App Secret', 'Accounts', 'Only Listed Accounts'],
		'Show Advanced Settings',
	];
	/** n8n adds this field to every credential that its HTTP Request node can use. */
	const ofN8n = 'Allowed HTTP Request Domains';

	step('is found by its name, and shows its fields', async () => {
		dialog = await EditorCredential.create(editor, 'social', `${NAME} API`);
		expect(await dialog.labels()).toEqual([...firstFields, ofN8n]);
		await dialog.fill({ baseUrl: setup.emulator.url });
	});

	step('shows the other settings with a switch, and a changed one without it', async () => {
		await dialog.toggle('showAdvancedSettings');
		expect(await dialog.labels()).toEqual([
			...firstFields,
			...['Platform Name', 'Expired-Token Codes', 'Rate-Limit Codes', 'Customize Field Names'],
			...['Webhook Signature Method', 'Chat Secret Header', 'Chat Secret Prefix'],
			...['Allow Plain HTTP', ofN8n],
		]);
		await dialog.fill({ renewalCodes: '1001' });
		await dialog.toggle('showAdvancedSettings');
		expect(await dialog.labels()).toEqual([...firstFields, 'Expired-Token Codes', ofN8n]);
		await dialog.fill({ renewalCodes: '1001, 10103, 10104' });
		expect(await dialog.labels()).toEqual([...firstFields, ofN8n]);
	});

	step('explains each wrong setting', async () => {
		const { url: baseUrl, appId, appSecret } = setup.emulator;
		const wrong: Array<[fields: Record<string, string>, says: RegExp]> = [
			[{ appId, appSecret: 'wrong' }, /the signature is wrong.*Check the App Secret/],
			[{ appId: 'nobody', appSecret }, /Compare the App ID in the credential/],
			[{ baseUrl: 'http://api.example.com', appId }, /http:\/\/.*turn on Allow Plain HTTP/],
			[{ baseUrl: 'http://127.0.0.1:9' }, /the connection was refused/],
			[{ baseUrl: setup.n8n.url }, /there is no API endpoint.*Check Base URL/],
			[{ baseUrl: 'https://nothing.invalid' }, /the host was not found/],
		];
		for (const [fields, says] of wrong) {
			await dialog.fill(fields);
			await dialog.save();
			await dialog.isRefused(says);
		}
		await picture(editor, 'credential-refused', editor.at('editCredential-modal'));
		await dialog.fill({ baseUrl });
	});

	step('is tested with its accounts when it is saved', async () => {
		await dialog.addAccount('Harbour', 'acc_1024');
		await dialog.addAccount('Blog', '');
		await dialog.save();
		await dialog.isRefused(/'Accounts' row 2 \(Blog\) has no ID\./);
		await editor.at('parameter-input-id').last().locator('input').fill('acc_2048');
		await editor.settle();
		await dialog.save();
		await dialog.isGood();
		await picture(editor, 'credential', editor.at('editCredential-modal'));
		expect((await setup.credential()).name).toBe(`${NAME} account`);
	});
});

describe('The list of nodes in the editor', () => {
	beforeAll(async () => {
		const { id } = await setup.rest.createWorkflow(row('Article to post', manual()));
		await editor.openWorkflow({ id });
		await editor.openPanel();
	});

	it.each([
		...['instagram post', 'instagram', 'social', 'social media', 'publish', 'publish post'],
		...[
			'photo',
			'video',
			'reel',
			'story',
			'carousel',
			'caption',
			'schedule post',
			'schedule a post',
		],
		...['post photo', 'post a photo', 'photo post', 'publish photo', 'publish a photo'],
		...['post picture', 'post a picture', 'post video', 'post a video'],
	])('finds the node by %s', async (words) => {
		await editor.find(words, NAME);
	});

	it.each(['chat model', 'language model', 'llm'])('finds the chat model by %s', async (words) => {
		await editor.find(words, `${NAME} Chat Model`);
	});

	step('shows the actions and triggers of the package', async () => {
		await editor.find('instagram post', NAME);
		expect((await editor.entries())[0]).toBe(NAME);
		await editor.entry(NAME).first().click();
		await editor.entry(CREATE).waitFor();
		await editor.entry(NAME).first().waitFor({ state: 'hidden' });
		expect(await editor.entries()).toEqual([
			CREATE,
			'Validate a post without publishing',
			'Clear deduplication keys',
			'Create a chat completion',
			'Create a chat response',
		]);
		await editor.at('node-creator-category-item', /Triggers/).click();
		const triggers = ['On any post status', 'On post failed', 'On post published'];
		for (const name of triggers) await editor.entry(name).waitFor();
		expect((await editor.entries()).slice(-triggers.length - 1)).toEqual([
			'Create a chat response',
			...triggers,
		]);
		await picture(editor, 'node-panel');
	});
});

describe('Create Post in the editor', () => {
	step('uses the saved credential, and accepts values', async () => {
		await editor.entry(CREATE).click();
		await editor.at('ndv').waitFor();
		expect(await editor.at('node-credentials-select').locator('input').inputValue()).toBe(
			`${NAME} account`,
		);
		await fillPost(node);
	});

	step('runs from the editor, and shows the action record', async () => {
		await node.execute();
		await node.outputContains('Posts: 1 accepted');
		await node.outputContains('1 post is scheduled for 2 Jan 2030, 09:00 (America/New_York).');
		await node.showOutput('json');
		await node.outputContains(/"?action_sn"?/);
		await node.show('socialAccountId');
		await node.picture('create-post');
		await node.showOutput('schema');
		await editor.contains('run-data-schema-item', 'social_post_id');
		expect(setup.emulator.posts).toHaveLength(1);
	});

	step('offers every option', async () => {
		for (const [label, names] of Object.entries(offers)) {
			expect(await node.offered(label)).toEqual(names);
		}
		await fillOptions(node);
		await node.show('collaborators');
		await node.picture('create-post-options');
	});

	step('sends every option', async () => {
		await node.execute();
		await until(() => setup.emulator.posts.length === 2, 45_000);
		expect(setup.emulator.posts[1]!.request).toEqual(request);
		await node.showOutput('json');
		await node.outputContains('requestId');
	});
});

describe('Clear Deduplication Keys in the editor', () => {
	step('clears the key of the post', async () => {
		await node.choose('operation', 'Clear Deduplication Keys');
		await node.fill('key', 'article-4711');
		await node.choose('keyScope', 'Workflow');
		await node.execute();
		await node.outputContains(/"?forgotten"?:\s*"article-4711"/);
		await node.picture('forget-keys');
	});
});

describe('The output preview in the editor', () => {
	step('shows the output fields in the next node before a run', async () => {
		const create = post(await setup.credential(), { mediaUrls: ['https://example.com/a.jpg'] });
		await editor.openWorkflow(
			await setup.rest.createWorkflow(row('Preview', manual(), create, next)),
		);
		await editor.openNode('Next');
		await editor.contains('schema-preview-warning', 'Usually outputs the following fields');
		const fields = editor.at('ndv-input-panel').locator('[data-test-id="run-data-schema-item"]');
		const names = (await fields.allInnerTexts()).map((text) => text.trim());
		expect(names).toEqual(
			expect.arrayContaining(['request_id', 'action_sn', 'social_post_id', 'status', 'platform']),
		);
		await node.picture('output-preview');
	});
});

describe('An invalid field in the editor', () => {
	step('is marked when it is empty, and named with the reason when the node runs', async () => {
		const parameters = {
			socialAccountId: { __rl: true, mode: 'id', value: 'acc_1024' },
			text: '={{ $json.text }}',
			mediaUrls: ['https://example.com/a.jpg'],
		};
		const create = post(await setup.credential(), parameters);
		const workflow = given(row('Wrong', manual(), create), { text: 'Our new article is out' });
		await editor.openWorkflow(await setup.rest.createWorkflow(workflow));
		await editor.openNode('Post');
		await node.fill('socialAccountId', '');
		await editor.at('parameter-issues').waitFor();
		await node.fill('socialAccountId', 'acc_1024');
		await node.fill('mediaUrls', 'Picture 1.jpg');
		await node.add('Add Field', 'Title');
		await node.fill('title', 'So long a title '.repeat(20));
		const before = setup.emulator.received.length;
		await node.execute();
		await editor.contains('node-error-message', /'Media' row 1 \(Picture 1\.jpg\)/);
		await editor.contains('node-error-message', /'Title' is longer than 255 characters/);
		await editor.contains('node-error-description', 'currently saved workflow');
		const description = await editor.at('node-error-description').first().innerText();
		expect(description).toMatch(/Nothing was sent.*\n.*currently saved workflow/);
		await node.picture('wrong-field');
		expect(setup.emulator.received).toHaveLength(before);
	});

	step('is reported by Validate, which sends nothing', async () => {
		const before = setup.emulator.received.length;
		await node.choose('operation', 'Validate');
		await node.choose('contentType', 'Reel');
		await node.fill('mediaUrls', 'https://example.com/a.jpg');
		await node.execute();
		await node.showOutput('json');
		await node.outputContains('contains an image; a reel requires a video');
		await node.outputContains(/valid.*false.*is longer than 255 characters/s);
		await editor.contains('node-hint', 'Not ready: 1 problem, 1 warning.');
		await node.picture('validate');
		expect(setup.emulator.received).toHaveLength(before);
	});
});

describe('Create that is changed to Validate and back in the editor', () => {
	step('keeps the fields and the options', async () => {
		const parameters = {
			socialAccountId: { __rl: true, mode: 'id', value: 'acc_1024' },
			text: 'A post with a key',
			mediaUrls: ['https://example.com/key.jpg'],
			options: { oncePerKey: 'the key' },
		};
		const workflow = row('Operations', manual(), post(await setup.credential(), parameters));
		await editor.openWorkflow(await setup.rest.createWorkflow(workflow));
		await editor.openNode('Post');
		const before = setup.emulator.posts.length;
		await node.execute();
		await node.outputContains('Posts: 1 accepted');
		await node.choose('operation', 'Validate');
		await node.execute();
		await node.outputContains('A post with a key');
		await node.choose('operation', 'Create');
		await node.execute();
		await node.outputContains("Not posted, because the key 'the key' was posted before.");
		expect(setup.emulator.posts).toHaveLength(before + 1);
	});
});

describe('Social Account ID in the editor', () => {
	const open = async (create: WorkflowNode) => {
		const workflow = row('Accounts', manual(), create);
		await editor.openWorkflow(await setup.rest.createWorkflow(workflow));
		await editor.openNode('Post');
	};

	step('explains how to fill an empty list', async () => {
		const { url: baseUrl, appId, appSecret } = setup.emulator;
		const { type } = await setup.credential();
		const data = { baseUrl, appId, appSecret };
		const empty = await setup.rest.createCredential({ name: 'Empty', type, data });
		await open(post(empty, { socialAccountId: { __rl: true, mode: 'list', value: '' } }));
		await node.listContains('socialAccountId', "add names and IDs under 'Accounts'");
		// The next nodes get a credential by themselves only if there is one.
		await setup.rest.call('DELETE', `/rest/credentials/${empty.id}`);
	});

	step('is chosen from the list by its name', async () => {
		const text = 'Six mountain lakes worth a detour #lakes';
		const mediaUrls = ['https://example.com/lake.jpg'];
		const unchosen = { __rl: true, mode: 'list', value: '' };
		await open(post(await setup.credential(), { socialAccountId: unchosen, text, mediaUrls }));
		await node.chooseFromList('socialAccountId', 'harb', 'Harbour');
		await node.execute();
		await node.outputContains('Posts: 1 accepted');
		await node.showOutput('json');
		await node.outputContains(/"status":\s*"processing"/);
		await node.picture('first-post');
		expect(accountsOf(setup.emulator.posts).at(-1)).toBe('acc_1024');
	});

	step('shows the text of an older workflow, and posts to this account', async () => {
		const mediaUrls = ['https://example.com/a.jpg'];
		await open(post(await setup.credential(), { socialAccountId: 'acc_77', mediaUrls }));
		const shown = node.field('socialAccountId').locator('[data-test-id="rlc-input"]');
		expect(await shown.locator('input').or(shown).last().inputValue()).toBe('acc_77');
		await node.execute();
		await node.outputContains('Posts: 1 accepted');
		await node.choose('socialAccountId', 'By ID');
		await node.fill('socialAccountId', 'acc_78');
		await node.execute();
		await until(() => accountsOf(setup.emulator.posts).at(-1) === 'acc_78', 45_000);
		expect(accountsOf(setup.emulator.posts).slice(-2)).toEqual(['acc_77', 'acc_78']);
	});
});

describe('A file in the editor', () => {
	const picture = samplePicture('hut.png');

	step('is previewed in a row of Media, and the notice below is not cut off', async () => {
		const download: WorkflowNode = {
			...{ name: 'Download', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 },
			parameters: {
				url: `${setup.emulator.url}/media/hut.png`,
				options: { response: { response: { responseFormat: 'file' } } },
			},
		};
		const create = post(await setup.credential(), { text: 'First light over the hut' });
		const workflow = row('Photo to post', manual(), download, create);
		await editor.openWorkflow(await setup.rest.createWorkflow(workflow));
		await editor.openNode('Download');
		await node.execute();
		await node.outputContains('image/png');
		await editor.closeNode();
		await editor.openNode('Post');
		await editor.contains('node-hint', 'The input contains a file, but Media is empty.');
		await node.press('Add Media');
		await node.fillExpression('mediaUrls', '{{ $binary.data }}');
		await editor.contains('parameter-input-hint', /image\/png/);
		expect(await node.invalidExpressions()).toBe(0);
		expect(await node.cutNotices()).toEqual([]);
	});

	step('is posted as a link to its content', async () => {
		const before = setup.emulator.posts.length;
		await node.execute();
		await node.outputContains('Posts: 1 accepted');
		await node.showOutput('json');
		await node.show('mediaUrls');
		await node.picture('post-file');
		const [{ request } = { request: {} }] = setup.emulator.posts.slice(before);
		const [link = ''] = (request as { media_urls?: string[] }).media_urls ?? [];
		const response = await fetch(link);
		expect(picture.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
	});

	step('is described by Validate, which shows a preview with Check Media', async () => {
		await node.choose('operation', 'Validate');
		await node.add('Add Option', 'Check Media');
		await node.switchOn('checkMedia');
		await node.execute();
		await node.outputContains('preview_1');
		await node.showOutput('json');
		await node.outputContains(/"hut\.png".*"image\/png".*"width"/s);
	});

	step('is refused with advice if its expression is entered as text', async () => {
		await node.choose('operation', 'Create');
		await node.press('Add Media');
		await node.fillLast('mediaUrls', '{{ $binary.data }}');
		await node.execute();
		await editor.contains(
			'node-error-message',
			"'Media' row 2 ({{ $binary.data }}) is text, not an expression; point at it, and select Expression",
		);
	});
});

describe('The chat operations in the editor', () => {
	step('returns JSON for a schema', async () => {
		await editor.openWorkflow(await setup.rest.createWorkflow(row('Caption', manual())));
		await editor.openPanel();
		await editor.find('social', NAME);
		await editor.entry(NAME).click();
		await editor.entry('Create a chat completion').click();
		await node.fill('model', 'chat-large');
		await node.fill('content', 'Write a caption for “Spring is here”');
		await node.choose('outputFormat', 'JSON Schema');
		setup.emulator.scriptChat([{ content: '{"caption":"Spring is here, and so are we #news"}' }]);
		await node.execute();
		await node.showOutput('json');
		await node.outputContains('Spring is here, and so are we #news');
		await node.outputContains('finish_reason');
		await node.picture('chat');
	});

	step('creates a response with instructions', async () => {
		await node.choose('operation', 'Create Response');
		await node.fill(
			'instructions',
			'You write captions for photos. Answer with the caption alone.',
		);
		await node.fill('input', 'Our new article: six mountain lakes, and where to swim');
		await node.choose('outputFormat', 'Text');
		setup.emulator.scriptChat([{ content: 'Six lakes, and one towel #swim' }]);
		await node.execute();
		await node.outputContains(/"?text"?:\s*"Six lakes, and one towel #swim"/);
		await node.picture('create-response');
	});
});

describe('The inputs of an AI agent in the editor', () => {
	const TOOL = `${CREATE} in ${NAME}`;

	step('offer the chat model', async () => {
		const workflow = given(row('Agent', manual(), agent(3.1)), { chatInput: 'Post this' });
		await editor.openWorkflow(await setup.rest.createWorkflow(workflow));
		await editor.openPanel('ai_languageModel');
		await editor.find('chat model', `${NAME} Chat Model`);
		await editor.entry(`${NAME} Chat Model`).click();
		await editor.page.getByText('Add to workflow').click();
		await node.fill('model', 'chat-large');
		await editor.closeNode();
	});

	step('offer the node as a tool', async () => {
		await editor.openPanel('ai_tool');
		for (const words of ['social', 'publish', 'post', 'instagram post']) {
			await editor.find(words, `${NAME} Tool`);
		}
		await editor.entry(`${NAME} Tool`).click();
		await node.chooseFromList('socialAccountId', 'harb', 'Harbour');
		await node.leaveToModel('text');
		await node.press('Add Media');
		await node.fill('mediaUrls', 'https://example.com/picture.jpg');
		await editor.settle();
		await editor.closeNode();
	});

	step('accept both, so that the agent publishes a post', async () => {
		const before = setup.emulator.posts.length;
		const name = TOOL.replaceAll(' ', '_');
		setup.emulator.scriptChat([
			{ tool_calls: [{ name, arguments: { Text: 'Spring is here' } }] },
			{ content: 'Your post is on its way.' },
		]);
		await editor.at('zoom-to-fit').click();
		await editor.at('execute-workflow-button').last().click();
		await editor.hasRun('Agent');
		await editor.hasRun(TOOL);
		await editor.page.getByText('2 items total').waitFor();
		await editor.contains('execute-workflow-button', 'Execute workflow');
		await picture(editor, 'agent');
		expect(setup.emulator.posts.slice(before)).toMatchObject([
			{ request: { text: 'Spring is here', social_account_id: 'acc_1024' } },
		]);
		await editor.openNode('Agent');
		await node.outputContains('Your post is on its way.');
	});
});

describe('The trigger in the editor', () => {
	let url: string;
	const event = (number: number, status = 'failed') => ({
		event: `post.${status}`,
		id: `evt_${number}`,
		data: {
			action_sn: `SA2026112109000000000${number}`,
			social_post_id: '9007199254740993',
			status,
			platform: 'PHOTO',
			social_account_id: 'acc_1024',
			message: 'The file could not be fetched.',
		},
	});

	step('is found by its event, and starts a workflow', async () => {
		await editor.openFirstPanel();
		await editor.find('post failed', NAME);
		await editor.entry(NAME).click();
		await editor.entry('On post failed').waitFor();
		await editor.entry(NAME).first().waitFor({ state: 'hidden' });
		expect(await editor.entries()).toEqual([
			'On any post status',
			'On post failed',
			'On post published',
		]);
		await editor.at('node-creator-category-item', 'Actions (5)').waitFor();
		await editor.entry('On post failed').click();
		await editor.contains('ndv', 'select Production URL');
		await editor.contains('node-parameters', /Events.*Failed/s);
		await editor.page.getByText('Webhook URLs', { exact: true }).first().click();
		await editor.contains('ndv', '/webhook-test/');
		url = /http\S+\/webhook-test\/\S+/.exec(await editor.text('ndv'))![0];
	});

	step('filters by the accounts in the credential', async () => {
		await node.chooseAlso('socialAccountIds', 'Harbour');
	});

	step('names the signature method of a refused delivery', async () => {
		await node.listen();
		const { attempts } = await setup.emulator.deliver(event(1), { url, recipe: 'timestampBody' });
		expect(attempts).toMatchObject([{ status: 401 }]);
		await editor.contains(
			'node-error-message',
			/signed with 'Timestamp and Body'.*Webhook Signature Method/,
		);
		await node.picture('trigger-recipe');
	});

	step('names the field that filters an event out', async () => {
		await node.listen();
		const { attempts } = await setup.emulator.deliver(event(3, 'processing'), { url });
		expect(attempts).toMatchObject([{ status: 200 }]);
		await editor.contains(
			'node-error-message',
			"The event was filtered out: 'Events' does not include the status 'processing'",
		);
		await editor.contains('node-error-description', 'Its signature is valid');
	});

	step('shows a test event', async () => {
		await node.listen();
		const { attempts } = await setup.emulator.deliver(event(2), { url });
		expect(attempts).toMatchObject([{ status: 200 }]);
		await node.outputContains('The file could not be fetched.');
		await node.showOutput('json');
		await node.outputContains('evt_2');
		await node.outputContains(/social_account_name.*Harbour/s);
		await node.showOutput('schema');
		await editor.contains('run-data-schema-item', 'event_id');
		await node.picture('trigger');
	});
});

describe('The labels in the editor', () => {
	const nodes: Array<[what: string, type: string, parameters: Item]> = [
		['Trigger', TRIGGER_TYPE, {}],
		['Create Post', NODE_TYPE, { resource: 'post', operation: 'create', publishTime: 'at' }],
		['Its Tool', `${NODE_TYPE}Tool`, { resource: 'post', operation: 'create' }],
		['Create Completion', NODE_TYPE, { resource: 'chat', outputFormat: 'json_schema' }],
		['Chat Model', MODEL_TYPE, {}],
	];
	beforeAll(async () => {
		const all = nodes.map(async ([name, type, parameters]) => ({
			...{ name, type, typeVersion: type === TRIGGER_TYPE ? 2 : 1 },
			parameters: await everyOption(setup.rest, type, parameters),
		}));
		const workflow = row('All options', ...(await Promise.all(all)));
		await editor.openWorkflow(await setup.rest.createWorkflow(workflow));
	});

	it.each(nodes)('are not cut off: %s', async (name) => {
		await editor.openNode(name);
		await editor.at('node-parameters').getByText('Options', { exact: true }).waitFor();
		expect(await node.cutLabels()).toEqual([]);
		await editor.closeNode();
	});
});

describe('The icon in the editor', () => {
	const themes: Array<[theme: 'dark' | 'light', file: RegExp]> = [
		['dark', /socialOpenPlatform\.dark\.svg$/],
		['light', /socialOpenPlatform\.svg$/],
	];
	it.each(themes)('fits the %s theme', async (theme, file) => {
		await editor.page.emulateMedia({ colorScheme: theme });
		const create = post(await setup.credential(), {});
		const workflow = row('Article to post', manual(), create, next);
		await editor.openWorkflow(await setup.rest.createWorkflow(workflow));
		const icon = editor.node('Post').locator('img').first();
		await until(async () => file.test((await icon.getAttribute('src')) ?? ''), 45_000);
		const isDrawn = (image: { naturalWidth: number }) => image.naturalWidth > 0;
		await until(async () => await icon.evaluate(isDrawn));
	});
});
