import { join } from 'node:path';
import type { EditorPage } from './editorPage';
import { root } from '../n8n/pack';
import { say } from '../n8n/progress';

export type Step = (title: string, action: () => Promise<void>) => void;

/** Creates a function for consecutive tests. Each fails if an earlier one failed. */
export function consecutive(editor: () => EditorPage): Step {
	let failedStep: string | undefined;
	return (title, action) =>
		it(title, async () => {
			if (failedStep) throw new Error(`Not run, because this step failed: ${failedStep}`);
			try {
				await action();
			} catch (error) {
				failedStep = title;
				const path = join(root, '.host', 'editor.png');
				await editor().page.screenshot({ path });
				say(`  Screenshot: ${path}`);
				throw error;
			}
		});
}
