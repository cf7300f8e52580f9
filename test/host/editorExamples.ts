import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sampleArticle } from '../n8n/article';
import { example } from '../n8n/examples';
import { root } from '../n8n/pack';
import { postJson } from '../n8n/postJson';
import type { Credential, Workflow } from '../n8n/rest';
import { reference, webhookPath } from '../n8n/workflows';
import { type Box, EditorCanvas, type Note } from './editorCanvas';
import { savePicture, takesPictures } from './editorPictures';
import type { EditorSetup } from './editorSetup';
import type { Step } from './editorSteps';

/** The size of the browser window for a picture that shows all nodes at almost full size. */
const LARGE = { width: 1500, height: 1000 };
const NORMAL = { width: 1280, height: 900 };

/** The margin around the nodes, in pixels. */
const MARGIN = 24;

/** Hides everything but nodes and connections. */
const style = `
	[data-test-id^="canvas-background"], [data-test-id^="canvas-controls"],
	[data-test-id^="canvas-minimap"], [data-test-id^="canvas-node-toolbar"],
	[data-test-id^="sticky"], [data-test-id^="execute-workflow-button"], .vue-flow__panel,
	.el-notification, .el-popper.is-dark, [class*="nodeButtonsWrapper"] {
		visibility: hidden !important;
	}`;

/** The types of the other credentials that the examples use. */
const otherTypes = ['smtp', 'telegramApi', 'nextCloudApi', 'openAiApi', 'postgres'];

const overlap = (one: Box, other: Box): boolean =>
	one.left < other.right &&
	other.left < one.right &&
	one.top < other.bottom &&
	other.top < one.bottom;

/** Reports nodes and notes that overlap, and notes whose text does not fit. */
function unreadable(nodes: Box[], notes: Note[]): string[] {
	const all: Box[] = [...nodes, ...notes];
	const overlapping = all.flatMap((one, index) =>
		all
			.slice(index + 1)
			.filter((other) => overlap(one, other))
			.map((other) => `${one.name} and ${other.name} overlap`),
	);
	const cut = notes.filter(({ isCut }) => isCut).map(({ name }) => `${name} is cut off`);
	return [...overlapping, ...cut];
}

function around(boxes: Box[]) {
	const x = Math.min(...boxes.map(({ left }) => left)) - MARGIN;
	const y = Math.min(...boxes.map(({ top }) => top)) - MARGIN;
	const width = Math.max(...boxes.map(({ right }) => right)) + MARGIN - x;
	const height = Math.max(...boxes.map(({ bottom }) => bottom)) + MARGIN - y;
	return { x, y, width, height };
}

/** Tests each workflow of examples/ in the editor, without running it. */
export function testExamples(setup: () => EditorSetup, step: Step): void {
	/** A screenshot of the nodes, without notes and buttons. */
	const screenshot = async (canvas: EditorCanvas): Promise<Buffer> => {
		const { page } = setup().editor;
		await page.mouse.move(0, 0);
		await canvas.showAll();
		const clip = around(await canvas.boxes(true));
		return await page.screenshot({ clip, style, animations: 'disabled' });
	};

	/** A screenshot of a post in the emulator's feed that the open example has created. */
	const post = async (): Promise<Buffer> => {
		const { emulator, rest, editor, browser } = setup();
		const id = /workflow\/([^/?]+)/.exec(editor.page.url())![1]!;
		const saved = await rest.call<Workflow & { versionId: string }>('GET', `/rest/workflows/${id}`);
		await rest.activate({ id, versionId: saved.versionId });
		const path = webhookPath(saved.nodes.find(({ name }) => name === 'Article Published')!);
		await postJson(`${rest.url}/webhook/${path}`, sampleArticle(emulator.url, new Date()));
		await emulator.advance(3);
		const page = await browser.newPage({ viewport: { width: 480, height: 1600 } });
		await page.goto(emulator.url);
		const article = page.locator('article').first();
		await article.getByText('published', { exact: true }).waitFor();
		await article.locator('img').waitFor();
		const image = await article.screenshot({ animations: 'disabled' });
		await page.close();
		return image;
	};

	/** Saves screenshots as one picture, one beside the other. */
	const save = async (name: string, screenshots: Buffer[]) => {
		const blank = await setup().browser.newPage();
		const images = screenshots.map(
			(one) => `<img src="data:image/png;base64,${one.toString('base64')}">`,
		);
		const look = `margin: 0; display: inline-flex; gap: 12px; align-items: center; background: #f5f5f5`;
		await blank.setContent(`<body style="${look}">${images.join('')}</body>`);
		savePicture(name, await blank.locator('body').screenshot());
		await blank.close();
	};

	const takePictures = async (canvas: EditorCanvas, name: string) => {
		const { page } = setup().editor;
		await page.setViewportSize(LARGE);
		const image = await screenshot(canvas);
		await page.setViewportSize(NORMAL);
		await save(`examples/${name}`, [image]);
		if (name === 'cms-publish-to-post') await save('overview', [image, await post()]);
	};

	describe('An example in the editor has no issues after its set-up, and is readable', () => {
		const credentials: Credential[] = [];
		beforeAll(async () => {
			for (const type of otherTypes) {
				credentials.push(await setup().rest.createCredential({ name: type, type, data: {} }));
			}
			// The editor reads the credentials once.
			await setup().editor.page.reload();
		});

		for (const file of readdirSync(join(root, 'examples'))) {
			const name = basename(file, '.json');
			step(name, async () => {
				const canvas = new EditorCanvas(setup().editor);
				const workflow = example(name);
				for (const node of workflow.nodes) {
					// n8n does not choose a credential for HTTP requests by itself.
					const chosen = credentials.find(
						({ type }) => type === node.parameters.nodeCredentialType,
					);
					if (chosen) node.credentials = reference(chosen);
				}
				await canvas.importWorkflow(workflow);
				expect(await canvas.nodesWithIssues()).toEqual([]);
				await canvas.showAll();
				expect(unreadable(await canvas.boxes(), await canvas.notes())).toEqual([]);
				if (takesPictures) await takePictures(canvas, name);
			});
		}
	});
}
