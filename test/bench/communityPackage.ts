import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder for n8n's installed community packages. */
export const modulesOf = (userFolder: string): string =>
	join(userFolder, '.n8n', 'nodes', 'node_modules');

export function writeManifest(folder: string, manifest: object): void {
	writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, '\t'));
}

/** Installs the JavaScript nodes of a folder as a community package. */
export function placePackage(userFolder: string, name: string, source: string): void {
	const folder = join(modulesOf(userFolder), name);
	mkdirSync(folder, { recursive: true });
	cpSync(source, folder, { recursive: true });
	const nodes = readdirSync(source).filter((file) => file.endsWith('.node.js'));
	writeManifest(folder, { name, version: '1.0.0', n8n: { n8nNodesApiVersion: 1, nodes } });
}

/** The name of a package with a trigger that starts a workflow with the items of the request. */
export const ITEMS_PACKAGE = 'n8n-nodes-bench-items';

export const placeItemsPackage = (userFolder: string): void =>
	placePackage(userFolder, ITEMS_PACKAGE, join(__dirname, 'items'));
