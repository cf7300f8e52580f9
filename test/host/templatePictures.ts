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
	constructor(
		private readonly templateSetup: TemplateSetup,
		private readonly canvas: EditorCanvas,
		private readonly templateEditor: TemplateEditor,
	) {}

	/** Takes the picture of the open template, and the first picture of the README. */
	async take(template: string): Promise<void> {
		if (!takesPictures) return;
		const { page } = this.templateSetup.base.editor;
		const isWaiting = template === 'create-and-wait-for-the-result';
		const screenshots = isWaiting ? await this.waiting() : await this.screenshots(LARGE);
		await saveScreenshots(page, `examples/${template}`, screenshots);
		if (template !== 'cms-publish-to-post') return;
		await saveScreenshots(page, 'overview', [...screenshots, await this.post()], 'row');
	}

	private async screenshots(size: typeof LARGE, parts: string[][] = [[]]): Promise<Buffer[]> {
		const { page } = this.templateSetup.base.editor;
		await page.setViewportSize(size);
		const screenshots: Buffer[] = [];
		for (const part of parts) screenshots.push(await screenshot(page, this.canvas, part));
		await page.setViewportSize(NORMAL);
		return screenshots;
	}

	/** A screenshot of the latest post in the emulator's feed, after the platform has published it. */
	private async post(): Promise<Buffer> {
		const { emulator, editor } = this.templateSetup.base;
		await emulator.advance(3);
		const viewport = { width: 480, height: 1600 };
		const page = await editor.page.context().browser()!.newPage({ viewport });
		await page.goto(emulator.url);
		const post = page.locator('article').first();
		await post.getByText('published', { exact: true }).waitFor();
		await post.locator('img').waitFor();
		const image = await post.screenshot({ animations: 'disabled' });
		await page.close();
		return image;
	}

	/** Screenshots of an execution that waits until the platform reports its post as published. */
	private async waiting(): Promise<Buffer[]> {
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
		return await this.screenshots(WIDE, postNodes);
	}
}
