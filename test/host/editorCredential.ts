import type { EditorPage } from './editorPage';

/** The dialog in which a credential is filled in; saving tests it. */

const CANNOT = 'Couldn’t connect with these settings';

export class EditorCredential {
	private constructor(private readonly editor: EditorPage) {}

	/** Begins a new one, found by what somebody types. */
	static async create(editor: EditorPage, search: string, type: string): Promise<EditorCredential> {
		await editor.open('/home/credentials');
		await editor.at('add-resource-credential').click();
		await editor.at('new-credential-type-select').locator('input').fill(search);
		await editor.at('new-credential-type-select-option', type).click();
		await editor.at('new-credential-type-button').click();
		await editor.at('credential-save-button').waitFor();
		return new EditorCredential(editor);
	}

	/** Begins a new one for the node that is open, and has none. */
	static async connect(editor: EditorPage): Promise<EditorCredential> {
		await editor.at('node-credentials-empty-state').getByRole('button').click();
		await editor.at('credential-save-button').waitFor();
		return new EditorCredential(editor);
	}

	async fill(fields: Record<string, string>): Promise<void> {
		for (const [name, value] of Object.entries(fields)) {
			await this.editor.at(`parameter-input-${name}`).locator('input').fill(value);
		}
		await this.editor.settle();
	}

	/** Saves, and waits until n8n has tested what was saved. */
	async save(): Promise<void> {
		const tested = this.editor.page.waitForResponse(/\/rest\/credentials\/test$/);
		await this.editor.at('credential-save-button').click();
		await tested;
	}

	/** Saves it for the node that is open; n8n closes the dialog once the test has passed. */
	async saveInNode(): Promise<void> {
		await this.save();
		await this.editor.at('editCredential-modal').waitFor({ state: 'hidden' });
		await this.editor.at('node-credentials-select').waitFor();
	}

	/** Waits until the test has failed, and says this. */
	async isRefused(words: RegExp): Promise<void> {
		const { page } = this.editor;
		await page.getByText(CANNOT).filter({ visible: true }).waitFor();
		const more = page.getByText('More details').filter({ visible: true });
		if (await more.isVisible()) await more.click();
		await this.editor.says('node-credentials-config-container', words);
	}

	async isGood(): Promise<void> {
		await this.editor.at('credentials-config-container-test-success').waitFor();
	}

	/** The labels of its fields, in their order. */
	async labels(): Promise<string[]> {
		const labels = this.editor.at('node-credentials-config-container').locator('label');
		const texts = await labels.allInnerTexts();
		return texts.map((text) => /^[^*\n]*/.exec(text)?.[0].trim() ?? '');
	}
}
