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

	/** Imports a file through the menu of a new workflow. */
	async importFile(path: string): Promise<void> {
		const { editor } = this;
		await editor.open('/workflow/new');
		await editor.at('canvas-plus-button').waitFor();
		await editor.at('workflow-menu').first().click();
		await editor.at('workflow-menu-item-import').hover();
		const dialog = editor.page.waitForEvent('filechooser');
		await editor.at('workflow-menu-item-import-from-file').click();
		await (await dialog).setFiles(path);
		await editor.at('canvas-node').first().waitFor();
		// n8n saves the workflow, and then adds its ID to the URL.
		await editor.page.waitForURL(/workflow\/(?!new)/);
	}

	/** The names of all nodes that have fields. */
	async withFields(): Promise<string[]> {
		return await this.namesOf(`${NODES}:not([data-node-type="n8n-nodes-base.noOp"])`);
	}

	/** The names of the nodes that are marked, because they have issues or have failed. */
	async nodesWithIssues(): Promise<string[]> {
		const marks = ['node-issues', 'canvas-node-status-error', 'canvas-node-status-warning'];
		return await this.namesOf(`${NODES}:has(${marks.map(id).join(', ')})`);
	}

	/** The names of the nodes that have succeeded. */
	async succeededNodes(): Promise<string[]> {
		return await this.namesOf(`${NODES}:has(${id('canvas-node-status-success')})`);
	}

	/** Clicks the button beside a trigger. */
	async start(trigger: string): Promise<void> {
		const node = this.editor.node(trigger);
		await node.hover();
		await node.locator(id(`execute-workflow-button-${trigger}`)).click();
	}

	/** Clears the selection, and shows the whole workflow. */
	async showAll(): Promise<void> {
		await this.editor.at('zoom-to-fit').click();
		await this.editor.page.locator('.vue-flow__pane').click({ position: { x: 30, y: 90 } });
		// n8n animates the change of the view.
		await this.editor.page.waitForTimeout(700);
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

	private async namesOf(selector: string): Promise<string[]> {
		const found = this.editor.page.locator(selector);
		return await found.evaluateAll((nodes) => nodes.map((node) => node.dataset.nodeName ?? ''));
	}
}
