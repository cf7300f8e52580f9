import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EditorPage } from './editorPage';
import { root } from '../n8n/pack';
import { say } from '../n8n/progress';

const folder = join(root, '.host');

/** Consecutive tests on one screen, with their durations. */
export class EditorSteps {
	private readonly seconds: Record<string, number> = {};

	private failedStep: string | undefined;

	constructor(private readonly editor: () => EditorPage) {}

	/** A test that continues where the previous one ended. It fails if an earlier one failed. */
	readonly test = (title: string, action: () => Promise<void>): void =>
		it(title, async () => {
			if (this.failedStep) throw new Error(`Not run, because this step failed: ${this.failedStep}`);
			const started = Date.now();
			try {
				await action();
			} catch (error) {
				this.failedStep = title;
				say(`  Screenshot: ${await this.saveScreenshot(title)}`);
				throw error;
			}
			this.seconds[title] = (Date.now() - started) / 1000;
			say(`• ${this.seconds[title].toFixed(1)} s: ${title}`);
		});

	/** Writes the durations to .host/results/editor.json. */
	record(): void {
		mkdirSync(join(folder, 'results'), { recursive: true });
		const text = JSON.stringify({ seconds: this.seconds }, null, '\t');
		writeFileSync(join(folder, 'results', 'editor.json'), `${text}\n`);
	}

	private async saveScreenshot(title: string): Promise<string> {
		mkdirSync(folder, { recursive: true });
		const path = join(folder, `editor-${title.replace(/\W+/g, '-').slice(0, 60)}.png`);
		await this.editor().page.screenshot({ path });
		return path;
	}
}
