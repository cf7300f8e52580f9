import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EditorCanvas } from './editorCanvas';
import { EditorCredential } from './editorCredential';
import { unreadable } from './editorLayout';
import { EditorNode } from './editorNode';
import type { EditorPage } from './editorPage';
import { redIn } from './editorPanel';
import { EditorSteps } from './editorSteps';
import { root } from '../n8n/pack';
import { until } from './postFlow';
import { TemplateEditor } from './templateEditor';
import { TemplateSetup } from './templateSetup';
import { TemplatePictures } from './templatePictures';
import { ACCOUNT } from './templateRuns';
import { templates } from './templates';

let place: TemplateSetup;
let editor: EditorPage;
let canvas: EditorCanvas;
let node: EditorNode;
let desk: TemplateEditor;
let pictures: TemplatePictures;
beforeAll(async () => {
	place = await TemplateSetup.start();
	editor = place.setup.editor;
	canvas = new EditorCanvas(editor);
	node = new EditorNode(editor);
	desk = new TemplateEditor(place, canvas, node);
	pictures = new TemplatePictures(place, canvas, desk);
});
afterAll(async () => {
	try {
		await pictures?.keep();
	} finally {
		await place?.stop();
	}
});

/** Tests of which each goes on where the one before has left the screen. */
const story = () => new EditorSteps(() => editor).test;

describe('an n8n in which nothing was set up', () => {
	const play = story();
	const ours = ['Write a Caption', 'Validate Post', 'Create Post'];
	afterAll(async () => await place.makeCredentials());

	play('marks the nodes that have no credential yet', async () => {
		await desk.importTemplate('ai-caption-to-post');
		expect(await canvas.red()).toEqual(ours);
	});

	play('takes it in one of them, and gives it to the others', async () => {
		const { url: baseUrl, appId, appSecret } = place.setup.emulator;
		await editor.openNode('Create Post');
		const dialog = await EditorCredential.connect(editor);
		await dialog.fill({ baseUrl, appId, appSecret });
		await dialog.saveInNode();
		await editor.closeNode();
		expect(await canvas.red()).toEqual([]);
	});

	play('marks, in a node, an expression and a field that are wrong', async () => {
		await editor.openNode('Create Post');
		await node.fill('socialAccountId', '');
		await node.fillCode('text', '{{ wrong( }}');
		await editor.settle();
		await editor.closeNode();
		const found = (await redIn(editor, 'Create Post')).join('\n');
		expect(found).toMatch(/Social Account ID/);
		expect(found).toMatch(/wrong\(/);
		expect(await canvas.red()).toEqual(['Create Post']);
	});
});

it('every file of examples/ is played', () => {
	const files = readdirSync(join(root, 'examples')).map((file) => basename(file, '.json'));
	expect(Object.keys(templates).sort()).toEqual(files.sort());
});

describe.each(Object.entries(templates))('%s', (name, template) => {
	const play = story();

	play('is imported with the credentials chosen, and nothing in it is red', async () => {
		await desk.importTemplate(name);
		await editor.page.getByText('Credentials auto-added').first().waitFor();
		expect(await canvas.red()).toEqual([]);
	});

	play('can be read: nothing covers anything, and no note is cut', async () => {
		await canvas.showAll();
		expect(unreadable(await canvas.boxes(), await canvas.notes())).toEqual([]);
	});

	play('runs once it is filled in as its notes say, and all that ran is green', async () => {
		await desk.fillIn(template);
		const before = place.setup.emulator.posts.length;
		for (const run of template.runs) {
			expect((await desk.run(run)).sort()).toEqual([...run.green].sort());
			expect(await canvas.red()).toEqual([]);
		}
		const accounts = () =>
			place.setup.emulator.posts
				.slice(before)
				.map(({ request }) => (request as { social_account_id: string }).social_account_id);
		const expected = 'Create Post' in (template.fields?.(place) ?? {}) ? [ACCOUNT] : [];
		await until(() => accounts().length >= expected.length);
		expect(accounts()).toEqual(expected);
	});

	play('shows nothing red in any node', async () => {
		const found: string[] = [];
		for (const one of await canvas.withFields()) found.push(...(await redIn(editor, one)));
		expect(found).toEqual([]);
		await pictures.take(name);
	});
});
