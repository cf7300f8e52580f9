import { randomUUID } from 'node:crypto';
import { keepShots, shot } from './canvasPictures';
import type { EditorCanvas } from './editorCanvas';
import { takesPictures } from './editorPictures';
import { until } from './postFlow';
import { postJson } from '../n8n/postJson';
import type { TemplateEditor } from './templateEditor';
import type { TemplateSetup } from './templateSetup';

/** Pictures of templates after a good run; the overview shows two of them. */

/** So large that n8n need not make nodes much smaller to show them all. */
const LARGE = { width: 1500, height: 1000 };
const WIDE = { width: 2600, height: 1200 };
const USUAL = { width: 1280, height: 900 };

const file: Record<string, string> = {
	'cms-publish-to-post': 'overview',
	'post-failed-to-mail': 'overview',
	'queue-in-a-table': 'queue',
};

/** What happens to one post, in two lines. */
const waiting = [
	[
		...['Process One Post', 'Create Post', 'Post Created?', 'Not Posted', 'Already Posted'],
		...['Save Waiting Execution', 'Check for a Report', 'Already Reported?', 'Wait for the Report'],
	],
	[
		...['Remove Waiting Execution', 'Read the Report', 'Result', 'Outcome'],
		...['Published', 'Failed', 'Timed Out', 'Other Status'],
	],
];

export class TemplatePictures {
	private readonly shots: Record<string, Buffer[]> = {};

	constructor(
		private readonly place: TemplateSetup,
		private readonly canvas: EditorCanvas,
		private readonly desk: TemplateEditor,
	) {}

	/** Takes the picture of what is on the canvas, where the documentation has one. */
	async take(template: string): Promise<void> {
		if (!takesPictures) return;
		if (template === 'create-and-wait-for-the-result') await this.waitForResult();
		const name = file[template];
		if (name) await this.shoot(name, LARGE);
	}

	/** Writes the files. */
	async keep(): Promise<void> {
		const { page } = this.place.setup.editor;
		for (const [name, shots] of Object.entries(this.shots)) await keepShots(page, name, ...shots);
	}

	private async shoot(name: string, size: typeof LARGE, parts: string[][] = [[]]): Promise<void> {
		const { page } = this.place.setup.editor;
		await page.setViewportSize(size);
		for (const part of parts) {
			(this.shots[name] ??= []).push(await shot(page, this.canvas, part));
		}
		await page.setViewportSize(USUAL);
	}

	/** The execution of a post that has waited until the platform said that it is out. */
	private async waitForResult(): Promise<void> {
		const { n8n, rest, emulator, editor } = this.place.setup;
		const { id, versionId, pathOf } = await this.desk.saved();
		await rest.activate({ id, versionId });
		emulator.setWebhook(`${n8n.url}/webhook/${pathOf('Post Status Changed')}`);
		const asleep = async () => await rest.countExecutions(['waiting'], id);
		const before = await asleep();
		const post = { key: randomUUID(), text: 'Lakes', media_url: `${emulator.url}/media/lake.jpg` };
		await postJson(`${n8n.url}/webhook/${pathOf('Posts Requested')}`, { posts: [post] });
		await until(async () => (await asleep()) > before, 30_000);
		await emulator.advance(3);
		let found: string | undefined;
		await until(async () => {
			for (const one of await rest.executionIds(id)) {
				if ('Published' in (await rest.execution(one)).runs) found = one;
			}
			return found !== undefined;
		}, 30_000);
		await editor.open(`/workflow/${id}/executions/${found}`);
		await editor.hasRun('Published');
		await this.shoot('wait-for-result', WIDE, waiting);
	}
}
