import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { example } from '../n8n/examples';
import { root } from '../n8n/pack';
import type { Workflow } from '../n8n/rest';
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

const NODES = `${id('canvas-node')}:not(:has(${id('sticky')}))`;

const ALL = `${NODES}, ${id('sticky')}`;

/** Replaces the nodes of the open workflow by those of a file, and waits until all are shown. */
async function importWorkflow(editor: EditorPage, workflow: Workflow): Promise<void> {
	const { page } = editor;
	await page.keyboard.press('Control+a');
	await page.keyboard.press('Delete');
	await editor.at('canvas-plus-button').waitFor();
	const buffer = Buffer.from(JSON.stringify(workflow));
	const file = { name: 'example.json', mimeType: 'application/json', buffer };
	// The field of the menu item “Import from file”.
	await page.locator(id('workflow-import-input')).setInputFiles(file);
	await page
		.locator(ALL)
		.nth(workflow.nodes.length - 1)
		.waitFor();
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

/** The positions of nodes and notes on the screen, at the same moment, because n8n may be moving them. */
async function boxesOf({ page }: EditorPage) {
	return await page.locator(ALL).evaluateAll((all) =>
		all.map((one) => {
			const { left, top, right, bottom } = one.getBoundingClientRect();
			const { nodeName: name, testId } = one.dataset;
			return { name, isNote: testId === 'sticky', left, top, right, bottom };
		}),
	);
}

/** A screenshot of the nodes, without notes and buttons. */
async function takePicture(editor: EditorPage, name: string): Promise<void> {
	const { page } = editor;
	await page.setViewportSize(LARGE);
	await showAll(editor);
	const boxes = (await boxesOf(editor)).filter(({ isNote }) => !isNote);
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
		beforeAll(async () => {
			await setup().editor.open('/workflow/new');
			await setup().editor.at('canvas-plus-button').waitFor();
		});

		for (const file of readdirSync(join(root, 'examples'))) {
			const name = basename(file, '.json');
			step(name, async () => {
				const { editor, credentials } = setup();
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
				const boxes = await boxesOf(editor);
				const covered = boxes.filter((node) =>
					boxes.some(
						(note) =>
							note.isNote &&
							!node.isNote &&
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
