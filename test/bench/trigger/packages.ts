import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageName } from '../../n8n/pack';
import { modulesOf, placePackage, writeManifest } from '../../n8n/communityPackage';

export const BASELINE = 'n8n-nodes-bench-baseline';
export const UNCACHED = 'n8n-nodes-bench-uncached';

type Manifest = { name: string; n8n: { nodes: string[]; credentials: string[] } };

/** Installs the triggers that do nothing and that refuse everything. */
export const placeBaseline = (userFolder: string): void =>
	placePackage(userFolder, BASELINE, join(__dirname, 'baseline'));

/** The lifetime of cached secrets in the compiled package. */
const LIFETIME = /\bSETTINGS_TTL_MS = 30_?000\b/g;

/** Turns off the cache of secrets. @throws Error if its lifetime is not set in exactly one place */
function disableCache(folder: string): void {
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.js'))
		.map((name) => join(folder, name));
	const found = files.flatMap((file) =>
		[...readFileSync(file, 'utf8').matchAll(LIFETIME)].map(() => file),
	);
	const [file] = found;
	if (found.length !== 1 || file === undefined) {
		throw new Error(
			`Expected one place that sets SETTINGS_TTL_MS to 30 seconds, found ${found.length}`,
		);
	}
	writeFileSync(file, readFileSync(file, 'utf8').replace(LIFETIME, 'SETTINGS_TTL_MS = 0'));
}

/**
 * Installs a copy of the package whose trigger reads the credential for every delivery. It has no credential
 * type, because n8n finds that of the original package by its name.
 */
export function placeUncached(userFolder: string): void {
	const folder = join(modulesOf(userFolder), UNCACHED);
	cpSync(join(modulesOf(userFolder), packageName), folder, { recursive: true });
	const { n8n, ...rest } = JSON.parse(
		readFileSync(join(folder, 'package.json'), 'utf8'),
	) as Manifest;
	const nodes = n8n.nodes.filter((path) => path.endsWith('Trigger.node.js'));
	writeManifest(folder, { ...rest, name: UNCACHED, n8n: { ...n8n, nodes, credentials: [] } });
	disableCache(join(folder, 'dist'));
}
