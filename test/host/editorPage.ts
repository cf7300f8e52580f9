import type { Locator, Page } from 'playwright-core';

/** A selector for an element by the ID that n8n's own tests use. */
export const id = (testId: string): string => `[data-test-id="${testId}"]`;

/** n8n reads a field a tenth of a second after the last key. */
const TYPED_MS = 150;

/** n8n's editor in a browser. */
export class EditorPage {
	constructor(readonly page: Page) {}

	/** The visible elements with this ID. */
	at(testId: string, hasText?: string | RegExp): Locator {
		return this.page.locator(id(testId), { hasText }).filter({ visible: true });
	}

	/**
	 * Opens a page of the editor, which is faster than loading the editor again. While n8n is still saving,
	 * it asks whether to leave. The editor is then loaded again, and Playwright confirms that it may leave.
	 */
	async open(path: string): Promise<void> {
		const app = "document.querySelector('#app').__vue_app__.config.globalProperties";
		const late = 'new Promise((resolve) => setTimeout(resolve, 10000, true))';
		const pushed = `${app}.$router.push('${path}').then(() => false)`;
		const isLate = await this.page.evaluate<boolean>(`Promise.race([${pushed}, ${late}])`);
		if (isLate) await this.page.goto(new URL(path, this.page.url()).href);
	}

	/** Opens a saved workflow, and waits until its nodes are shown. */
	async openWorkflow({ id: workflowId }: { id: string }): Promise<void> {
		await this.open(`/workflow/${workflowId}`);
		await this.at('canvas-node').first().waitFor();
	}

	/** A node on the canvas. */
	node(name: string): Locator {
		return this.page.locator(`${id('canvas-node')}[data-node-name="${name}"]`);
	}

	async openNode(name: string): Promise<void> {
		await this.node(name).dblclick();
		await this.at('ndv').waitFor();
	}

	async closeNode(): Promise<void> {
		await this.at('ndv-close-button').click();
		await this.at('ndv').waitFor({ state: 'hidden' });
	}

	/** Waits until a node on the canvas is marked as successful. */
	async hasRun(name: string): Promise<void> {
		await this.node(name).locator(id('canvas-node-status-success')).first().waitFor();
	}

	/** Opens the list of nodes for the output of the last node, or for one of its inputs. */
	async openPanel(input?: string): Promise<void> {
		const plus = id('canvas-handle-plus');
		const side = input
			? `${id('canvas-node-input-handle')}[data-handleid="inputs/${input}/0"]`
			: id('canvas-node-output-handle');
		await this.page.locator(`${side} ${plus}`).last().click();
		await this.at('node-creator-search-bar').waitFor();
	}

	/** Opens the list of triggers in a new workflow. */
	async openFirstPanel(): Promise<void> {
		await this.open('/workflow/new');
		await this.at('canvas-plus-button').click();
		await this.at('node-creator-search-bar').waitFor();
	}

	/** Searches the list of nodes, and waits until it contains a node that it did not contain before. */
	async find(words: string, name: string): Promise<void> {
		expect(await this.entry(name).count()).toBe(0);
		await this.at('node-creator-search-bar').fill(words);
		await this.entry(name).first().waitFor();
	}

	/** An entry of the list of nodes, or of a node's actions. */
	entry(name: string): Locator {
		return this.at('node-creator-item-name', new RegExp(`^\\s*${name}\\s*$`));
	}

	/** All entries, in order. */
	async entries(): Promise<string[]> {
		return await this.at('node-creator-item-name').allInnerTexts();
	}

	/** Waits until n8n has read all fields. A busy browser delays this timer as long as those of n8n. */
	async settle(): Promise<void> {
		const timer = `new Promise((resolve) => setTimeout(resolve, ${TYPED_MS}, true))`;
		await this.page.evaluate<boolean>(timer);
	}

	/** The text of an element on one line. */
	async text(testId: string): Promise<string> {
		return (await this.at(testId).first().innerText()).replace(/\s+/g, ' ');
	}

	/** Waits until an element contains this text. */
	async contains(testId: string, words: string | RegExp): Promise<void> {
		await this.at(testId, words).first().waitFor();
	}
}
