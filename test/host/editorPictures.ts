import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { EditorPage } from './editorPage';
import { root } from './pack';

/** Pictures for the documentation, taken only when the environment asks for them (SCREENSHOTS=1). */

const folder = join(root, 'docs', 'images');

const LARGEST = 120_000;

/** Messages that come and go are not part of what a picture is about. */
const style = '.el-notification, .el-popper.is-dark { display: none !important; }';

export async function picture(
	{ page }: EditorPage,
	name: string,
	part: Locator | typeof page = page,
): Promise<void> {
	if (!process.env.SCREENSHOTS) return;
	mkdirSync(folder, { recursive: true });
	const path = join(folder, `${name}.png`);
	await page.mouse.move(0, 0);
	await part.screenshot({ path, style, animations: 'disabled', caret: 'hide' });
	const { size } = statSync(path);
	if (size > LARGEST) throw new Error(`${path} has ${size} bytes, more than ${LARGEST}`);
}
