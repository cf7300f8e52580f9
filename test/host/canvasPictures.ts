import type { Page } from 'playwright-core';
import type { Box, EditorCanvas } from './editorCanvas';
import { keepPicture } from './editorPictures';

/** Pictures of workflows for the documentation: nodes after a run, without notes and buttons. */

const ROOM = 24;

const style = `
	[data-test-id="canvas-background"], [data-test-id="sticky"], [data-test-id="canvas-controls"], [data-test-id="canvas-minimap"],
	[data-test-id^="execute-workflow-button"], [data-test-id="canvas-node-toolbar"], .el-notification, .el-popper.is-dark, .vue-flow__panel
	{ visibility: hidden !important; }`;

function around(boxes: Box[]) {
	const [x, y] = [
		Math.min(...boxes.map(({ left }) => left)),
		Math.min(...boxes.map(({ top }) => top)),
	];
	const [right, bottom] = [
		Math.max(...boxes.map((box) => box.right)),
		Math.max(...boxes.map((box) => box.bottom)),
	];
	const [width, height] = [right - x + 2 * ROOM, bottom - y + 2 * ROOM];
	return { x: x - ROOM, y: y - ROOM, width, height };
}

/** What the canvas shows now, cut to these nodes, or to all when none is named. */
export async function shot(page: Page, canvas: EditorCanvas, names: string[]): Promise<Buffer> {
	await page.mouse.move(0, 0);
	await canvas.showAll();
	const boxes = await canvas.boxes(true);
	const isShown = ({ name }: Box) => names.length === 0 || names.includes(name);
	const others = boxes
		.filter((box) => !isShown(box))
		.map(({ name }) => `[data-node-name="${name}"]`);
	const look = `${style}\n${others.map((one) => `${one} { opacity: 0 !important; }`).join('\n')}`;
	const clip = around(boxes.filter(isShown));
	return await page.screenshot({ clip, style: look, animations: 'disabled' });
}

/** Keeps shots as one picture, each below the one before. */
export async function keepShots(page: Page, name: string, ...shots: Buffer[]): Promise<void> {
	const paper = await page.context().browser()!.newPage();
	const images = shots.map((one) => `<img src="data:image/png;base64,${one.toString('base64')}">`);
	const look =
		'margin: 0; display: inline-flex; flex-direction: column; align-items: start; gap: 12px';
	await paper.setContent(`<body style="${look}">${images.join('')}</body>`);
	keepPicture(name, await paper.locator('body').screenshot());
	await paper.close();
}
