import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(__dirname, '../..');

/** Folders that are built or installed and are not part of the repository. */
const EXCLUDED = ['.git', 'node_modules', 'dist', 'coverage', '.demo', '.host'];

/**
 * Returns the files of the repository below a folder as sorted paths from the root. It does not use git, so
 * that the tests also pass in an unpacked archive of the repository.
 */
export function repositoryFiles(folder = '.'): string[] {
	return readdirSync(join(root, folder), { withFileTypes: true })
		.filter(({ name }) => !EXCLUDED.includes(name))
		.flatMap((entry) => {
			const path = join(folder, entry.name);
			return entry.isDirectory() ? repositoryFiles(path) : [path];
		})
		.sort();
}
