import type { Page } from 'playwright-core';
import type { Box, EditorCanvas } from './editorCanvas';
import { savePicture } from './editorPictures';

/** The margin around the nodes, in pixels. */
const MARGIN = 24;

/** The color of the canvas in n8n's light theme. */
const BACKGROUND = '#f5f5f5';

const hidden = [
	...['canvas-background', 'canvas-controls', 'canvas-minimap', 'canvas-node-toolbar', 'sticky'],
	'execute-workflow-button',
].map((testId) => `[data-test-id^="${testId}"]`);

const others = [
	...['.el-notification', '.el-popper.is-dark', '.vue-flow__panel'],
	'[class*="nodeButtonsWrapper"]',
];

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
	const [width, height] = [right - x + 2 * MARGIN, bottom - y + 2 * MARGIN];
	return { x: x - MARGIN, y: y - MARGIN, width, height };
}

/** A screenshot of these nodes, or of all nodes if there are no names, without notes and buttons. */
export async function screenshot(
	page: Page,
	canvas: EditorCanvas,
	names: string[],
): Promise<Buffer> {
	await page.mouse.move(0, 0);
	await canvas.showAll();
	const boxes = await canvas.boxes(true);
	const isShown = ({ name }: Box) => names.length === 0 || names.includes(name);
	const excluded = boxes.filter((box) => !isShown(box));
	const invisible = excluded.map(
		({ name }) => `[data-node-name="${name}"] { opacity: 0 !important; }`,
	);
	const look = [style, ...invisible].join('\n');
	const clip = around(boxes.filter(isShown));
	return await page.screenshot({ clip, style: look, animations: 'disabled' });
}

/** Saves screenshots as one picture, one below or beside the other. */
export async function saveScreenshots(
	page: Page,
	name: string,
	screenshots: Buffer[],
	direction: 'column' | 'row' = 'column',
): Promise<void> {
	const blank = await page.context().browser()!.newPage();
	const images = screenshots.map((one) => {
		const source = `data:image/png;base64,${one.toString('base64')}`;
		return `<img src="${source}">`;
	});
	const look = `margin: 0; display: inline-flex; flex-direction: ${direction}; gap: 12px; align-items: center; background: ${BACKGROUND}`;
	await blank.setContent(`<body style="${look}">${images.join('')}</body>`);
	savePicture(name, await blank.locator('body').screenshot());
	await blank.close();
}
