import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EditorPage } from './editorPage';
import { root } from '../n8n/pack';
import { say } from '../n8n/progress';

/** Tests that are one story at one screen, and what each of them took. */

const folder = join(root, '.host');

export class EditorSteps {
	private readonly seconds: Record<string, number> = {};

	/** The test at which the story has broken off. */
	private brokenAt: string | undefined;

	constructor(private readonly editor: () => EditorPage) {}

	/** A test that goes on where the one before has left the screen, and not at all if that failed. */
	readonly test = (title: string, action: () => Promise<void>): void =>
		it(title, async () => {
			if (this.brokenAt) throw new Error(`Not played, because this failed: ${this.brokenAt}`);
			const started = Date.now();
			try {
				await action();
			} catch (error) {
				this.brokenAt = title;
				say(`  The screen as it was then: ${await this.pictureOfFailure(title)}`);
				throw error;
			}
			this.seconds[title] = (Date.now() - started) / 1000;
			say(`• ${this.seconds[title].toFixed(1)} s: ${title}`);
		});

	/** Leaves the durations in .host/results/editor.json. */
	record(): void {
		mkdirSync(join(folder, 'results'), { recursive: true });
		const text = JSON.stringify({ seconds: this.seconds }, null, '\t');
		writeFileSync(join(folder, 'results', 'editor.json'), `${text}\n`);
	}

	private async pictureOfFailure(title: string): Promise<string> {
		mkdirSync(folder, { recursive: true });
		const path = join(folder, `editor-${title.replace(/\W+/g, '-').slice(0, 60)}.png`);
		await this.editor().page.screenshot({ path });
		return path;
	}
}
