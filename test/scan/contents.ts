import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What npm packs whatever `files` in package.json says. */
const ALWAYS = ['LICENSE', 'README.md', 'package.json'];

/** What n8n reads beside the code: icons, codex files, output schemas. */
const ASSET = /\.(?:svg|node\.json)$|\/__schema__\/.+\.json$/;

/**
 * Exactly what the package is to hold: the compiled form of every source that n8n loads, what n8n
 * reads beside it, and npm's own three. No test, picture, map, type declaration or source.
 */
function wantedFiles(root: string): string[] {
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
 * What is wrong with the files of a package, one sentence each.
 *
 * @param root the repository that was packed
 * @param packed paths within the package
 */
export function strayAndMissing(root: string, packed: string[]): string[] {
	const wanted = wantedFiles(root);
	const stray = packed.filter((path) => !wanted.includes(path));
	const missing = wanted.filter((path) => !packed.includes(path));
	return [
		...stray.map((path) => `${path} is in the package, but no user needs it.`),
		...missing.map((path) => `${path} is not in the package, but n8n or its users need it.`),
	];
}
