import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { EditorPage } from './editorPage';
import { root } from '../n8n/pack';

/** Pictures for the documentation, taken only when the environment asks for them (SCREENSHOTS=1). */

const folder = join(root, 'docs', 'images');

const LARGEST = 120_000;

/** Whether pictures are to be taken. */
export const takesPictures = Boolean(process.env.SCREENSHOTS);

/** Messages that come and go are not part of what a picture is about. */
const style = '.el-notification, .el-popper.is-dark { display: none !important; }';

export async function picture(
	{ page }: EditorPage,
	name: string,
	part: Locator | typeof page = page,
): Promise<void> {
	if (!takesPictures) return;
	await page.mouse.move(0, 0);
	keepPicture(name, await part.screenshot({ style, animations: 'disabled', caret: 'hide' }));
}

/** @throws when a picture is larger than readers of the documentation should have to load */
export function keepPicture(name: string, image: Buffer): void {
	if (image.length > LARGEST) {
		throw new Error(`${name}.png has ${image.length} bytes, more than ${LARGEST}`);
	}
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, `${name}.png`), image);
}
