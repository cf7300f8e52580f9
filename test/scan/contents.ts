import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** npm packs these files in any case. */
const ALWAYS = ['LICENSE', 'README.md', 'package.json'];

/** Icons, codex files and output schemas, which n8n reads. */
const ASSET = /\.(?:svg|node\.json)$|\/__schema__\/.+\.json$/;

/**
 * All files that the package must contain: the compiled sources, the files that n8n reads, and those that
 * npm always packs. Tests, pictures, source maps, type declarations and sources are not needed.
 */
function requiredFiles(root: string): string[] {
	const shipped = ['credentials', 'nodes'].flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
			join(folder, path),
		),
	);
	const compiled = shipped
		.filter((path) => path.endsWith('.ts'))
		.map((path) => path.replace(/\.ts$/, '.js'));
	const assets = shipped.filter((path) => ASSET.test(path));
	return [...ALWAYS, ...[...compiled, ...assets].map((path) => join('dist', path))];
}

/**
 * Reports unneeded and missing files of a package.
 *
 * @param root the packed repository
 * @param packed paths in the package
 */
export function strayAndMissing(root: string, packed: string[]): string[] {
	const required = requiredFiles(root);
	const stray = packed.filter((path) => !required.includes(path));
	const missing = required.filter((path) => !packed.includes(path));
	return [
		...stray.map((path) => `${path} is in the package, but is not needed.`),
		...missing.map((path) => `${path} is missing from the package.`),
	];
}
