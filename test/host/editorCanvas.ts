import { type EditorPage, id } from './editorPage';

/** The editor's canvas: workflows come to it from files, are run on it, and looked at. */

const NODES = `${id('canvas-node')}:not(:has(${id('sticky')}))`;

/** Where something lies on the screen. */
export interface Box {
	name: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
}

/** A note, and whether its text is longer than it. */
export interface Note extends Box {
	isCut: boolean;
}

export class EditorCanvas {
	constructor(private readonly editor: EditorPage) {}

	/** Imports a file by the menu of a new workflow. */
	async importFile(path: string): Promise<void> {
		const { editor } = this;
		await editor.open('/workflow/new');
		await editor.at('canvas-plus-button').waitFor();
		await editor.at('workflow-menu').first().click();
		await editor.at('workflow-menu-item-import').hover();
		const asked = editor.page.waitForEvent('filechooser');
		await editor.at('workflow-menu-item-import-from-file').click();
		await (await asked).setFiles(path);
		await editor.at('canvas-node').first().waitFor();
		// n8n saves it, and then knows it by an ID.
		await editor.page.waitForURL(/workflow\/(?!new)/);
	}

	/** All nodes that have fields; notes are no nodes. */
	async withFields(): Promise<string[]> {
		return await this.namesOf(`${NODES}:not([data-node-type="n8n-nodes-base.noOp"])`);
	}

	/** The nodes that are marked as wrong: something is missing, or they have failed. */
	async red(): Promise<string[]> {
		const marks = ['node-issues', 'canvas-node-status-error', 'canvas-node-status-warning'];
		return await this.namesOf(`${NODES}:has(${marks.map(id).join(', ')})`);
	}

	/** The nodes that have run to their end. */
	async green(): Promise<string[]> {
		return await this.namesOf(`${NODES}:has(${id('canvas-node-status-success')})`);
	}

	/** Presses the button that stands beside a trigger. */
	async start(trigger: string): Promise<void> {
		const node = this.editor.node(trigger);
		await node.hover();
		await node.locator(id(`execute-workflow-button-${trigger}`)).click();
	}

	/** Lets go of what is selected, and shows the whole workflow. */
	async showAll(): Promise<void> {
		await this.editor.at('zoom-to-fit').click();
		await this.editor.page.locator('.vue-flow__pane').click({ position: { x: 30, y: 90 } });
		// The view glides to its place.
		await this.editor.page.waitForTimeout(700);
	}

	/** The nodes with their names, and what hangs on them where that is asked for. */
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
