import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EditorCanvas } from './editorCanvas';
import { EditorCredential } from './editorCredential';
import { unreadable } from './editorLayout';
import { EditorNode } from './editorNode';
import type { EditorPage } from './editorPage';
import { issuesIn } from './editorPanel';
import { EditorSteps } from './editorSteps';
import { root } from '../n8n/pack';
import { until } from './postFlow';
import { TemplateEditor } from './templateEditor';
import { TemplateSetup } from './templateSetup';
import { TemplatePictures } from './templatePictures';
import { ACCOUNT } from './templateRuns';
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
afterAll(async () => {
	try {
		await pictures?.save();
	} finally {
		await setup?.stop();
	}
});

/** Creates a function for consecutive tests on one screen. */
const newSteps = () => new EditorSteps(() => editor).test;

describe('an n8n without credentials', () => {
	const step = newSteps();
	const ownNodes = ['Write a Caption', 'Validate Post', 'Create Post'];
	afterAll(async () => await setup.createCredentials());

	step('marks the nodes without a credential', async () => {
		await templateEditor.importTemplate('ai-caption-to-post');
		expect(await canvas.nodesWithIssues()).toEqual(ownNodes);
	});

	step('assigns a credential that is created in one node to the others, too', async () => {
		const { url: baseUrl, appId, appSecret } = setup.base.emulator;
		await editor.openNode('Create Post');
		const dialog = await EditorCredential.connect(editor);
		await dialog.fill({ baseUrl, appId, appSecret });
		await dialog.saveInNode();
		await editor.closeNode();
		expect(await canvas.nodesWithIssues()).toEqual([]);
	});

	step('marks an invalid expression and an empty field in a node', async () => {
		await editor.openNode('Create Post');
		await node.fill('socialAccountId', '');
		await node.fillCode('text', '{{ wrong( }}');
		await editor.settle();
		await editor.closeNode();
		const found = (await issuesIn(editor, 'Create Post')).join('\n');
		expect(found).toMatch(/Social Account ID/);
		expect(found).toMatch(/wrong\(/);
		expect(await canvas.nodesWithIssues()).toEqual(['Create Post']);
	});
});

it('every file of examples/ is tested', () => {
	const files = readdirSync(join(root, 'examples')).map((file) => basename(file, '.json'));
	expect(Object.keys(templates).sort()).toEqual(files.sort());
});

describe.each(Object.entries(templates))('%s', (name, template) => {
	const step = newSteps();

	step('is imported without other issues than credentials to choose', async () => {
		await templateEditor.importTemplate(name);
		await editor.page.getByText('Credentials auto-added').first().waitFor();
		expect(await canvas.nodesWithIssues()).toEqual(Object.keys(template.credentials ?? {}));
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
