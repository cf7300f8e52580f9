import type { Workflow } from '../n8n/rest';
import { type EditorPage, id } from './editorPage';

const NODES = `${id('canvas-node')}:not(:has(${id('sticky')}))`;

/** The position of an element on the screen. */
export interface Box {
	name: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
}

/** A note. `isCut` says whether its text does not fit. */
export interface Note extends Box {
	isCut: boolean;
}

/** The canvas of the editor. */
export class EditorCanvas {
	constructor(private readonly editor: EditorPage) {}

	/** Imports a workflow as a file through the menu of a new workflow, and waits until n8n has saved it. */
	async importWorkflow(workflow: Workflow): Promise<void> {
		const { editor } = this;
		await editor.open('/workflow/new');
		await editor.at('canvas-plus-button').waitFor();
		await editor.at('workflow-menu').first().click();
		await editor.at('workflow-menu-item-import').hover();
		const dialog = editor.page.waitForEvent('filechooser');
		await editor.at('workflow-menu-item-import-from-file').click();
		const buffer = Buffer.from(JSON.stringify(workflow));
		const file = { name: 'example.json', mimeType: 'application/json', buffer };
		const saved = editor.page.waitForResponse(
			(response) => response.request().method() === 'POST' && response.url().endsWith('/workflows'),
		);
		await (await dialog).setFiles(file);
		await saved;
	}

	/** The names of the nodes that are marked, because they have issues or have failed. */
	async nodesWithIssues(): Promise<string[]> {
		const marks = ['node-issues', 'canvas-node-status-error', 'canvas-node-status-warning'];
		const marked = this.editor.page.locator(`${NODES}:has(${marks.map(id).join(', ')})`);
		return await marked.evaluateAll((nodes) => nodes.map((node) => node.dataset.nodeName ?? ''));
	}

	/** Clears the selection, shows the whole workflow, and waits until n8n no longer moves it. */
	async showAll(): Promise<void> {
		await this.editor.at('zoom-to-fit').click();
		await this.editor.page.locator('.vue-flow__pane').click({ position: { x: 30, y: 90 } });
		await this.editor.page.locator('.vue-flow__transformationpane').evaluate(
			async (pane) =>
				await new Promise<void>((resolve) => {
					let [last, equal] = ['', 0];
					const look = () => {
						equal = pane.style.transform === last ? equal + 1 : 0;
						last = pane.style.transform;
						if (equal > 10) resolve();
						else setTimeout(look, 20);
					};
					look();
				}),
		);
	}

	/** The positions of the nodes with their names, optionally with their handles. */
	async boxes(withHandles = false): Promise<Box[]> {
		const button = '[data-test-id^="execute-workflow-button"]';
		const handles = withHandles ? [] : ['.vue-flow__handle', 'svg'];
		const hidden = [id('canvas-node-toolbar'), button, ...handles].join(', ');
		return await this.editor.page.locator(NODES).evaluateAll(
			(nodes, [out, inside]) =>
				nodes.map((node) => {
					const below = [...node.querySelectorAll('*')];
					const shown = below.filter((one) => !one.closest(out!) && !one.querySelector(inside!));
					const parts = [node, ...shown];
					const all = parts.map((one) => one.getBoundingClientRect());
					const seen = all.filter(({ width, height }) => width > 0 && height > 0);
					return {
						name: node.dataset.nodeName ?? '',
						left: Math.min(...seen.map((one) => one.left)),
						top: Math.min(...seen.map((one) => one.top)),
						right: Math.max(...seen.map((one) => one.right)),
						bottom: Math.max(...seen.map((one) => one.bottom)),
					};
				}),
			[hidden, button],
		);
	}

	async notes(): Promise<Note[]> {
		return await this.editor.at('sticky').evaluateAll((notes) =>
			notes.map((note) => {
				const { left, top, right, bottom } = note.getBoundingClientRect();
				const texts = [...note.querySelectorAll('h2, p, li')];
				const end = Math.max(...texts.map((text) => text.getBoundingClientRect().bottom));
				const name = note.querySelector('h2')?.textContent ?? '';
				return { name, left, top, right, bottom, isCut: end > bottom };
			}),
		);
	}
}
