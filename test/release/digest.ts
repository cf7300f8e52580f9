import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * What tells one build of the package from another: SHA-256 over the compiled JavaScript, by path. The
 * compiler leaves comments out, so that only what runs counts.
 */

const root = resolve(__dirname, '../..');

/** @param folder `dist`, or a folder like it */
export function digestOf(folder: string): string {
	const hash = createHash('sha256');
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((path) => path.endsWith('.js'))
		.sort();
	if (files.length === 0) throw new Error(`There is no JavaScript in ${folder}`);
	for (const path of files) {
		const content = createHash('sha256').update(readFileSync(join(folder, path)));
		hash.update(`${path} ${content.digest('hex')}\n`);
	}
	return hash.digest('hex');
}

/** Of the sources as they are now: they are compiled into a folder of their own. */
export function digestOfSources(): string {
	const tsc = join(root, 'node_modules/typescript/bin/tsc');
	const project = join(root, 'tsconfig.build.json');
	return inFolder((folder) => {
		run(process.execPath, [tsc, '-p', project, '--outDir', folder]);
		return digestOf(folder);
	});
}

/** @param tarball the packed package */
export function digestOfTarball(tarball: string): string {
	return inFolder((folder) => {
		run('tar', ['-xzf', tarball, '-C', folder]);
		return digestOf(join(folder, 'package', 'dist'));
	});
}

function inFolder<T>(work: (folder: string) => T): T {
	const folder = mkdtempSync(join(tmpdir(), 'digest-'));
	try {
		return work(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

function run(program: string, args: string[]): void {
	const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
	if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
}
