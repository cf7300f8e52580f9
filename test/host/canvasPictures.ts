import type { Page } from 'playwright-core';
import type { Box, EditorCanvas } from './editorCanvas';
import { keepPicture } from './editorPictures';

/** Pictures of workflows for the documentation: nodes after a run, without notes and buttons. */

const ROOM = 24;

/** The canvas in n8n's light theme. */
const GROUND = '#f5f5f5';

const hidden = [
	...['canvas-background', 'canvas-controls', 'canvas-minimap', 'canvas-node-toolbar', 'sticky'],
	'execute-workflow-button',
].map((testId) => `[data-test-id^="${testId}"]`);

const others = ['.el-notification', '.el-popper.is-dark', '.vue-flow__panel'];

const style = `${[...hidden, ...others].join(', ')} { visibility: hidden !important; }`;

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
	const left = boxes.filter((box) => !isShown(box));
	const unseen = left.map(({ name }) => `[data-node-name="${name}"] { opacity: 0 !important; }`);
	const look = [style, ...unseen].join('\n');
	const clip = around(boxes.filter(isShown));
	return await page.screenshot({ clip, style: look, animations: 'disabled' });
}

/** Keeps shots as one picture, each below the one before. */
export async function keepShots(page: Page, name: string, ...shots: Buffer[]): Promise<void> {
	const paper = await page.context().browser()!.newPage();
	const images = shots.map((one) => {
		const source = `data:image/png;base64,${one.toString('base64')}`;
		return `<div style="background: ${GROUND}"><img style="display: block" src="${source}"></div>`;
	});
	const look = 'margin: 0; display: inline-flex; flex-direction: column; gap: 12px';
	await paper.setContent(`<body style="${look}">${images.join('')}</body>`);
	keepPicture(name, await paper.locator('body').screenshot());
	await paper.close();
}
