import type { Locator } from 'playwright-core';
import { type EditorPage, id } from './editorPage';
import { picture, takesPictures } from './editorPictures';
import { until } from './postFlow';

/** The view of an open node with its parameters and its output. */
export class EditorNode {
	constructor(private readonly editor: EditorPage) {}

	/** Waits until n8n has added the only credential of its type to a new node. */
	async hasCredential(): Promise<void> {
		const select = this.editor.at('node-credentials-select').locator('input');
		await until(async () => (await select.inputValue()).endsWith(' account'));
	}

	/** A parameter's field. */
	field(name: string): Locator {
		return this.editor.at(`parameter-input-${name}`).first();
	}

	async fill(name: string, value: string): Promise<void> {
		// The first input of a resource locator chooses its mode.
		const input = this.field(name).locator('input:not([role=combobox]), textarea').first();
		await input.fill(value);
		// The hint below a focused field covers the next field.
		await input.blur();
	}

	async fillDate(name: string, value: string): Promise<void> {
		const input = this.field(name).locator('input').first();
		await input.fill(value);
		await input.press('Enter');
	}

	/** Replaces the value of a JSON field. */
	async fillCode(name: string, value: string): Promise<void> {
		const code = this.field(name).locator('.cm-content');
		await code.fill(value);
		await code.blur();
	}

	/** Enters an expression into an empty field. n8n changes the field to an expression after `=`. */
	async fillExpression(name: string, value: string): Promise<void> {
		await this.field(name).locator('input').first().press('=');
		// n8n adds the braces a moment later.
		await this.field(name).locator('.cm-content', { hasText: '{{' }).waitFor();
		await this.fillCode(name, value);
	}

	async choose(name: string, option: string): Promise<void> {
		await this.pick(this.field(name).locator('input').first(), option);
	}

	/** Searches the list of a resource locator, and chooses its only entry. */
	async chooseFromList(name: string, words: string, entry: string): Promise<void> {
		await this.field(name).locator(id('rlc-input')).click();
		await this.editor.at('rlc-search').fill(words);
		await this.editor.at('rlc-item').nth(1).waitFor({ state: 'hidden' });
		await this.editor.at('rlc-item', entry).click();
	}

	/** Adds an option to a parameter with several options. */
	async chooseAlso(name: string, option: string): Promise<void> {
		const select = this.field(name).locator('.el-select');
		const wanted = this.editor.page.getByRole('option', { name: option });
		await this.open(select, wanted);
		await wanted.click();
		await select.click();
		await this.editor.contains(`parameter-input-${name}`, option);
	}

	/** Lets the model of an agent fill in a parameter of its tool. */
	async leaveToModel(name: string): Promise<void> {
		const option = this.editor.at(`${name}-parameter-input-persistent-options-container`);
		await option.locator(id('from-ai-override-button')).click();
	}

	async press(label: string): Promise<void> {
		await this.editor.page.getByRole('button', { name: label, exact: true }).first().click();
	}

	async add(label: string, option: string): Promise<void> {
		await this.pick(this.adding(label), option);
	}

	/** The number of expressions that n8n marks as invalid. */
	async invalidExpressions(): Promise<number> {
		return await this.editor.at('node-parameters').locator('.cm-invalid-resolvable').count();
	}

	/** Scrolls a parameter to the middle of the panel. */
	async show(name: string): Promise<void> {
		await this.field(name).evaluate((element: { scrollIntoView: (how: object) => void }) =>
			element.scrollIntoView({ block: 'center' }),
		);
	}

	async execute(): Promise<void> {
		await this.editor.settle();
		await this.ready().click();
	}

	/** Takes a picture for the documentation after the node has run. */
	async picture(name: string): Promise<void> {
		if (!takesPictures) return;
		await this.ready().waitFor();
		// The label of the button appears a moment later.
		await this.editor.settle();
		await picture(this.editor, name, this.editor.at('ndv'));
	}

	/** Makes a trigger listen for a test event. */
	async listen(): Promise<void> {
		// While the trigger listens, the button ends that.
		await this.editor.at('trigger-listening').waitFor({ state: 'hidden' });
		const started = this.editor.page.waitForResponse(/\/run(\?|$)/);
		await this.editor.at('trigger-execute-button').click();
		await started;
		await this.editor.at('trigger-listening').waitFor();
	}

	/** Waits until the output contains this text. */
	async outputContains(words: string | RegExp): Promise<void> {
		await this.editor.contains('output-panel', words);
	}

	async showOutput(as: 'schema' | 'table' | 'json'): Promise<void> {
		await this.editor
			.at('output-panel')
			.locator(id(`radio-button-${as}`))
			.click();
	}

	/** The button that executes the node, while nothing runs. */
	private ready(): Locator {
		const isIdle = this.editor.page.locator(':not([aria-busy="true"])');
		return this.editor.at('node-execute-button', 'Execute step').and(isIdle).first();
	}

	private adding(label: string): Locator {
		return this.editor.at('collection-parameter-add').locator(`input[placeholder="${label}"]`);
	}

	private options(): Locator {
		return this.editor.page.getByRole('option').filter({ visible: true });
	}

	/** Opens a list until it shows an option. A click may be lost while n8n loads the options. */
	private async open(select: Locator, option: Locator): Promise<void> {
		const opened = async () =>
			await option.waitFor({ timeout: 5_000 }).then(
				() => true,
				() => false,
			);
		for (let tries = 0; tries < 8; tries++) {
			await select.click();
			if (await opened()) return;
		}
		throw new Error('The list does not show the option');
	}

	private async pick(select: Locator, option: string): Promise<void> {
		const wanted = this.options().getByText(option, { exact: true }).first();
		await this.open(select, wanted);
		await wanted.click();
		await this.options().first().waitFor({ state: 'hidden' });
	}
}
