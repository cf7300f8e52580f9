import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageName } from '../../n8n/pack';
import { modulesOf, placePackage, writeManifest } from '../../n8n/communityPackage';

/** The packages that n8n loads beside this one, for comparison. */

export const FLOOR = 'n8n-nodes-bench-floor';
export const UNCACHED = 'n8n-nodes-bench-uncached';

type Manifest = { name: string; n8n: { nodes: string[]; credentials: string[] } };

/** The triggers that do nothing. */
export const placeFloor = (userFolder: string): void =>
	placePackage(userFolder, FLOOR, join(__dirname, 'floor'));

/** How long a secret is kept, as the build writes it. */
const LIFETIME = /\bSETTINGS_TTL_MS = 30_?000\b/g;

/** Keeps every secret for no time at all, and makes sure that this one place decides about it. */
function forgetAtOnce(folder: string): void {
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.js'))
		.map((name) => join(folder, name));
	const found = files.flatMap((file) =>
		[...readFileSync(file, 'utf8').matchAll(LIFETIME)].map(() => file),
	);
	const [file] = found;
	if (found.length !== 1 || file === undefined) {
		throw new Error(
			`The package sets SETTINGS_TTL_MS to 30 seconds in ${found.length} places, not in one`,
		);
	}
	writeFileSync(file, readFileSync(file, 'utf8').replace(LIFETIME, 'SETTINGS_TTL_MS = 0'));
}

/**
 * A copy of the unpacked package whose trigger reads the credential on every delivery. It brings no
 * credential type: n8n finds the original's, for those go by their name alone.
 */
export function placeUncached(userFolder: string): void {
	const folder = join(modulesOf(userFolder), UNCACHED);
	cpSync(join(modulesOf(userFolder), packageName), folder, { recursive: true });
	const { n8n, ...rest } = JSON.parse(
		readFileSync(join(folder, 'package.json'), 'utf8'),
	) as Manifest;
	const nodes = n8n.nodes.filter((path) => path.endsWith('Trigger.node.js'));
	writeManifest(folder, { ...rest, name: UNCACHED, n8n: { ...n8n, nodes, credentials: [] } });
	forgetAtOnce(join(folder, 'dist'));
}
