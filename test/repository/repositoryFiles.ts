import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(__dirname, '../..');

/** Folders that are built or installed, and do not belong to the repository. */
const MADE = ['.git', 'node_modules', 'dist', 'coverage', '.demo', '.host'];

/**
 * The files of the repository below a folder, as sorted paths from its root. They are found without git,
 * so that the tests also pass in an unpacked archive of the repository.
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
