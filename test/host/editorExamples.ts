import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { example } from '../n8n/examples';
import { root } from '../n8n/pack';
import type { Credential, Workflow } from '../n8n/rest';
import { reference } from '../n8n/workflows';
import { type EditorPage, id } from './editorPage';
import { savePicture, takesPictures } from './editorPictures';
import type { EditorSetup } from './editorSetup';
import type { Step } from './editorSteps';

/** The size of the browser window for a picture that shows all nodes at almost full size. */
const LARGE = { width: 1500, height: 1000 };
const NORMAL = { width: 1400, height: 900 };

/** The margin around the nodes, in pixels, which contains their names. */
const MARGIN = 60;

/** The margin on the right, which also contains the plus after the last node. */
const RIGHT_MARGIN = 80;

/** Hides everything but nodes and connections. */
const style = `
	[data-test-id^="canvas-background"], [data-test-id^="canvas-controls"],
	[data-test-id^="canvas-minimap"], [data-test-id^="canvas-node-toolbar"],
	[data-test-id^="sticky"], [data-test-id^="execute-workflow-button"], .vue-flow__panel,
	.el-notification, .el-popper.is-dark, [class*="nodeButtonsWrapper"] {
		visibility: hidden !important;
	}`;

/** The types of the other credentials that the examples use. */
const otherTypes = ['smtp', 'telegramApi', 'nextCloudApi', 'openAiApi', 'postgres'];

const NODES = `${id('canvas-node')}:not(:has(${id('sticky')}))`;

/** Imports a workflow as a file through the menu of a new workflow, and waits until n8n has saved it. */
async function importWorkflow(editor: EditorPage, workflow: Workflow): Promise<void> {
	await editor.open('/workflow/new');
	await editor.at('canvas-plus-button').waitFor();
	await editor.at('workflow-menu').first().click();
	await editor.at('workflow-menu-item-import').hover();
	const dialog = editor.page.waitForEvent('filechooser');
	await editor.at('workflow-menu-item-import-from-file').click();
	const buffer = Buffer.from(JSON.stringify(workflow));
	const saved = editor.page.waitForResponse(
		(response) => response.request().method() === 'POST' && response.url().endsWith('/workflows'),
	);
	const chooser = await dialog;
	await chooser.setFiles({ name: 'example.json', mimeType: 'application/json', buffer });
	await saved;
}

/** The names of the nodes that are marked, because they have issues. */
async function nodesWithIssues({ page }: EditorPage): Promise<string[]> {
	const marks = ['node-issues', 'canvas-node-status-error', 'canvas-node-status-warning'];
	const marked = page.locator(`${NODES}:has(${marks.map(id).join(', ')})`);
	return await marked.evaluateAll((nodes) => nodes.map((node) => node.dataset.nodeName ?? ''));
}

/** Shows the whole workflow. */
async function showAll(editor: EditorPage): Promise<void> {
	const { page } = editor;
	await editor.at('zoom-to-fit').click();
	await page.locator('.vue-flow__pane').click({ position: { x: 30, y: 90 } });
	await page.mouse.move(0, 0);
	await page.waitForTimeout(1_000);
}

/** The positions of nodes or notes on the screen. */
async function boxesOf({ page }: EditorPage, selector: string) {
	return await page.locator(selector).evaluateAll((all) =>
		all.map((one) => {
			const { left, top, right, bottom } = one.getBoundingClientRect();
			return { name: one.dataset.nodeName ?? one.textContent ?? '', left, top, right, bottom };
		}),
	);
}

/** A screenshot of the nodes, without notes and buttons. */
async function takePicture(editor: EditorPage, name: string): Promise<void> {
	const { page } = editor;
	await page.setViewportSize(LARGE);
	await showAll(editor);
	const boxes = await boxesOf(editor, NODES);
	const x = Math.min(...boxes.map(({ left }) => left)) - MARGIN;
	const y = Math.min(...boxes.map(({ top }) => top)) - MARGIN;
	const width = Math.max(...boxes.map(({ right }) => right)) + RIGHT_MARGIN - x;
	const height = Math.max(...boxes.map(({ bottom }) => bottom)) + MARGIN - y;
	const clip = { x, y, width, height };
	savePicture(name, await page.screenshot({ clip, style, animations: 'disabled' }));
	await page.setViewportSize(NORMAL);
}

/** Imports each workflow of examples/ in the editor, without running it. */
export function testExamples(setup: () => EditorSetup, step: Step): void {
	describe('An example in the editor has no issues after its set-up, and no note covers a node', () => {
		const credentials: Credential[] = [];
		beforeAll(async () => {
			for (const type of otherTypes) {
				credentials.push(await setup().rest.createCredential({ name: type, type, data: {} }));
			}
			// The editor reads the credentials once.
			await setup().editor.page.reload();
		});

		for (const file of readdirSync(join(root, 'examples'))) {
			const name = basename(file, '.json');
			step(name, async () => {
				const { editor } = setup();
				const workflow = example(name);
				for (const node of workflow.nodes) {
					// n8n does not choose a credential for HTTP requests by itself.
					const chosen = credentials.find(
						({ type }) => type === node.parameters.nodeCredentialType,
					);
					if (chosen) node.credentials = reference(chosen);
				}
				await importWorkflow(editor, workflow);
				expect(await nodesWithIssues(editor)).toEqual([]);
				const notes = await boxesOf(editor, id('sticky'));
				const covered = (await boxesOf(editor, NODES)).filter((node) =>
					notes.some(
						(note) =>
							node.left < note.right &&
							note.left < node.right &&
							node.top < note.bottom &&
							note.top < node.bottom,
					),
				);
				expect(covered).toEqual([]);
				if (takesPictures) await takePicture(editor, `examples/${name}`);
			});
		}
	});
}
