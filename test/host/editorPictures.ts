import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { EditorPage } from './editorPage';
import { root } from '../n8n/pack';

const folder = join(root, 'docs', 'images');

/** Readers of the documentation have to load the pictures. */
const MAX_BYTES = 200_000;

/** Whether to take pictures for the documentation. */
export const takesPictures = Boolean(process.env.SCREENSHOTS);

/** Hides temporary messages. */
const style = '.el-notification, .el-popper.is-dark { display: none !important; }';

export async function picture(
	{ page }: EditorPage,
	name: string,
	part: Locator | typeof page = page,
): Promise<void> {
	if (!takesPictures) return;
	await page.mouse.move(0, 0);
	savePicture(name, await part.screenshot({ style, animations: 'disabled', caret: 'hide' }));
}

/** @throws if the picture is too large */
export function savePicture(name: string, image: Buffer): void {
	if (image.length > MAX_BYTES) {
		throw new Error(`${name}.png has ${image.length} bytes. The limit is ${MAX_BYTES}`);
	}
	const path = join(folder, `${name}.png`);
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, image);
}
