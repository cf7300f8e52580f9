import type { EditorPage } from './editorPage';
import { picture, takesPictures } from './editorPictures';

const FAILED = 'Couldn’t connect with these settings';

/** The dialog for a credential. Saving tests it. */
export class EditorCredential {
	private constructor(private readonly editor: EditorPage) {}

	/** Opens a new credential of a service for the open node. */
	static async create(editor: EditorPage, service: string): Promise<EditorCredential> {
		await editor.page.getByRole('button', { name: `Connect to ${service}`, exact: true }).click();
		await editor.at('credential-save-button').waitFor();
		return new EditorCredential(editor);
	}

	async fill(fields: Record<string, string>): Promise<void> {
		for (const [name, value] of Object.entries(fields)) {
			await this.editor.at(`parameter-input-${name}`).locator('input').fill(value);
		}
		await this.editor.settle();
	}

	async addAccount(name: string, accountId: string): Promise<void> {
		await this.editor.page.getByText('Add Account').filter({ visible: true }).click();
		await this.editor.at('parameter-input-name').last().locator('input').fill(name);
		await this.editor.at('parameter-input-id').last().locator('input').fill(accountId);
		await this.editor.settle();
	}

	/** Turns a switch on or off. */
	async toggle(name: string): Promise<void> {
		await this.editor.at(`parameter-input-${name}`).locator('.el-switch').click();
		await this.editor.settle();
	}

	/** Saves the credential, and waits until n8n has tested it. */
	async save(): Promise<void> {
		const tested = this.editor.page.waitForResponse(/\/rest\/credentials\/test$/);
		await this.editor.at('credential-save-button').click();
		await tested;
	}

	/** Waits until the test has failed with this message. */
	async isRefused(words: RegExp): Promise<void> {
		const { page } = this.editor;
		await page.getByText(FAILED).filter({ visible: true }).waitFor();
		const more = page.getByText('More details').filter({ visible: true });
		if (await more.isVisible()) await more.click();
		await this.editor.contains('node-credentials-config-container', words);
	}

	/** Waits until the test has succeeded, after which n8n closes the dialog. */
	async isGood(): Promise<void> {
		await this.editor.at('editCredential-modal').waitFor({ state: 'hidden' });
	}

	/** The labels of its fields, in order. */
	async labels(): Promise<string[]> {
		const labels = this.editor.at('node-credentials-config-container').locator('label');
		const texts = await labels.allInnerTexts();
		return texts.map((text) => /^[^*\n]*/.exec(text)?.[0].trim() ?? '');
	}

	/** Opens the dialog again, and takes a picture of all basic fields, with a Base URL as users have it. */
	async picture(name: string, baseUrl: string): Promise<void> {
		if (!takesPictures) return;
		const { editor } = this;
		const { page } = editor;
		await editor.at('credential-edit-button').click();
		await editor.at('credentials-config-container-test-success').waitFor();
		const before = page.viewportSize()!;
		await page.setViewportSize({ ...before, height: 1500 });
		const dialog = editor.at('editCredential-modal');
		await dialog.evaluate((element) => {
			element.style.height = element.style.maxHeight = '1250px';
		});
		const input = editor.at('parameter-input-baseUrl').locator('input');
		await input.evaluate((element, url) => ((element as { value: string }).value = url), baseUrl);
		await picture(editor, name, dialog);
		await page.setViewportSize(before);
		await page.keyboard.press('Escape');
		await dialog.waitFor({ state: 'hidden' });
	}
}
