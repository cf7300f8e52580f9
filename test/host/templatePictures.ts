import { randomUUID } from 'node:crypto';
import { saveScreenshots, screenshot } from './canvasPictures';
import type { EditorCanvas } from './editorCanvas';
import { takesPictures } from './editorPictures';
import { until } from './postFlow';
import { postJson } from '../n8n/postJson';
import type { TemplateEditor } from './templateEditor';
import type { TemplateSetup } from './templateSetup';

/** The size of the browser window for a picture that shows all nodes at almost full size. */
const LARGE = { width: 1500, height: 1000 };
const WIDE = { width: 2600, height: 1200 };
const NORMAL = { width: 1280, height: 900 };

/** The picture of each template. The overview shows two templates. */
const pictures: Record<string, string> = {
	'cms-publish-to-post': 'overview',
	'post-failed-to-mail': 'overview',
	'queue-in-a-table': 'queue',
};

/** The nodes that process one post, in two rows. */
const postNodes = [
	[
		...['Process One Post', 'Create Post', 'Post Created?', 'Not Posted', 'Already Posted'],
		...['Save Waiting Execution', 'Check for a Report', 'Already Reported?', 'Wait for the Report'],
	],
	[
		...['Remove Waiting Execution', 'Read the Report', 'Result', 'Outcome'],
		...['Published', 'Failed', 'Timed Out', 'Other Status'],
	],
];

/** Takes pictures of templates after a successful run. */
export class TemplatePictures {
	private readonly screenshots: Record<string, Buffer[]> = {};

	constructor(
		private readonly templateSetup: TemplateSetup,
		private readonly canvas: EditorCanvas,
		private readonly templateEditor: TemplateEditor,
	) {}

	/** Takes the picture of the open template, if the documentation contains one. */
	async take(template: string): Promise<void> {
		if (!takesPictures) return;
		if (template === 'create-and-wait-for-the-result') await this.pictureOfWaiting();
		const name = pictures[template];
		if (name) await this.takeScreenshots(name, LARGE);
	}

	/** Saves the pictures. */
	async save(): Promise<void> {
		const { page } = this.templateSetup.base.editor;
		for (const [name, screenshots] of Object.entries(this.screenshots))
			await saveScreenshots(page, name, ...screenshots);
	}

	private async takeScreenshots(
		name: string,
		size: typeof LARGE,
		parts: string[][] = [[]],
	): Promise<void> {
		const { page } = this.templateSetup.base.editor;
		await page.setViewportSize(size);
		for (const part of parts) {
			(this.screenshots[name] ??= []).push(await screenshot(page, this.canvas, part));
		}
		await page.setViewportSize(NORMAL);
	}

	/** Takes a picture of an execution that waits until the platform reports its post as published. */
	private async pictureOfWaiting(): Promise<void> {
		const { n8n, rest, emulator, editor } = this.templateSetup.base;
		const { id, versionId, pathOf } = await this.templateEditor.saved();
		await rest.activate({ id, versionId });
		emulator.setWebhook(`${n8n.url}/webhook/${pathOf('Post Status Changed')}`);
		const waiting = async () => await rest.countExecutions(['waiting'], id);
		const before = await waiting();
		const post = { key: randomUUID(), text: 'Lakes', media_url: `${emulator.url}/media/lake.jpg` };
		await postJson(`${n8n.url}/webhook/${pathOf('Posts Requested')}`, { posts: [post] });
		await until(async () => (await waiting()) > before, 30_000);
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
		await this.takeScreenshots('wait-for-result', WIDE, postNodes);
	}
}
