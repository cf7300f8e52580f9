import { agent } from './aiNodes';
import { EditorCredential } from './editorCredential';
import { testExamples } from './editorExamples';
import { EditorNode } from './editorNode';
import type { EditorPage } from './editorPage';
import { picture, takesPictures } from './editorPictures';
import { consecutive } from './editorSteps';
import { EditorSetup } from './editorSetup';
import { testPackage } from './packageTests';
import { until } from './postFlow';
import type { WorkflowNode } from '../n8n/rest';
import { given, manual, post, row } from '../n8n/workflows';

let setup: EditorSetup;
let editor: EditorPage;
let node: EditorNode;
const step = consecutive(() => editor);

/** Other tests hold the content of a step for a picture. */
const pictureStep: typeof step = (...about) => takesPictures && step(...about);

beforeAll(async () => {
	setup = await EditorSetup.start();
	editor = setup.editor;
	node = new EditorNode(editor);
});
afterAll(async () => await setup?.stop());

const NAME = 'Social Open Platform';
const CREATE = 'Publish a post';

const next: WorkflowNode = {
	name: 'Next',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {},
};

/** Opens a workflow of these nodes. */
const open = async (...nodes: WorkflowNode[]) =>
	await editor.openWorkflow(
		await setup.rest.createWorkflow(row('Article to post', manual(), ...nodes)),
	);

describe('The list of nodes in the editor', () => {
	step('shows the actions and triggers of the package', async () => {
		await editor.openPanel();
		await editor.find('instagram post', NAME);
		await editor.find('llm', `${NAME} Chat Model`);
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
		const statuses = ['accepted', 'deleted', 'failed', 'processing', 'published', 'queued'];
		const triggers = [
			'On any post status',
			...[...statuses, 'retrying', 'submitting'].map((status) => `On post ${status}`),
		];
		for (const name of triggers) await editor.entry(name).waitFor();
		expect((await editor.entries()).slice(-triggers.length - 1)).toEqual([
			'Create a chat response',
			...triggers,
		]);
		await picture(editor, 'node-panel');
	});
});

describe('The credential in the editor', () => {
	let dialog: EditorCredential;
	step('is created for a node, and shows advanced settings with a switch', async () => {
		await editor.entry(CREATE).click();
		dialog = await EditorCredential.create(editor, NAME);
		await editor.contains('editCredential-modal', `${NAME} API`);
		const labels = [
			...['Base URL', 'App ID', 'App Secret', 'Accounts', 'Only Listed Accounts'],
			'Show Advanced Settings',
		];
		// n8n adds this field to every credential that its HTTP Request node can use.
		const ofN8n = 'Allowed HTTP Request Domains';
		expect(await dialog.labels()).toEqual([...labels, ofN8n]);
		await dialog.toggle('showAdvancedSettings');
		expect(await dialog.labels()).toContain('Webhook Signature Method');
		await dialog.toggle('showAdvancedSettings');
		expect(await dialog.labels()).toEqual([...labels, ofN8n]);
	});

	step('is tested when it is saved, and explains a wrong setting', async () => {
		const { url: baseUrl, appId, appSecret } = setup.emulator;
		await dialog.fill({ baseUrl: 'https://nothing.invalid', appId, appSecret });
		await dialog.save();
		await dialog.isRefused(/the host was not found/);
		await picture(editor, 'credential-refused', editor.at('editCredential-modal'));
		await dialog.fill({ baseUrl });
		await dialog.addAccount('Harbour', 'acc_1024');
		await dialog.addAccount('Blog', '');
		await dialog.save();
		await dialog.isRefused(/'Accounts' row 2 \(Blog\) has no ID\./);
		await editor.at('parameter-input-id').last().locator('input').fill('acc_2048');
		await editor.settle();
		await dialog.save();
		await dialog.isGood();
		await dialog.picture('credential', 'https://api.example.com');
		expect((await setup.credential()).name).toBe(`${NAME} account`);
	});
});

/** The expected request. The time is in the workflow's time zone, which is New York by default. */
const request = {
	social_account_id: 'acc_1024',
	post_date: '2030-01-02T09:00:00-05:00',
	type: 'REEL',
	text: 'Our new article is out #news',
	media_urls: ['https://example.com/clip.mp4'],
	campaign: 'spring',
	exclusive: {
		alt_text: 'A meadow',
		share_to_feed: true,
		collaborators: ['anna.example'],
		location_id: '4711',
		trial_params: [{ graduation_strategy: 'SS_PERFORMANCE' }],
	},
};

describe('Create Post in the editor', () => {
	step('uses the saved credential, and accepts values', async () => {
		await node.hasCredential();
		await node.chooseFromList('socialAccountId', 'harb', 'Harbour');
		await node.choose('contentType', 'Reel');
		await node.fill('text', 'Our new article is out #news');
		await node.press('Add Media');
		await node.fill('mediaUrls', 'https://example.com/clip.mp4');
		await node.choose('publishTime', 'At a Set Time');
		await node.fillDate('publishAt', '2030-01-02 09:00:00');
	});

	step('runs from the editor, and shows the action record', async () => {
		await node.execute();
		await node.outputContains('Posts: 1 accepted');
		await node.showOutput('json');
		await node.outputContains(/"?action_sn"?/);
		await node.show('socialAccountId');
		await node.picture('create-post');
		await node.showOutput('schema');
		await editor.contains('run-data-schema-item', 'social_post_id');
		expect(setup.emulator.posts).toHaveLength(1);
	});

	step('sends the options that are added', async () => {
		const names = ['Other Fields (JSON)', 'Alt Text', 'Share to Feed', 'Collaborators'];
		for (const name of [...names, 'Location ID', 'Trial Reel']) {
			await node.add('Add Option', name);
		}
		await node.fillCode('additionalBodyFields', '{ "campaign": "spring" }');
		await node.fill('altText', 'A meadow');
		await node.fill('collaborators', '@anna.example');
		await node.fill('locationId', '4711');
		await node.choose('trialReel', 'Graduate by Performance');
		await node.add('Add Sending Option', 'Deduplication Key');
		await node.fill('oncePerKey', 'article-4711');
		await node.show('collaborators');
		await node.picture('create-post-options');
		await node.execute();
		await until(() => setup.emulator.posts.length === 2, 45_000);
		expect(setup.emulator.posts[1]!.request).toEqual(request);
	});
});

describe('The output preview in the editor', () => {
	step('shows the output fields in the next node before a run', async () => {
		const parameters = {
			socialAccountId: { __rl: true, mode: 'id', value: 'acc_1024' },
			text: '={{ $json.text }}',
			mediaUrls: ['https://example.com/a.jpg'],
		};
		const create = post(await setup.credential(), parameters);
		const workflow = given(row('Wrong', manual(), create, next), {
			text: 'Our new article is out',
		});
		await editor.openWorkflow(await setup.rest.createWorkflow(workflow));
		await editor.openNode('Next');
		await editor.contains('schema-preview-warning', 'Usually outputs the following fields');
		await editor.contains('ndv-input-panel', /request_id.*action_sn.*social_post_id.*status/s);
		await node.picture('output-preview');
		await editor.closeNode();
	});
});

describe('An invalid field in the editor', () => {
	step('is marked when it is empty, and named with the reason when the node runs', async () => {
		await editor.openNode('Post');
		await node.fill('socialAccountId', '');
		await editor.at('parameter-issues').waitFor();
		await node.fill('socialAccountId', 'acc_1024');
		await node.fill('mediaUrls', 'Picture 1.jpg');
		await node.add('Add Option', 'Title');
		await node.fill('title', 'So long a title '.repeat(20));
		const before = setup.emulator.received.length;
		await node.execute();
		await editor.contains('node-error-message', /'Media' row 1 \(Picture 1\.jpg\)/);
		await editor.contains('node-error-message', /'Title' is longer than 255 characters/);
		await editor.contains(
			'node-error-description',
			/^Nothing was sent for this item\..*Validate\.$/,
		);
		await node.picture('wrong-field');
		expect(setup.emulator.received).toHaveLength(before);
	});

	step('is reported by Validate, which sends nothing', async () => {
		const before = setup.emulator.received.length;
		await node.choose('operation', 'Validate');
		await node.choose('contentType', 'Reel');
		await node.fill('mediaUrls', `${setup.emulator.url}/media/hut.png`);
		await node.execute();
		await node.showOutput('json');
		await node.outputContains('contains an image; a reel requires a video');
		await node.outputContains(/valid.*false.*is longer than 255 characters/s);
		await editor.contains('node-hint', 'Posts: 0 ready, 1 not ready.');
		await node.picture('validate');
		expect(setup.emulator.received).toHaveLength(before);
	});
});

// Create Post in the editor tests the same.
pictureStep('A first post is ready for its picture', async () => {
	const text = 'Six mountain lakes worth a detour #lakes';
	const mediaUrls = ['https://example.com/lake.jpg'];
	const socialAccountId = { __rl: true, mode: 'list', value: '' };
	await open(post(await setup.credential(), { socialAccountId, text, mediaUrls }));
	await editor.openNode('Post');
	await node.chooseFromList('socialAccountId', 'harb', 'Harbour');
	await node.execute();
	await node.outputContains('Posts: 1 accepted');
	await node.showOutput('json');
	await node.outputContains(/"status":\s*"processing"/);
	await node.picture('first-post');
});

describe('A file in the editor', () => {
	step('is previewed in a row of Media, and a hint says how it is posted', async () => {
		const download: WorkflowNode = {
			...{ name: 'Download', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 },
			parameters: {
				url: `${setup.emulator.url}/media/hut.png`,
				options: { response: { response: { responseFormat: 'file' } } },
			},
		};
		const socialAccountId = { __rl: true, mode: 'id', value: 'acc_1024' };
		const text = 'First light over the hut';
		const create = post(await setup.credential(), { socialAccountId, text });
		await open(download, create);
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
		await editor.contains('node-hint', 'To post a file, the node creates a link to it');
	});

	step('is posted as a link to its content', async () => {
		const before = setup.emulator.posts.length;
		await node.execute();
		await node.outputContains('Posts: 1 accepted');
		await node.showOutput('json');
		await node.show('mediaUrls');
		await node.picture('post-file');
		expect(setup.emulator.posts.slice(before)).toMatchObject([
			{ request: { media_urls: [expect.stringMatching(/binary-data.signed/) as string] } },
		]);
	});
});

describe('The chat operations in the editor', () => {
	step('returns JSON for a schema', async () => {
		const name = 'Create a chat completion';
		const parameters = { resource: 'chat', operation: 'complete' };
		await open({ ...post(await setup.credential(), parameters), name });
		await editor.openNode(name);
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

	pictureStep('creates a response with instructions', async () => {
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
		await editor.entry(`${NAME} Chat Model`).click();
		await editor.page.getByText('Add to workflow').click();
		await node.hasCredential();
		await node.fill('model', 'chat-large');
		await editor.closeNode();
	});

	step('offer the node as a tool', async () => {
		await editor.openPanel('ai_tool');
		await editor.find('post', `${NAME} Tool`);
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
	const event = (number: number) => ({
		event: 'post.failed',
		id: `evt_${number}`,
		data: {
			action_sn: `SA2026112109000000000${number}`,
			social_post_id: '9007199254740993',
			status: 'failed',
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
		await editor.entry('On post failed').click();
		await editor.contains('ndv', 'enter the Production URL');
		await editor.contains('node-parameters', /Events.*Failed/s);
		await editor.page.getByText('Webhook URLs', { exact: true }).first().click();
		await editor.contains('ndv', '/webhook-test/');
		url = /http\S+\/webhook-test\/\S+/.exec(await editor.text('ndv'))![0];
		// n8n may ask for the accounts before it has added the credential to a new node.
		await editor.closeNode();
		await editor.openNode(`${NAME} Trigger`);
		await node.chooseAlso('socialAccountIds', 'Harbour');
	});

	step('names the signature method of a refused delivery', async () => {
		await node.listen();
		const { attempts } = await setup.emulator.deliver(event(1), { url, recipe: 'timestampBody' });
		expect(attempts).toMatchObject([{ status: 500 }]);
		await editor.contains(
			'node-error-message',
			/signed with 'Timestamp and Body'.*Webhook Signature Method/,
		);
		await node.picture('trigger-recipe');
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

testPackage(() => setup);

testExamples(() => setup, step);
