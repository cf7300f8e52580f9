import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Child, finish } from './child';

export const root = resolve(__dirname, '..', '..');
export const packageName = 'n8n-nodes-social-open-platform';

/** Builds and packs the project. Returns the path of the tarball. */
export async function pack(): Promise<string> {
	const target = join(root, '.host');
	mkdirSync(target, { recursive: true });
	const npm = (...args: string[]) =>
		new Child({ program: 'npm', args, cwd: root, env: process.env });
	await finish(npm('run', 'build'), 'npm run build');
	const output = await finish(npm('pack', '--pack-destination', target), 'npm pack');
	return join(target, output.trim().split('\n').pop() ?? '');
}

/** The tarball of this test run. Whatever is started on its own creates it. */
export const packed = async (): Promise<string> => process.env.HOST_TARBALL ?? (await pack());

/**
 * Installs a tarball as n8n installs a community package: without development and peer dependencies.
 * The package then uses n8n's copies of its peer dependencies.
 */
export function unpack(tarball: string, userFolder: string): string {
	const folder = join(userFolder, '.n8n', 'nodes', 'node_modules', packageName);
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const tar = spawnSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
	if (tar.status !== 0) throw new Error(`Cannot unpack ${tarball}: ${String(tar.stderr)}`);
	const manifest = join(folder, 'package.json');
	const { devDependencies, peerDependencies, optionalDependencies, ...kept } = JSON.parse(
		readFileSync(manifest, 'utf8'),
	) as Record<string, unknown>;
	writeFileSync(manifest, JSON.stringify(kept, null, 2));
	return folder;
}
