import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Emulator, startEmulator } from '../emulator';
import { TestClient } from '../emulator/test-client';
import { webhookReceiver } from '../emulator/webhook-receiver';
import { EditorCanvas } from './editorCanvas';
import { EditorCredential } from './editorCredential';
import { unreadable } from './editorLayout';
import { EditorNode } from './editorNode';
import type { EditorPage } from './editorPage';
import { issuesIn, openIssues } from './editorPanel';
import { EditorSteps } from './editorSteps';
import { root } from '../n8n/pack';
import { until } from './postFlow';
import { TemplateEditor } from './templateEditor';
import { TemplateSetup } from './templateSetup';
import { TemplatePictures } from './templatePictures';
import { ACCOUNT, ACCOUNT_NAME } from './templateRuns';
import { templates } from './templates';

let setup: TemplateSetup;
let editor: EditorPage;
let canvas: EditorCanvas;
let node: EditorNode;
let templateEditor: TemplateEditor;
let pictures: TemplatePictures;
beforeAll(async () => {
	setup = await TemplateSetup.start();
	editor = setup.base.editor;
	canvas = new EditorCanvas(editor);
	node = new EditorNode(editor);
	templateEditor = new TemplateEditor(setup, canvas, node);
	pictures = new TemplatePictures(setup, canvas, templateEditor);
});
afterAll(async () => await setup?.stop());

/** Creates a function for consecutive tests on one screen. */
const newSteps = () => new EditorSteps(() => editor).test;

describe('an n8n without credentials', () => {
	const step = newSteps();
	const postNodes = ['Validate Post', 'Create Post'];
	afterAll(async () => await setup.createCredentials());

	step('marks the nodes without a credential', async () => {
		await templateEditor.importTemplate('ai-caption-to-post');
		expect(await canvas.nodesWithIssues()).toEqual(['Write a Caption', ...postNodes]);
	});

	step('assigns a credential that is created in one node to the others, too', async () => {
		const { url: baseUrl, appId, appSecret } = setup.base.emulator;
		await editor.openNode('Create Post');
		const dialog = await EditorCredential.connect(editor);
		await dialog.fill({ baseUrl, appId, appSecret });
		await dialog.addAccount(ACCOUNT_NAME, ACCOUNT);
		await dialog.saveInNode();
		await editor.closeNode();
		expect(await canvas.nodesWithIssues()).toEqual(postNodes);
	});

	step('marks an invalid expression and a missing account in a node', async () => {
		await editor.openNode('Create Post');
		await node.fillCode('text', '{{ wrong( }}');
		await editor.settle();
		await editor.closeNode();
		await editor.openNode('Create Post');
		let found = '';
		await until(async () => {
			found = (await openIssues(editor)).join('\n');
			return found.includes('wrong(');
		}, 45_000);
		expect(found).toMatch(/Social Account ID/);
		await editor.closeNode();
		expect(await canvas.nodesWithIssues()).toEqual(postNodes);
	});
});

it('every file of examples/ is tested', () => {
	const files = readdirSync(join(root, 'examples')).map((file) => basename(file, '.json'));
	expect(Object.keys(templates).sort()).toEqual(files.sort());
});

describe.each(Object.entries(templates))('%s', (name, template) => {
	const step = newSteps();

	step('is imported without other issues than credentials and accounts to choose', async () => {
		// The notification disappears after some seconds.
		await Promise.all([
			editor.page.getByText('Credentials auto-added').first().waitFor({ timeout: 90_000 }),
			templateEditor.importTemplate(name),
		]);
		const { credentials = {}, fields } = template;
		const filledIn = Object.entries(fields?.(setup) ?? {});
		const withAccount = filledIn.filter(([, values]) => 'socialAccountId' in values);
		const names = new Set([...Object.keys(credentials), ...withAccount.map(([one]) => one)]);
		expect((await canvas.nodesWithIssues()).sort()).toEqual([...names].sort());
	});

	step('has no overlapping nodes and no notes that are cut off', async () => {
		await canvas.showAll();
		expect(unreadable(await canvas.boxes(), await canvas.notes())).toEqual([]);
	});

	step('runs successfully after it is set up according to its notes', async () => {
		await templateEditor.fillIn(template);
		const before = setup.base.emulator.posts.length;
		for (const run of template.runs) {
			expect((await templateEditor.run(run)).sort()).toEqual([...run.succeeds].sort());
			expect(await canvas.nodesWithIssues()).toEqual([]);
		}
		const accounts = () =>
			setup.base.emulator.posts
				.slice(before)
				.map(({ request }) => (request as { social_account_id: string }).social_account_id);
		const expected = 'Create Post' in (template.fields?.(setup) ?? {}) ? [ACCOUNT] : [];
		await until(() => accounts().length >= expected.length);
		expect(accounts()).toEqual(expected);
	});

	step('shows no issues in any node after the run', async () => {
		const found: string[] = [];
		for (const one of await canvas.withFields()) found.push(...(await issuesIn(editor, one)));
		expect(found).toEqual([]);
		await pictures.take(name);
	});
});

describe('the page with the posts of the emulated platform', () => {
	let emulator: Emulator;
	let receiver: Awaited<ReturnType<typeof webhookReceiver>>;
	beforeAll(async () => {
		emulator = await startEmulator({ fetchMedia: true, publishAfterSeconds: 60 });
		receiver = await webhookReceiver([200, 401]);
	});
	afterAll(async () => {
		await emulator?.stop();
		await receiver?.close();
	});

	it('describes what was sent, and shows which file the platform could not download', async () => {
		const client = new TestClient(emulator);
		const files = ['lake.jpg', 'fails-to-load.jpg'];
		const media_urls = files.map((name) => `${emulator.url}/media/${name}`);
		await client.createPost({ social_account_id: 'acc_7', text: 'Two files', media_urls });
		await client.close();
		const { url } = receiver;
		await emulator.deliver({ event: 'post.published', id: 'e1' }, { url });
		await emulator.deliver({ event: 'post.failed', id: 'e2' }, { url });
		await emulator.advance(60);
		const page = await editor.page.context().browser()!.newPage();
		await page.goto(emulator.url);
		await page.getByText('n8n accepted it').waitFor();
		const textOf = async (selector: string) =>
			(await page.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
		expect(await textOf('#reports li')).toEqual([
			expect.stringMatching(/^not received Post failed n8n refused it: the signature is wrong/),
			expect.stringMatching(/^received Post published n8n accepted it/),
		]);
		expect(await textOf('#requests li')).toEqual([
			expect.stringMatching(/^responded Create a post/),
			expect.stringMatching(/^responded Get an access token/),
		]);
		expect(await page.locator('article img').count()).toBe(1);
		expect(await textOf('.missing')).toEqual([
			expect.stringMatching(
				/The platform could not download this file: the server responded with HTTP 404/,
			),
		]);
		await page.close();
	});
});
