import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(__dirname, '../..');

/** What is made or installed, and is no part of the repository. */
const MADE = ['.git', 'node_modules', 'dist', 'coverage', '.demo', '.host'];

/**
 * The files of the repository below a folder, as paths from its root, sorted. They are found without
 * git, so that the tests also pass where the repository was unpacked instead of cloned.
 */
export function repositoryFiles(folder = '.'): string[] {
	return readdirSync(join(root, folder), { withFileTypes: true })
		.filter(({ name }) => !MADE.includes(name))
		.flatMap((entry) => {
			const path = join(folder, entry.name);
			return entry.isDirectory() ? repositoryFiles(path) : [path];
		})
		.sort();
}
